package memory

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/memls/memls/rules/tree"
)

var errRoot = errors.New(root + " itself stays: name a file or directory in it")

// under are the files that a path stands for, with the path: a file, or all of
// a directory.
func (w *Workspace) under(given string) (p string, files []*tree.File, err error) {
	p, err = w.locate(given)
	switch {
	case err != nil:
		return "", nil, err
	case p == "":
		return "", nil, errRoot
	case w.tree.Has(p):
		return p, []*tree.File{w.tree.File(p)}, nil
	case w.tree.Dir(p) == nil:
		return "", nil, w.missing(p)
	}
	for f := range w.tree.Dir(p).All() {
		files = append(files, f)
	}
	return p, files, nil
}

func (w *Workspace) delete(_ context.Context, in *memoryInput) (string, error) {
	p, files, err := w.under(in.Path)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := w.remove(f.Path); err != nil {
			return "", err
		}
	}
	return "Successfully deleted " + spell(p), nil
}

// rename moves a file or directory, and nothing else: what linked to it is told
// of afterwards, since other files are the model's to change.
func (w *Workspace) rename(_ context.Context, in *memoryInput) (string, error) {
	from, to, err := w.move(in.OldPath, in.NewPath)
	if err != nil {
		return "", err
	}
	return "Successfully renamed " + spell(from) + " to " + spell(to), nil
}

func (w *Workspace) move(oldPath, newPath string) (from, to string, err error) {
	from, files, err := w.under(oldPath)
	if err != nil {
		return "", "", err
	}
	ext := ""
	if w.tree.Has(from) {
		ext = path.Ext(from)
	}
	// The old name is no obstacle to the new one, which may differ in case only;
	// a directory that is left empty is.
	before := w.tree
	for _, f := range files {
		if err := w.remove(f.Path); err != nil {
			return "", "", err
		}
	}
	if to, err = w.target(from, newPath, ext); err != nil {
		return "", "", err
	}
	if to != from && before.Dir(to) != nil {
		return "", "", fmt.Errorf("%s exists already, it is a directory: name a path that is free", spell(to))
	}
	for _, f := range files {
		if f.Mode == tree.Symlink {
			return "", "", fmt.Errorf("%s is a symbolic link, which is not followed: it can be deleted, and no more", spell(f.Path))
		}
		text, err := f.Bytes()
		if err != nil {
			return "", "", err
		}
		if err := w.put(to+strings.TrimPrefix(f.Path, from), f.Mode, text); err != nil {
			return "", "", err
		}
	}
	return from, to, nil
}

// target is where something is moved to; ext is what a name without an
// extension gets.
func (w *Workspace) target(from, newPath, ext string) (to string, err error) {
	if to, err = w.locateExact(newPath); err != nil {
		return "", err
	}
	if to != "" && path.Ext(to) == "" && !w.exists(to) {
		to += ext
		if err := w.walk(to); err != nil {
			return "", err
		}
	}
	switch {
	case to == "":
		return "", errRoot
	case to == from:
		return "", fmt.Errorf("%s: the old path and the new one are the same", spell(from))
	case strings.HasPrefix(to, from+"/"):
		return "", fmt.Errorf("%s cannot be moved into itself", spell(from))
	}
	return to, w.free(to)
}
