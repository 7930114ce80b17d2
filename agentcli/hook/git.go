package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules/gitrepo"
)

// A repo is what git says about the repository around a folder. All paths are
// absolute, in the system's own notation.
type repo struct {
	git *gitrepo.Repo
	dir string // what people know the repository by

	topLevel  string // "" without a work tree (bare, or inside .git)
	commonDir string
	hooksDir  string
	hooksPath string // core.hooksPath as configured, "" if unset
	scope     string // the configuration level that sets it: local, global, …
}

// locate asks git about the repository around dir; "" is the working
// directory. Errors are those of gitrepo.Open, or of this package.
func locate(ctx context.Context, dir string) (*repo, error) {
	if dir == "" {
		dir = "."
	}
	g, err := gitrepo.Open(ctx, dir)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		err = fmt.Errorf("%w; name the DIR of a repository, or make one with git init", err)
	}
	if err != nil {
		return nil, err
	}
	r := &repo{git: g, dir: g.Top, topLevel: filepath.FromSlash(g.Top), commonDir: filepath.FromSlash(g.CommonDir)}
	if r.dir == "" {
		r.dir = g.GitDir
	}
	if err := r.findHooksDir(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// findHooksDir fills in where hooks are and why.
func (r *repo) findHooksDir(ctx context.Context) error {
	value, err := r.run(ctx, "config", "--show-scope", "-z", "--get", "core.hooksPath")
	var exit *exec.ExitError
	switch {
	case err == nil:
		r.scope, r.hooksPath, _ = strings.Cut(strings.TrimSuffix(value, "\x00"), "\x00")
	case errors.As(err, &exit) && exit.ExitCode() == 1: // unset
	default:
		return err
	}
	if r.topLevel == "" && r.hooksPath != "" && !filepath.IsAbs(r.hooksPath) && !strings.HasPrefix(r.hooksPath, "~") {
		return &Error{Kind: ErrHooksDir, Message: fmt.Sprintf(
			"%s: core.hooksPath is %q, which each work tree resolves for itself, and this is no work tree: run in a work tree instead", r.dir, r.hooksPath)}
	}
	hooks, err := r.run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	r.hooksDir = filepath.FromSlash(hooks)
	if err != nil {
		return &Error{Kind: ErrHooksDir, Message: fmt.Sprintf(
			"%s: git cannot tell where its hooks are (core.hooksPath is %q): %v", r.dir, r.hooksPath, err)}
	}
	if info, err := os.Stat(r.hooksDir); err == nil && !info.IsDir() {
		return &Error{Kind: ErrHooksDir, Message: fmt.Sprintf(
			"%s: git's hooks folder is not a directory, so hooks are switched off: set or unset core.hooksPath (set by the %s configuration)", r.hooksDir, r.scope)}
	}
	return nil
}

// has reports whether a revision such as HEAD:MEMORY.md or :MEMORY.md names an
// object. An unreadable repository is an error, not a "no".
func (r *repo) has(ctx context.Context, rev string) (bool, error) {
	_, err := r.run(ctx, "rev-parse", "--quiet", "--verify", rev)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// run runs git and returns its output without the last newline.
func (r *repo) run(ctx context.Context, args ...string) (string, error) {
	out, err := r.git.Run(ctx, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// inWorkTree reports whether the hooks folder is part of the work tree, and so
// of what `git add` sees; rel is its slash-separated path from the top level.
func (r *repo) inWorkTree() (rel string, ok bool) {
	if r.topLevel == "" || within(r.commonDir, r.hooksDir) {
		return "", false
	}
	rel, err := filepath.Rel(r.topLevel, r.hooksDir)
	return filepath.ToSlash(rel), err == nil && within(r.topLevel, r.hooksDir)
}

// outside reports whether the hooks folder lies neither in the git directory
// nor in the work tree. git has resolved symbolic links in all three.
func (r *repo) outside() bool {
	_, ok := r.inWorkTree()
	return !ok && !within(r.commonDir, r.hooksDir)
}

// shared reports whether the hooks folder was not chosen for this repository:
// it lies outside, and no configuration of this repository says so.
func (r *repo) shared() bool {
	return r.outside() && r.scope != "local" && r.scope != "worktree"
}

// lockPath is in our own corner of the git directory, except where other
// repositories write to the same hooks folder and must meet the same lock.
func (r *repo) lockPath() string {
	if r.outside() {
		return filepath.Join(r.hooksDir, ".memls-hook.lock")
	}
	return filepath.Join(r.commonDir, "memls", "hook.lock")
}

// within reports whether path is root or lies under it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
