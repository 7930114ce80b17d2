package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/memls/memls/rules/tree"
)

// A fileKind is what a path of the file system is, as far as git cares.
type fileKind uint8

const (
	isOther fileKind = iota // pipe, socket, device
	isFile
	isLink
	isDir
)

// A fileStat is what lstat says of a path. Times are nanoseconds since 1970.
type fileStat struct {
	kind        fileKind
	exec        bool // executable by its owner
	size, mtime int64

	full          bool // the rest is known too
	ctime         int64
	ino, uid, gid uint32
}

// A disk is the file system side of a working tree, shared by its snapshots
// until a configuration or attributes file changes.
type disk struct {
	repo     *Repo
	settings func() (settings, error)
	eol      *eolRules
}

// newDisk keeps the values of ctx but not its end: files are read later.
func newDisk(ctx context.Context, r *Repo) *disk {
	ctx = context.WithoutCancel(ctx)
	settings := sync.OnceValues(func() (settings, error) { return r.settings(ctx) })
	return &disk{repo: r, settings: settings, eol: newEOLRules(r, settings)}
}

// path is where a file of the repository is.
func (d *disk) path(name string) string { return d.repo.Top + "/" + name }

// mode is the mode that git gives a file or link; e is its index entry or
// nil (ce_mode_from_stat in git's read-cache.h). Git's configuration matters
// only where disk and index differ in what some file systems cannot tell.
func (d *disk) mode(e *IndexEntry, st fileStat) (tree.Mode, error) {
	if st.kind == isLink {
		return tree.Symlink, nil
	}
	mode := tree.Regular
	if st.exec {
		mode = tree.Executable
	}
	switch {
	case e == nil && mode == tree.Regular, e != nil && e.Mode == mode:
		return mode, nil
	}
	s, err := d.settings()
	switch {
	case err != nil:
		return 0, err
	case e != nil && e.Mode.Type() == tree.Symlink && !s.symlinks:
		return tree.Symlink, nil
	case s.fileMode:
		return mode, nil
	case e != nil && e.Mode.IsRegular():
		return e.Mode, nil
	}
	return tree.Regular, nil
}

// isClean reports whether git would take the file for unchanged without
// looking into it. It is as strict as git, so that a file may only wrongly
// count as changed.
func isClean(e *IndexEntry, st fileStat, mode tree.Mode, indexTime time.Time, emptyBlob tree.OID) bool {
	n := &e.Stat
	switch {
	case !e.HasStat || indexTime.IsZero() || e.Stage != 0 || e.IntentToAdd,
		e.Mode != mode || n.Size != uint32(st.size),
		// Git sets the size to 0 to say "compare the content".
		n.Size == 0 && e.OID != emptyBlob,
		!sameTime(n.MTime, st.mtime):
		return false
	case st.full && (!sameTime(n.CTime, st.ctime) || n.Ino != st.ino || n.UID != st.uid || n.GID != st.gid):
		return false
	}
	return !isRacy(e, indexTime)
}

// isRacy reports whether the file may have changed without a trace, in the
// instant in which the index was written ("racily clean", racy-git.txt).
func isRacy(e *IndexEntry, indexTime time.Time) bool {
	if wholeSeconds(e.Stat.MTime) {
		return e.Stat.MTime/1e9 >= indexTime.Unix()
	}
	return e.Stat.MTime >= indexTime.UnixNano()
}

// sameTime compares what the index noted, which some implementations of git
// note in whole seconds, with what the file system says.
func sameTime(noted, actual int64) bool {
	return noted == actual || wholeSeconds(noted) && noted/1e9 == actual/1e9
}

func wholeSeconds(t int64) bool { return t%1e9 == 0 }

// A diskFile is the Content of a file of the working tree.
type diskFile struct {
	*disk
	kind fileKind
	// staged is the blob that the index has for the path, "" for none.
	staged tree.OID
}

// Read returns the bytes as `git add` would store them. Of a file whose id is
// known they always have that id: when the disk has something else by now, or
// git stores something else (a filter), they come from the object database.
func (d *diskFile) Read(f *tree.File) ([]byte, error) {
	raw, err := d.raw(f)
	if f.OID == "" {
		if err != nil || d.kind == isLink {
			return raw, err
		}
		return d.convert(f.Path, raw)
	}
	if err == nil && tree.HashBlob(raw, d.repo.OIDSize) == f.OID {
		return raw, nil
	}
	if err == nil && hasCRLF(raw) {
		if b := dropCR(raw); tree.HashBlob(b, d.repo.OIDSize) == f.OID {
			return b, nil
		}
	}
	b, blobErr := d.repo.Blob(context.Background(), f.OID)
	if blobErr != nil && err != nil {
		return nil, err
	}
	return b, blobErr
}

func (d *diskFile) raw(f *tree.File) ([]byte, error) {
	if d.kind == isLink {
		target, err := os.Readlink(d.path(f.Path))
		return []byte(target), plainError(err)
	}
	return readFile(d.path(f.Path), maxObject)
}

func (d *diskFile) convert(path string, raw []byte) ([]byte, error) {
	if !hasCRLF(raw) {
		return raw, nil
	}
	action, err := d.eol.action(context.Background(), path)
	if err != nil {
		return nil, err
	}
	return convertEOL(raw, action, func() ([]byte, error) {
		if d.staged == "" {
			return nil, nil
		}
		return d.repo.Blob(context.Background(), d.staged)
	})
}

// readFile reads a regular file of at most limit bytes. It does not follow a
// link and does not wait for the other end of a pipe, should the path have
// become one since it was listed.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errors.New("has become a symbolic link; look again")
	}
	if err != nil {
		return nil, plainError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, plainError(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("is no longer a regular file; look again")
	case info.Size() > limit:
		return nil, tooLarge(info.Size())
	}
	// One byte more than the size, to see the end without another buffer.
	b := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, plainError(err)
		case int64(len(b)) > limit:
			return nil, tooLarge(int64(len(b)))
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

// plainError takes the absolute path out of a system error: the caller names
// the file by its path in the repository.
func plainError(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fmt.Errorf("cannot be read: %w", pathErr.Err)
	}
	return err
}

// realDirs knows which directories of the working tree are real ones. A path
// below a link or a file is not in the working tree, whatever lstat says.
type realDirs struct {
	disk  *disk
	known map[string]bool
}

func (r *realDirs) is(dir string) bool {
	if dir == "" {
		return true
	}
	real, ok := r.known[dir]
	if !ok {
		parent, name := splitPath(dir)
		if isName(name) && r.is(parent) {
			st, err := lstat(r.disk.path(dir))
			// What cannot be looked at is left to the lstat of the file.
			real = err == nil && st.kind == isDir || err != nil && !isGone(err)
		}
		r.known[dir] = real
	}
	return real
}

// isGone reports whether an error of lstat says that there is nothing.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isName rejects path segments that lead elsewhere or that no system takes.
// Git stores none, but an index file can be made by anyone.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && strings.IndexByte(s, 0) < 0
}

func splitPath(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}
