#!/bin/sh
# A repository, a shape, a record, by the command. The argument is your organization. What is there from an earlier run is left.
set -eu
cairn="${CAIRN:-npx cairn}"
export CAIRN_REPO="${1:-acme}/quickstart-cli"

$cairn repo view "$CAIRN_REPO" 2>/dev/null || $cairn repo create "$CAIRN_REPO"
$cairn shape view Location 2>/dev/null || $cairn shape create Location --fields '{"x":"number"}'
$cairn commit submit --add Location/cave --data '{"x":3}' --message 'The first cave' --skip-existing
$cairn thing query --shape Location --format jsonl | grep '"data":{"x":3}'
