#!/bin/bash
# Mends the example in Kate as a person would, who looks and presses. Keeps what
# the screen shows as kate.png in the directory that $PICTURES names, if it does.
# usage: drive.sh FILE PROBLEM
set -euo pipefail
here=$(dirname "$0")
file=$1 problem=$2

# waits STATUS ROLE TEXT [press] looks until look.py ends with that status.
waits() {
	local status end=$((SECONDS + 120)) # for a busy machine
	while [ $SECONDS -lt $end ]; do
		status=0
		/usr/bin/python3 "$here/look.py" "${@:2}" 2>/dev/null || status=$?
		if [ $status -eq "$1" ]; then return; fi
		sleep 0.1
	done
	echo "drive.sh: waited in vain: $*" >&2
	exit 1
}

kate --new --block "$file" &
waits 0 'push button' Yes press # Kate asks before it starts a server
waits 0 'table cell' "$problem"
if [ -n "${PICTURES:-}" ]; then
	waits 0 'menu item' 'Show LSP' press # the panel with all problems
	waits 0 'table cell' "$problem"
	import -window root -trim "$PICTURES/kate.png"
fi
waits 0 'menu item' 'Quick Fix' press
waits 1 'table cell' "$problem"
waits 0 'menu item' 'Save All' press
waits 0 'menu item' Quit press
wait
