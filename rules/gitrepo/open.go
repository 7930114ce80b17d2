package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Open finds the repository around dir the way git does, with one git
// process. Variables such as GIT_DIR and GIT_INDEX_FILE are honoured when they
// are about that very repository, as in a hook, and dropped when dir lies in
// another one.
//
// Errors wrap ErrNoDirectory, ErrNoRepository, ErrNoGit or ErrOwner.
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := absDir(dir)
	if err != nil {
		return nil, err
	}
	environ := os.Environ()
	found, err := discover(ctx, abs, environment(environ, false))
	if !hasSelector(environ) {
		return found, err
	}
	// What the environment says counts from the process's own directory.
	wd, wdErr := absDir("")
	if wdErr != nil {
		return found, err
	}
	named, namedErr := discover(ctx, wd, environment(environ, true))
	if namedErr != nil {
		return found, err
	}
	switch {
	case err == nil && sameFile(found.GitDir, named.GitDir):
		// With GIT_DIR alone git takes any directory it runs in for the top.
		named.Top = found.Top
		named.env = named.pin(named.env)
		return named, nil
	case err != nil && !errors.Is(err, ErrNoRepository):
		return nil, err
	case within(abs, named.Top) && (err != nil || !within(found.dir(), named.Top)):
		named.env = named.pin(named.env)
		return named, nil
	}
	return found, err
}

func hasSelector(environ []string) bool {
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); isSelector(name) {
			return true
		}
	}
	return false
}

// absDir is dir, "" for the working directory, as an absolute path.
func absDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("%w: the current directory was removed (%v); change to one that exists", ErrNoDirectory, err)
	}
	switch info, err := os.Stat(abs); {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrNoDirectory, err)
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s is a file; name the directory that holds it", ErrNoDirectory, abs)
	}
	return abs, nil
}

// The facts that discover asks for, in the order of git's answer. The top
// level is last, since git fails there in a bare repository, after it has
// printed the others.
var facts = []string{"--show-object-format", "--is-bare-repository", "--git-dir", "--git-common-dir", "--git-path=index", "--show-toplevel"}

func discover(ctx context.Context, dir string, env []string) (*Repo, error) {
	args := []string{"rev-parse", "--path-format=absolute"}
	for _, f := range facts {
		args = append(args, factArgs(f)...)
	}
	out, err := output(ctx, gitCommand(ctx, dir, env, args...))
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	const noTop = "this operation must be run in a work tree"
	if err != nil && strings.Contains(err.Error(), noTop) {
		lines, err = append(lines, ""), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if strings.HasPrefix(lines[0], "--") {
		return nil, fmt.Errorf("%s: this git is older than 2.31, which memls needs; upgrade it", dir)
	}
	if len(lines) != len(facts) {
		// A directory name with a newline: ask for one fact at a time.
		if lines, err = discoverOneByOne(ctx, dir, env, noTop); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	r := &Repo{OIDSize: 20, env: env}
	if lines[0] == "sha256" {
		r.OIDSize = 32
	}
	r.GitDir, r.CommonDir = filepath.FromSlash(lines[2]), filepath.FromSlash(lines[3])
	r.index, r.Top = filepath.FromSlash(lines[4]), filepath.FromSlash(lines[5])
	if r.Top != "" && !leadsTo(r.Top, r.GitDir) {
		// By core.worktree: git processes run there, and must find back.
		r.env = append(slices.Clone(env), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Top)
	}
	return r, nil
}

// leadsTo reports whether git finds the git directory from top, which is the
// top of its working tree, or a directory in that.
func leadsTo(top, gitDir string) bool {
	for dir := top; ; dir = filepath.Dir(dir) {
		if found, err := dotGit(dir); err != nil || found != "" {
			return err == nil && sameFile(found, gitDir)
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func discoverOneByOne(ctx context.Context, dir string, env []string, noTop string) ([]string, error) {
	lines := make([]string, len(facts))
	for i, f := range facts {
		args := append([]string{"rev-parse", "--path-format=absolute"}, factArgs(f)...)
		out, err := output(ctx, gitCommand(ctx, dir, env, args...))
		if err != nil && !strings.Contains(err.Error(), noTop) {
			return nil, err
		}
		lines[i] = strings.TrimSuffix(string(out), "\n")
	}
	return lines, nil
}

func factArgs(fact string) []string { return strings.SplitN(fact, "=", 2) }

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// within reports whether path is dir or below it; dir may be "".
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	for {
		if sameFile(path, dir) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
