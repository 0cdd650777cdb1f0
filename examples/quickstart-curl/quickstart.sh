#!/bin/sh
# A repository, a shape, a record, with curl. The argument is your organization.
set -eu
url="${CAIRN_URL:-http://localhost:8787}"
org="${1:-acme}"
call() {
  curl -fsS "$url/trpc/$1" -H "Authorization: Bearer $CAIRN_TOKEN" -H 'Content-Type: application/json' -d "{\"orgName\":\"$org\",$2}"
}

call repo.create '"name":"quickstart-curl"'
call shape.create '"repoName":"quickstart-curl","name":"Location","fields":{"x":"number"}'
call commit.submit '"repoName":"quickstart-curl","operations":[{"name":"Location/cave","data":{"x":3}}]'
curl -fsS -H "Authorization: Bearer $CAIRN_TOKEN" "$url/api/repos/$org/quickstart-curl/query?shape=Location" | grep '"data":{"x":3}'
