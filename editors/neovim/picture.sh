#!/bin/bash
# Takes the picture of the README: a real Neovim in a real terminal (tmux), on
# the example repository, from the problem to the fix, step by step. Needs nvim,
# tmux and the binaries in bin/.
# usage: editors/neovim/picture.sh OUT.svg
set -euo pipefail
out=$(realpath -- "$1")
cd "$(dirname "$0")/../.."
PATH="$PWD/bin:$PATH"
work=$(mktemp -d)
socket=memls-picture-$$
tmux() { command tmux -L "$socket" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$work"' EXIT

shows() { tmux capture-pane -p -t p | grep -qF -- "$1"; }
lacks() { ! shows "$1"; }

# waits shows|lacks TEXT looks at the screen until it does.
waits() {
	for _ in $(seq 600); do
		if "$@"; then return; fi
		sleep 0.05
	done
	echo "picture.sh: waited in vain until the screen $*" >&2
	tmux capture-pane -p -t p >&2
	exit 1
}

# types TEXT types it and presses Enter.
types() {
	tmux send-keys -t p -l "$1"
	tmux send-keys -t p Enter
}

# step CAPTION adds the screen as it is, below a caption.
step() {
	printf '\e[0;1m%s\e[0m\n\n' "$1"
	tmux capture-pane -e -p -t p
	printf '\e[0m\n'
} >>"$work/steps.ansi"

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
waits shows 'missing required index'
step '1. A note that no agent will find'
types ':lua vim.lsp.buf.code_action()'
waits shows 'Create projects/MEMORY.md'
step '2. The quick fix'
types 1
waits lacks 'missing required index'
types ':wa | vsplit projects/MEMORY.md'
waits shows '# Projects'
step '3. The index with links to the notes; what is left is advice'
cd - >/dev/null
go run github.com/charmbracelet/freeze@v0.2.2 --language ansi --window --padding 12 --font.family monospace \
	--output "$out" <"$work/steps.ansi"
