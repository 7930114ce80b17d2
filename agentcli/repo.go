package agentcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memls/memls/rules/gitrepo"
)

// A repository is the one that a command works on.
type repository struct {
	*gitrepo.Repo
	// base is the directory, symbolic links resolved, that relative paths on
	// the command line start from.
	base string
}

// root is where the repository lies: its top directory, or the git directory
// of a bare one.
func (r *repository) root() string {
	if r.Top == "" {
		return r.GitDir
	}
	return r.Top
}

// open finds the repository for a command that looks at it.
func (a *app) open(ctx context.Context) (*repository, error) {
	r, err := a.find(ctx)
	if err == nil {
		a.notePending(r)
	}
	return r, err
}

// find finds the repository that the command line or the environment names.
func (a *app) find(ctx context.Context) (*repository, error) {
	dir, named := a.dir, a.dir != ""
	if !named {
		dir = a.env.Getenv("MEMORY_DIR")
	}
	repo, err := gitrepo.Open(ctx, dir)
	switch {
	case errors.Is(err, gitrepo.ErrNoRepository):
		err = fmt.Errorf("%w; name a repository with -C DIR or MEMORY_DIR, or make one with git init", err)
	case errors.Is(err, gitrepo.ErrNoDirectory) && !named && dir != "":
		err = fmt.Errorf("MEMORY_DIR: %w", err)
	}
	if err != nil {
		return nil, err
	}
	r := &repository{Repo: repo}
	r.base = r.baseDir(dir, named)
	return r, nil
}

// baseDir is where relative paths start: DIR of -C, as with git; else the
// working directory, unless MEMORY_DIR names a repository elsewhere.
func (r *repository) baseDir(dir string, named bool) string {
	if !named {
		wd, err := os.Getwd()
		if err == nil && (dir == "" || isWithin(resolved(wd), resolved(r.root()))) {
			return resolved(wd)
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return r.root()
	}
	return resolved(abs)
}

// resolved is the path without symbolic links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// isWithin reports whether path is dir or below it, by their names.
func isWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
