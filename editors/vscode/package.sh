#!/bin/bash
# Makes one .vsix for each platform, with the programs for it, in dist/ at the root.
# usage: editors/vscode/package.sh [all | PLATFORM...]     default: the platform of this machine
set -euo pipefail
cd "$(dirname "$0")"

# What VS Code calls a platform, and what Go does.
platforms="linux-x64:linux/amd64 linux-arm64:linux/arm64 darwin-x64:darwin/amd64 darwin-arm64:darwin/arm64 win32-x64:windows/amd64"

here=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
wanted=()
for pair in $platforms; do
	if [ "${1:-$here}" = all ] || [[ " ${*:-$here} " == *" ${pair%%:*} "* || " ${*:-$here} " == *" ${pair#*:} "* ]]; then wanted+=("$pair"); fi
done
if [ ${#wanted[@]} -eq 0 ]; then
	echo "package.sh: no such platform: ${*:-$here}; there are: $platforms" >&2
	exit 2
fi

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then npm ci --no-audit --no-fund && touch node_modules; fi
npx tsc --noEmit
node build.mjs
root=$(cd ../.. && pwd)
mkdir -p "$root/dist"
for pair in "${wanted[@]}"; do
	name=${pair%%:*} system=${pair#*:}
	rm -rf out/bin
	(cd "$root" && GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o editors/vscode/out/bin/ ./cmd/memls ./cmd/memhook ./cmd/agentcli)
	(cd out && npx --no-install vsce package --no-dependencies --target "$name" -o "$root/dist/memls-$name.vsix")
done
