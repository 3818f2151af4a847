#!/usr/bin/env bash
# Tests the plugin in real Neovim, 0.10 and 0.12, with the real language server and daemon: all of it in the newer,
# and in the older what goes through the editor's own client, which is where the plugin tells the two apart.
#
#   run_tests.sh [SPEC...]        all specs, or some, in both: hunks_spec.lua
#   run_tests.sh install          only unpacks both
#   EDITD_NVIM=/path/to/nvim      only in this Neovim
#   EDITD_TEST_ONLY=text          only tests whose name holds this
#
# Both versions are unpacked into .testenv, as root on Debian; elsewhere the Neovim on PATH is taken. An editor
# that cannot be had is a failure. The last line is "N passed, N failed".
set -uo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$tests/../../.." && pwd)
testenv=${EDITD_TESTENV:-$checkout/.testenv}
cd "$checkout" || exit 1

if [ "${1:-}" != install ] && [ ! -x .venv/bin/editd ]; then
  echo "The tests need editd in .venv: run make test first, which sets it up."
  echo "0 passed, 1 failed"
  exit 1
fi

# --- Neovim -----------------------------------------------------------------------------------------
can_unpack() {
  [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null && [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]
}

have_patchelf() {
  command -v patchelf > /dev/null || {
    apt-get -qq -o DPkg::Lock::Timeout=300 update
    apt-get -qq -o DPkg::Lock::Timeout=300 -y --no-install-recommends install patchelf
  }
}

unpack() { # SUITE NAME : up to three times, for mirrors that hiccup
  local prefix=$testenv/$2 try
  for try in 1 2 3; do
    if [ ! -x "$prefix/usr/bin/nvim" ]; then
      rm -rf "$prefix"
      { have_patchelf && bash "$tests/get-nvim.sh" "$1" "$prefix"; } > "$testenv/$2.log" 2>&1 || rm -rf "$prefix"
    fi
    if "$prefix/usr/bin/nvim" --version > /dev/null 2>&1; then
      editors+=("$prefix/usr/bin/nvim")
      return
    fi
    rm -rf "$prefix"
    [ $try = 3 ] || sleep $((5 * try))
  done
  echo "FAIL Neovim could not be unpacked from Debian $1:"
  tail -5 "$testenv/$2.log"
  missing=1
}

mkdir -p "$testenv"
editors=()
missing=0
if [ -n "${EDITD_NVIM:-}" ]; then
  editors=("$EDITD_NVIM")
elif can_unpack; then
  unpack trixie nvim-0.10
  unpack sid nvim-0.12
elif command -v nvim > /dev/null; then
  editors=("$(command -v nvim)")
else
  echo "FAIL There is no Neovim on PATH, and only root on Debian can unpack one: name yours in EDITD_NVIM."
  missing=1
fi
if [ $missing = 1 ]; then
  echo "0 passed, 1 failed"
  exit 1
fi

[ "${1:-}" != install ] || exit 0

# --- specs ------------------------------------------------------------------------------------------
in_older=(e2e_scripted_spec.lua follow_up_spec.lua preview_spec.lua progress_spec.lua trust_spec.lua untitled_spec.lua)
specs() { # EDITOR NAME... : the files that it runs
  local editor=$1
  shift
  if [ $# = 0 ] && [ "$editor" = "$testenv/nvim-0.10/usr/bin/nvim" ]; then
    set -- "${in_older[@]}"
  elif [ $# = 0 ]; then
    set -- "$tests"/*_spec.lua
  fi
  for name in "$@"; do echo "$tests/$(basename "$name")"; done
}

# Nothing of the user's is read or written.
export EDITD_SCRATCH=$testenv/nvim-scratch
export EDITD_COUNTS=$EDITD_SCRATCH/counts
export EDITD_CACHE_DIR=${EDITD_CACHE_DIR:-$testenv/cache}
# A real model that knows the edits of examples/demo by heart.
EDITD_TEST_MODEL=$(.venv/bin/python -m tests.fixtures.solved 2>/dev/null)
export EDITD_TEST_MODEL
unset EDITD_MODEL
rm -rf "$EDITD_SCRATCH"
for kind in CONFIG DATA STATE CACHE; do
  export XDG_${kind}_HOME="$EDITD_SCRATCH/xdg/$kind"
  mkdir -p "$EDITD_SCRATCH/xdg/$kind"
done
unset NVIM VIMINIT NVIM_APPNAME

ended_well=0
for nvim in "${editors[@]}"; do
  echo "== $("$nvim" --version | head -1)"
  EDITD_SPECS=$(specs "$nvim" "$@" | paste -sd " ") timeout 900 "$nvim" --clean --headless -i NONE \
    --cmd "set noswapfile runtimepath^=$(dirname "$tests")" -c "luafile $tests/runner.lua" 2>&1
  code=$?
  if [ $code -gt 1 ]; then # not a failed test, which is counted: the runner itself was cut off
    echo "The runner ended with status $code."
    echo "0 1" >> "$EDITD_COUNTS"
    ended_well=1
  fi
done
awk '{ passed += $1; failed += $2 } END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 }' \
  "$EDITD_COUNTS" || exit 1
exit $ended_well
