#!/bin/bash
# Takes the picture of the README: a real Neovim in a real terminal (tmux), on
# the example repository. Needs nvim, tmux and the binaries in bin/.
# usage: editors/neovim/picture.sh OUT.svg
set -euo pipefail
out=$(realpath -- "$1")
cd "$(dirname "$0")/../.."
PATH="$PWD/bin:$PATH"
work=$(mktemp -d)
socket=memls-picture-$$
tmux() { command tmux -L "$socket" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$work"' EXIT

# until_shown TEXT waits until TEXT is on the screen.
until_shown() {
	for _ in $(seq 200); do
		if tmux capture-pane -p -t p | grep -qF -- "$1"; then return; fi
		sleep 0.05
	done
	echo "picture.sh: the screen never showed: $1" >&2
	tmux capture-pane -p -t p >&2
	exit 1
}

go run ./editors/demo -only-create "$work/memory"
cat >"$work/init.lua" <<LUA
vim.opt.runtimepath:prepend('$PWD/editors/neovim')
vim.o.signcolumn = 'yes'
vim.o.ruler = false
vim.cmd('highlight SignColumn ctermbg=NONE')
LUA
cd "$work/memory"
tmux new-session -d -s p -x 100 -y 14 \
	"env TERM=xterm-256color HOME='$work' XDG_CONFIG_HOME='$work' nvim -u '$work/init.lua' -i NONE -n projects/website.md"
tmux set -g status off
until_shown 'missing required index'
tmux send-keys -t p -l ':lua vim.lsp.buf.code_action()'
tmux send-keys -t p Enter
until_shown 'Create projects/MEMORY.md'
tmux capture-pane -e -p -t p >"$work/screen.ansi"
cd - >/dev/null
go run github.com/charmbracelet/freeze@v0.2.2 --language ansi --window --padding 12 --font.family monospace \
	--output "$out" <"$work/screen.ansi"
