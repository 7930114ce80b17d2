package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

type opKind int

const (
	opKeep   opKind = iota // path becomes a second name or copy of from
	opWrite                // path gets data and mode, whatever it was
	opMove                 // path becomes from
	opRemove               // path goes
)

// An op is one change of a file. Each is atomic, and they are so ordered that
// after any of them the hooks are either the old or the new ones.
type op struct {
	kind opKind
	path string
	from string
	data []byte
	mode os.FileMode
}

// tmpPrefix begins the names of temporary files. Those of a killed process are
// swept by the next one; the lock keeps it from sweeping those of a live one.
const tmpPrefix = ".memls-tmp-"

// apply carries out the ops; dirs are the folders they touch.
func apply(ops []op, dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("cannot make the folder for git hooks: %w", err)
		}
		sweep(dir)
	}
	for _, o := range ops {
		if err := o.do(); err != nil {
			return fmt.Errorf("cannot write %s: %w", o.path, err)
		}
	}
	for _, dir := range dirs {
		syncDir(dir)
	}
	return nil
}

func (o op) do() error {
	switch o.kind {
	case opKeep:
		return keep(o.from, o.path)
	case opMove:
		return os.Rename(o.from, o.path)
	case opRemove:
		return os.Remove(o.path)
	default:
		return writeAtomic(o.path, o.data, o.mode)
	}
}

// keep gives the file a second name, which survives the replacement of the
// first with content, mode, owner and times. Where hard links are not to be
// had it copies. A symbolic link is made anew: link(2) follows it on some
// systems, and a relative target holds, the folder being the same.
func keep(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if err := os.Link(from, to); err == nil || os.IsExist(err) {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeAtomic(to, data, info.Mode().Perm())
}

// writeAtomic replaces path by way of a temporary file beside it. The data are
// on disk before the name is, so that a crash cannot leave an empty hook.
//
// No process is forked meanwhile: until its exec it would hold our descriptor,
// and a file that is open for writing cannot be executed ("text file busy").
func writeAtomic(path string, data []byte, mode os.FileMode) (err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.CreateTemp(filepath.Dir(path), tmpPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	// Not left to the umask: an unreadable hook would fail for the next user.
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// sweep removes what killed processes left. It is housekeeping: a failure to
// do so harms nothing.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tmpPrefix) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// syncDir makes renames durable where folders can be synced; elsewhere the
// file system sees to it.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
