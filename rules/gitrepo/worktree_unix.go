//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package gitrepo

import (
	"errors"

	"golang.org/x/sys/unix"
)

// openFlags make opening a path return an error rather than follow a link or
// wait for a pipe.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

// lstat looks at a path without following a link at its end. It is os.Lstat
// without what that allocates, which shows with ten thousand files.
func lstat(path string) (fileStat, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(path, &st)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EINTR) {
			return fileStat{}, err
		}
	}
	s := fileStat{
		exec: st.Mode&0o100 != 0, size: st.Size, mtime: st.Mtim.Nano(),
		full: true, ctime: st.Ctim.Nano(), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = isFile
	case unix.S_IFLNK:
		s.kind = isLink
	case unix.S_IFDIR:
		s.kind = isDir
	}
	return s, nil
}
