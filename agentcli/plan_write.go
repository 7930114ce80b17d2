package agentcli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/memls/memls/rules"
)

// write carries the plan out. Every file is written beside its place first;
// then deleted files are set aside and the new ones renamed into place, which
// is one step for each. A failure takes back what was done.
func (p *plan) write() (err error) {
	if len(p.steps) == 0 {
		return nil
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return err
	}
	defer root.Close()
	w := writer{root: root, fault: p.fault}
	defer func() {
		if err != nil {
			err = w.undo(err)
		}
		w.clean()
	}()
	staged := make([]string, len(p.steps))
	for i := range p.steps {
		if s := &p.steps[i]; !s.gone {
			if staged[i], err = w.stage(s); err != nil {
				return err
			}
		}
	}
	// Deleted files go first: on a file system that ignores case, one of them
	// may stand where a new one comes.
	for i := range p.steps {
		if s := &p.steps[i]; s.gone {
			if err = w.setAside(s); err != nil {
				return err
			}
		}
	}
	for i := range p.steps {
		if s := &p.steps[i]; !s.gone {
			if err = w.place(s, staged[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// A writer knows what it did, to take it back.
type writer struct {
	root    *os.Root
	fault   func(step string) error
	temps   []string       // to be removed in the end
	dirs    []string       // directories that were created, parents first
	reverts []func() error // in the order of what they take back
}

// reach is called before each change of a file.
func (w *writer) reach(what string, s *step) error {
	if w.fault == nil {
		return nil
	}
	return w.fault(what + " " + s.path)
}

// temp is the name of a file beside path that does not exist.
func (w *writer) temp(p string) string {
	name := path.Join(path.Dir(p), ".memls-"+rand.Text()+".tmp")
	w.temps = append(w.temps, name)
	return name
}

// stage writes the new content beside its place.
func (w *writer) stage(s *step) (string, error) {
	if err := w.reach("stage", s); err != nil {
		return "", err
	}
	if err := w.makeDirs(path.Dir(s.path)); err != nil {
		return "", err
	}
	name := w.temp(s.path)
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, s.mode)
	if err != nil {
		return "", fmt.Errorf("%s: cannot be written: %w", rules.Display(s.path), err)
	}
	_, err = f.Write(s.after)
	if err == nil && !s.created {
		err = f.Chmod(s.mode) // past the umask
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("%s: cannot be written: %w", rules.Display(s.path), err)
	}
	return name, nil
}

func (w *writer) makeDirs(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := w.root.Lstat(dir); err == nil {
		return nil
	}
	if err := w.makeDirs(path.Dir(dir)); err != nil {
		return err
	}
	if err := w.root.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	w.dirs = append(w.dirs, dir)
	return nil
}

func (w *writer) setAside(s *step) error {
	if err := w.reach("set aside", s); err != nil {
		return err
	}
	aside := w.temp(s.path)
	if err := w.root.Rename(s.path, aside); err != nil {
		return err
	}
	w.reverts = append(w.reverts, func() error {
		err := w.root.Rename(aside, s.path)
		if err != nil {
			// It is all there is left of the file.
			w.temps = slices.DeleteFunc(w.temps, func(name string) bool { return name == aside })
			err = fmt.Errorf("%w; its content is in %s", err, aside)
		}
		return err
	})
	return nil
}

func (w *writer) place(s *step, staged string) error {
	if err := w.reach("place", s); err != nil {
		return err
	}
	if err := w.root.Rename(staged, s.path); err != nil {
		return err
	}
	w.reverts = append(w.reverts, func() error {
		if s.created {
			return w.root.Remove(s.path)
		}
		old := *s
		old.after = s.before
		back, err := w.stage(&old)
		if err != nil {
			return err
		}
		return w.root.Rename(back, s.path)
	})
	return nil
}

// undo takes back what was done before cause, the last thing first.
func (w *writer) undo(cause error) error {
	errs := []error{cause}
	for i := len(w.reverts) - 1; i >= 0; i-- {
		if err := w.reverts[i](); err != nil {
			errs = append(errs, fmt.Errorf("could not take a change back: %w", err))
		}
	}
	w.clean()
	for i := len(w.dirs) - 1; i >= 0; i-- {
		_ = w.root.Remove(w.dirs[i]) // not if it has something in it by now
	}
	if len(errs) == 1 {
		return fmt.Errorf("%w; nothing was changed", cause)
	}
	return errors.Join(errs...)
}

// clean removes what is left beside the files.
func (w *writer) clean() {
	for _, name := range w.temps {
		_ = w.root.Remove(name)
	}
	w.temps = nil
}
