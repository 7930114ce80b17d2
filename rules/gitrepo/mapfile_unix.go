//go:build unix

package gitrepo

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a regular file of at most limit bytes into memory, for the life
// of the process. A hook reads the index and the cache once and ends: mapping
// them costs a small part of copying them into fresh pages. Both files are
// replaced by renaming, never cut short in place; if one is all the same, the
// process dies and git refuses the commit.
func mapFile(path string, limit int64) ([]byte, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errNotAFile
	case info.Size() > limit:
		return nil, nil, tooLarge(info.Size())
	case info.Size() == 0:
		return nil, info, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, errors.Join(errNoMapping, err)
	}
	return b, info, nil
}
