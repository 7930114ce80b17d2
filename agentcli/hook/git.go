package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repoEnv are the variables by which a running git names *its* repository. An
// explicitly named folder must not be overruled by them: with GIT_DIR set,
// `git -C other` still looks at GIT_DIR.
var repoEnv = [...]string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX",
	"GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
}

// A repo is what git says about the repository around a folder. All paths are
// absolute, in the system's own notation.
type repo struct {
	git string   // the executable
	dir string   // where git is run
	env []string // its environment

	topLevel  string // "" without a work tree (bare, or inside .git)
	commonDir string
	hooksDir  string
	hooksPath string // core.hooksPath as configured, "" if unset
	scope     string // the configuration level that sets it: local, global, …
}

// locate asks git about the repository around dir.
func locate(ctx context.Context, dir string) (*repo, error) {
	r, err := newRepo(dir)
	if err != nil {
		return nil, err
	}
	// The path comes last, since it may hold a newline.
	out, err := r.path(ctx, "--is-inside-work-tree", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	inside, common, _ := strings.Cut(out, "\n")
	r.commonDir = common
	if inside == "true" {
		if r.topLevel, err = r.path(ctx, "--show-toplevel"); err != nil {
			return nil, err
		}
	}
	if err := r.findHooksDir(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func newRepo(dir string) (*repo, error) {
	env := os.Environ()
	if dir != "" {
		env = withoutRepoEnv(env)
	}
	// Abs fails in a working directory that has been deleted; git would then
	// complain of something else.
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &Error{Kind: ErrNoDir, Message: "the working directory no longer exists: change to another one"}
	}
	// Looked at before git is started, because a missing working directory and
	// a missing git are the same error of exec.
	switch info, err := os.Stat(abs); {
	case errors.Is(err, os.ErrNotExist):
		return nil, &Error{Kind: ErrNoDir, Message: abs + ": directory does not exist"}
	case err != nil:
		return nil, &Error{Kind: ErrNoDir, Message: err.Error()}
	case !info.IsDir():
		return nil, &Error{Kind: ErrNoDir, Message: abs + ": is not a directory"}
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, &Error{Kind: ErrNoGit, Message: "git not found on PATH: install git, or add its folder to PATH"}
	}
	// C messages, because errors are told apart by their text; no optional
	// locks, because nothing here may disturb a git that is at work.
	env = append(env, "LC_ALL=C", "LANGUAGE=", "GIT_OPTIONAL_LOCKS=0")
	return &repo{git: git, dir: abs, env: env}, nil
}

func withoutRepoEnv(env []string) []string {
	kept := make([]string, 0, len(env))
next:
	for _, kv := range env {
		for _, name := range repoEnv {
			if strings.HasPrefix(kv, name+"=") {
				continue next
			}
		}
		kept = append(kept, kv)
	}
	return kept
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
	if r.hooksDir, err = r.path(ctx, "--git-path", "hooks"); err != nil {
		return &Error{Kind: ErrHooksDir, Message: fmt.Sprintf(
			"%s: git cannot tell where its hooks are (core.hooksPath is %q): %v", r.dir, r.hooksPath, err)}
	}
	if info, err := os.Stat(r.hooksDir); err == nil && !info.IsDir() {
		return &Error{Kind: ErrHooksDir, Message: fmt.Sprintf(
			"%s: git's hooks folder is not a directory, so hooks are switched off: set or unset core.hooksPath (set by the %s configuration)", r.hooksDir, r.scope)}
	}
	return nil
}

// path asks rev-parse for one absolute path.
func (r *repo) path(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, append([]string{"rev-parse", "--path-format=absolute"}, args...)...)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(out, "--path-format") { // echoed as an unknown argument
		return "", &Error{Kind: ErrNoGit, Message: r.git + ": this git is too old: 2.31 or later is needed"}
	}
	return filepath.FromSlash(out), nil
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

// run starts git and returns its output without the last newline.
func (r *repo) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.git, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", r.explain(args, strings.TrimSpace(stderr.String()), err)
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// explain turns git's complaint into one of our errors.
func (r *repo) explain(args []string, text string, err error) error {
	switch {
	case strings.Contains(text, "dubious ownership"), strings.Contains(text, "unsafe repository"):
		return &Error{Kind: ErrDubiousOwnership, Message: text}
	case strings.Contains(text, "not a git repository"):
		return &Error{Kind: ErrNotRepo, Message: r.dir + ": not a git repository (nor is any folder above it); run git init there, or name another folder"}
	case text != "":
		return fmt.Errorf("%s: git %s: %s (%w)", r.dir, args[0], text, err)
	}
	return fmt.Errorf("%s: git %s: %w", r.dir, strings.Join(args, " "), err)
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
