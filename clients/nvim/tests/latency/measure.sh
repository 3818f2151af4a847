#!/usr/bin/env bash
# measure.sh [RUNS [NVIM]]: how long it takes from Enter after `:Editd ...` to the first hunk on the screen.
#
# The engine costs nothing (it writes lines in upper case), all else is real: Neovim with its terminal interface
# in tmux, language server, daemon. Prints the median, the 95th percentile and the machine's load.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../../../.." && pwd)
runs=${1:-60}
nvim=${2:-$checkout/.testenv/nvim-0.12/usr/bin/nvim}
work=$(mktemp -d)
tmux="tmux -L editd-latency-$$ -f /dev/null"
export EDITD_RUNTIME_DIR=$work/run EDITD_STATE_DIR=$work/state EDITD_CONFIG=$work/config.toml
export OUT=$work/figures RUNS=$runs EDITD=$checkout/.venv/bin/editd
mkdir -p "$work/run"
chmod 700 "$work/run"
touch "$work/config.toml"
for kind in CONFIG DATA STATE CACHE; do export XDG_${kind}_HOME="$work/xdg/$kind"; done
(cd "$checkout" && PYTHONPATH=$checkout exec .venv/bin/python tests/fakes.py '{"build": "", "daemon": {}, "limits": {}, "script": {}}') &
daemon=$!
trap '$tmux kill-server 2>/dev/null || true; kill $daemon 2>/dev/null || true; rm -rf "$work"' EXIT
until ls "$work"/run/*.sock > /dev/null 2>&1; do sleep 0.1; done

for line in $(seq 200); do [ $((line % 20)) = 3 ] && echo "line $line" || echo "LINE $line"; done > "$work/text.txt"
$tmux new-session -d -x 100 -y 40 -c "$work" \
  "$nvim --clean -i NONE --cmd 'set noswapfile rtp^=$checkout/clients/nvim' -c 'luafile $here/measure.lua' text.txt"
for _ in $(seq $((runs * 10 + 300))); do
  [ -f "$OUT" ] && break
  sleep 0.1
done
"$nvim" --version | head -1
sort -n "$OUT" | awk '{ value[NR] = $1 } END {
  printf "%d runs: median %.1f ms, 95th percentile %.1f ms, fastest %.1f ms, slowest %.1f ms\n",
    NR, value[int((NR + 1) / 2)], value[int(NR * 0.95 + 0.999)], value[1], value[NR] }'
echo "load: $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores"
