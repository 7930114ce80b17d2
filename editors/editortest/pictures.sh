#!/bin/bash
# Takes the pictures of the directories of editors from their tests, which
# have to pass. Needs the editors: make pictures installs them.
# usage: editors/editortest/pictures.sh EDITOR...
set -euo pipefail
cd "$(dirname "$0")/../.."
export PICTURES=$PWD/dist/pictures PATH=$PWD/.cache/bin:$PATH
mkdir -p "$PICTURES"
EDITORS="$*" go test -count=1 -p 1 "${@/#/./editors/}"
for editor; do
	if [ -e "$PICTURES/$editor.png" ]; then # of an editor with windows
		cp "$PICTURES/$editor.png" "editors/$editor/picture.png"
		continue
	fi
	go run github.com/charmbracelet/freeze@v0.2.2 --language ansi --window --padding 12 --font.family monospace \
		--output "editors/$editor/picture.svg" <"$PICTURES/$editor.ansi"
done
