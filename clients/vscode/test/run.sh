#!/usr/bin/env bash
# test/run.sh : all tests of the extension: logic, inside VS Code's extension host, and as a person sees it.
#
# Installs what they need into $EDITD_TESTENV (by default the repository's .testenv, which git ignores).
# $EDITD names the editd program to test with (by default the repository's). ONLY=text runs the parts
# whose name holds it, and of the long one at the end those whose titles hold it. Ends with a plain line "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repository=$(cd "$here/../.." && pwd)
export EDITD_TESTENV=${EDITD_TESTENV:-$repository/.testenv}
export EDITD_CACHE_DIR=${EDITD_CACHE_DIR:-$EDITD_TESTENV/cache} # the solved model, made once
export EDITD=${EDITD:-$repository/.venv/bin/editd}
cd "$here" || exit 1

if [ ! -x "$EDITD" ]; then
  echo "There is no $EDITD: install editd first, or name it in EDITD." >&2
  echo "0 passed, 1 failed"
  exit 1
fi

# A real model that knows the edits of examples/demo by heart.
EDITD_MODEL=$(cd "$repository" && "$(dirname "$EDITD")/python" -m tests.fixtures.solved 2>/dev/null)
export EDITD_MODEL

began=$SECONDS
if ! bash test/install.sh "$EDITD_TESTENV"; then
  echo "What the VS Code tests need could not be installed." >&2
  echo "0 passed, 1 failed"
  exit 1
fi
echo "== installed ($((SECONDS - began)) s)"
export PATH="$EDITD_TESTENV/vscode/bin:$PATH"

passed=0
failed=0
report=$(mktemp)
trap 'rm -f "$report"' EXIT
# part SECONDS NAME COMMAND… : runs one part and adds up the line that it ends with
part() {
  local seconds=$1 name=$2 began=$SECONDS code last
  shift 2
  [[ $name == *${ONLY:-}* ]] || return 0
  echo "== VS Code: $name"
  timeout --kill-after=10 "$seconds" "$@" 2>&1 | tee "$report"
  code=${PIPESTATUS[0]}
  echo "== VS Code: $name: $((SECONDS - began)) s"
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$report" | tail -n 1)
  if [ -z "$last" ]; then
    echo "FAIL $name did not come to its end (exit code $code)"
    failed=$((failed + 1))
    return
  fi
  if [ "$last" = "0 passed, 0 failed" ]; then
    echo "FAIL $name ran no test"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + ${last%% passed*}))
  last=${last#*, }
  failed=$((failed + ${last%% failed*}))
}

# step COMMAND… : one check, which passes if the command does
step() {
  if "$@"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}
export -f step

# The limits are for a machine that does much else; all of it takes some three minutes on a quiet one.
part 180 "types and package" bash -c 'step npm run --silent package'
part 120 "logic" node test/unit.mjs
part 60 "what is in the package" node test/vsix.mjs
part 420 "inside VS Code" node test/api.mjs
session="a session, while it streams, a proposal, an early key, mentions, the tasks of a first user"
part 1500 "$session, choosing a model, trust, no server" node test/session.mjs

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
