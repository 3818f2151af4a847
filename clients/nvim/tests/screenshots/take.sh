#!/usr/bin/env bash
# take.sh [NVIM]: photographs the plugin at work, into docs/images (or $IMAGES), on dark and light ground, in windows of 96
# and 128 columns.
#
# A real Neovim runs in tmux and has the embedded model edit a file of pytest, a package that it was not trained on,
# at its own speed. `tmux capture-pane -e` gives the cells of the screen with their colours, terminal.py draws them
# as a page, and Chromium makes the picture. Needs tmux, chromium, and in .venv editd, pytest and the model
# (`editd models pull embedded`). Prints how many seconds each edit took.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../../../.." && pwd)
nvim=${1:-$checkout/.testenv/nvim-0.12/usr/bin/nvim}
work=$(mktemp -d)
tmux="tmux -L editd-screenshots-$$ -f /dev/null"
export EDITD_RUNTIME_DIR=$work/run EDITD_STATE_DIR=$work/state EDITD_CONFIG=$work/config.toml
export EDITD_CACHE_DIR=${EDITD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/editd} EDITD_MODEL=embedded
export SHOTS=$work PLUGIN=$checkout/clients/nvim EDITD=$checkout/.venv/bin/editd
trap '$tmux kill-server 2>/dev/null || true; "$EDITD" stop --force > /dev/null 2>&1 || true; rm -rf "$work"' EXIT
images=${IMAGES:-$checkout/docs/images}
mkdir -p "$work/run" "$images"
chmod 700 "$work/run"
touch "$work/config.toml"
"$checkout/.venv/bin/python" -c 'import shutil, _pytest._py.error as m, sys; shutil.copy(m.__file__, sys.argv[1])' "$work"
for kind in CONFIG DATA STATE CACHE; do export XDG_${kind}_HOME="$work/xdg/$kind"; done

# The pictures are about the model, so words decide nothing.
export EDITD_EDIT_WORDS=false
echo "x = 1" > "$work/x.py"

# look BACKGROUND COLUMNS SUFFIX : the pictures of one look, 9 pixels a column and 14 at each side
look() {
  local name page=$work/page.html
  rm -f "$work/finished" "$work"/*.ansi
  "$EDITD" stop --force > /dev/null 2>&1 || true                      # what it has read it would not read again
  "$EDITD" edit "$work/x.py" -i "Rename x to y." > /dev/null 2>&1 || true # loaded first
  $tmux new-session -d -x "$2" -y 36 -c "$work" \
    "BACKGROUND=$1 $nvim --clean -i NONE --cmd 'set rtp^=$PLUGIN' -c 'luafile $here/scene.lua' error.py 2>$work/errors"
  for _ in $(seq 1200); do
    [ -f "$work/finished" ] && break
    sleep 0.1
  done
  [ -f "$work/finished" ] || { echo "the scene did not end"; $tmux capture-pane -p; exit 1; }
  cat "$work/finished"
  $tmux kill-server
  for name in waiting streaming done; do
    "$checkout/.venv/bin/python" "$here/terminal.py" "$work/$name.ansi" "$page" "$1"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1.5 \
      --window-size="$(sed -n 's/.*data-size="\([0-9,]*\)".*/\1/p' "$page")" \
      --user-data-dir="$work/chromium" \
      --screenshot="$images/neovim-$name$3.png" "file://$page" > /dev/null 2>&1
    ls -l "$images/neovim-$name$3.png"
  done
}
look dark 96 ""
look light 96 -light
look dark 128 -wide
look light 128 -wide-light
