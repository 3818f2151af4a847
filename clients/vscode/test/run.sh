#!/usr/bin/env bash
# test/run.sh : all tests of the extension: logic, inside VS Code's extension host, and as a person sees it.
#
# Installs what they need into $EDITD_TESTENV (by default .testenv, which git ignores). $EDITD names the
# editd program to test with (by default the repository's). Ends with a plain line "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export EDITD_TESTENV=${EDITD_TESTENV:-$here/.testenv}
export EDITD=${EDITD:-$(cd "$here/../.." && pwd)/.venv/bin/editd}
cd "$here" || exit 1

if [ ! -x "$EDITD" ]; then
  echo "There is no $EDITD: install editd first, or name it in EDITD." >&2
  echo "0 passed, 1 failed"
  exit 1
fi

bash test/install.sh "$EDITD_TESTENV"
case $? in
  0) ;;
  3)
    echo "skipped: the VS Code tests need chromium; install it (as root on Debian this script does it)."
    echo "0 passed, 0 failed"
    exit 0
    ;;
  *)
    echo "What the VS Code tests need could not be installed." >&2
    echo "0 passed, 1 failed"
    exit 1
    ;;
esac
export PATH="$EDITD_TESTENV/vscode/bin:$PATH"

passed=0
failed=0
# part SECONDS NAME COMMAND… : runs one part and adds up the line that it ends with
part() {
  local seconds=$1 name=$2 output last
  shift 2
  echo "== $name"
  output=$(timeout "$seconds" "$@" 2>&1)
  local code=$?
  echo "$output"
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' <<<"$output" | tail -n 1)
  if [ -z "$last" ]; then
    echo "FAIL $name did not come to its end (exit code $code)"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + ${last%% passed*}))
  last=${last#*, }
  failed=$((failed + ${last%% failed*}))
}

check_types() {
  if npx tsc; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}
package() {
  if npm run --silent package; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}
export -f check_types package

part 120 "types" bash -c check_types
part 60 "logic" node test/unit.mjs
part 120 "package" bash -c package
part 200 "inside VS Code" node test/api.mjs
part 200 "a session" node test/e2e.mjs
part 150 "latency" node test/latency.mjs

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
