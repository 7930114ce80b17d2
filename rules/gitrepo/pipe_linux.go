package gitrepo

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what an unprivileged process may ask for on an ordinary system.
const pipeSize = 1 << 20

// widen gives a pipe more room than the usual 64 KiB, so that the two sides
// wait for each other less often. It does not matter if the system says no.
func widen(pipe io.Reader) {
	f, ok := pipe.(*os.File)
	if !ok {
		return
	}
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
