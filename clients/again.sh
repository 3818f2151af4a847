#!/usr/bin/env bash
# again.sh LOG : runs each part of the editors' tests that failed in LOG once more, with nothing beside it. A part is a
# spec of Neovim, or a part of VS Code's tests. LOG is what `make test-editors` printed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
code=0
failed=$(awk '
  /^== VS Code: .*: [0-9]+ s$/ || /^-- .*: [0-9]+ s$/ { next }
  /^== NVIM / { part = "nvim:" }
  /^== VS Code: / { part = "vscode:" substr($0, 13) }
  /^-- .*_spec\.lua$/ { part = "nvim:" $2; next }
  /^-- / { part = "vscode:" substr($0, 4) }
  /^The runner ended with status/ { part = "nvim:" } # all of its specs
  /^FAIL .* did not come to its end/ { part = "vscode:" substr($0, 6); sub(/ did not come to its end.*/, "", part) }
  /^FAIL |^The runner ended with status/ && !(part in seen) { seen[part] = 1; print part }
' "$1")
[ -n "$failed" ] || echo "$1 names no failed part."
while IFS=: read -r editor part; do
  echo "== once more: ${editor:-unknown} $part"
  case $editor in
    nvim) bash clients/nvim/tests/run_tests.sh ${part:+"$part"} </dev/null || code=1 ;;
    vscode) ONLY=$part bash clients/vscode/test/run.sh </dev/null || code=1 ;;
    *) code=1 ;; # it failed before any part began
  esac
done <<<"$failed"
exit $code
