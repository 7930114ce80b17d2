#!/bin/bash
# Installs VS Code (code-server) and the driver into node_modules/, from the
# lock files alone and without running what packages want to run.
# usage: editors/vscode/e2e/install.sh
set -euo pipefail
cd "$(dirname "$0")"
done=node_modules/.installed
if [ "$done" -nt package-lock.json ]; then exit 0; fi

quiet=(--ignore-scripts --no-audit --no-fund --loglevel=error)
npm ci "${quiet[@]}"
# What code-server's own install script does, which would fetch more besides.
vscode=node_modules/code-server/lib/vscode
(cd "$vscode" && npm install --omit=dev "${quiet[@]}") # its shrinkwrap pins what npm ci does not accept
ln -sfn node_modules "$vscode/node_modules.asar"
ln -sf code-linux.sh "$vscode/bin/remote-cli/code-server"
touch "$done"
