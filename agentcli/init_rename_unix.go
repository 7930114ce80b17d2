//go:build unix

package agentcli

import "syscall"

// renameOver moves a directory to where an empty one is, in one step. (os.Rename
// refuses that.)
func renameOver(from, to string) error { return syscall.Rename(from, to) }
