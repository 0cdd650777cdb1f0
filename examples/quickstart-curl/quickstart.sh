#!/bin/sh
# A repository, a shape, a record, with curl. The argument is your organization. What is there from an earlier run is left.
set -eu
api="${CAIRN_URL:-http://localhost:8787}"
org="${1:-acme}"
: "${CAIRN_TOKEN:?is not set: give it the token that set-up printed}"
ask() {
  curl -sS --fail-with-body -H "Authorization: Bearer $CAIRN_TOKEN" "$@"
}
call() {
  ask "$api/trpc/$1" -H 'Content-Type: application/json' -d "{\"orgName\":\"$org\",$2}" && echo
}

ask -o /dev/null "$api/api/repos/$org/quickstart-curl/head" 2>/dev/null || call repo.create '"name":"quickstart-curl"'
call commit.submit '"repoName":"quickstart-curl","operations":[
  {"kind":"shape","name":"Location","data":{"fields":{"x":"number"}},"skipExisting":true},
  {"name":"Location/cave","data":{"x":3},"skipExisting":true}]'
ask "$api/api/repos/$org/quickstart-curl/query?shape=Location" | grep '"data":{"x":3}'
