//go:build unix

package gitrepo

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file belongs to the user we run as. Git refuses
// repositories of others unless safe.directory names them; where this is
// false we leave that decision, and its explanation, to git.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
