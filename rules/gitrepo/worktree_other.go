//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package gitrepo

import (
	"io/fs"
	"os"
)

// openFlags: this system has no flags against links and pipes at a path.
const openFlags = 0

// lstat looks at a path without following a link at its end. Only size and
// time of change are comparable with what git notes on this system.
func lstat(path string) (fileStat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileStat{}, err
	}
	s := fileStat{exec: info.Mode()&0o100 != 0, size: info.Size(), mtime: info.ModTime().UnixNano()}
	switch info.Mode().Type() {
	case 0:
		s.kind = isFile
	case fs.ModeSymlink:
		s.kind = isLink
	case fs.ModeDir:
		s.kind = isDir
	}
	return s, nil
}
