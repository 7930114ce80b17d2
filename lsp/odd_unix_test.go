//go:build unix

package lsp

import (
	"os"
	"syscall"
	"testing"
)

// makeOdd adds what only some file systems have: links in circles, a pipe, a
// file without permissions.
func makeOdd(t *testing.T, m *memory) {
	t.Helper()
	for _, err := range []error{
		os.Symlink("/", m.path("z")), os.Symlink(".", m.path("loop")),
		syscall.Mkfifo(m.path("pipe.md"), 0o644), os.Chmod(m.path("secret.md"), 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
