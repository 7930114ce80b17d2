package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// selectors are the variables by which git finds a repository or one of its
// parts. They belong to the repository of the process that set them, so they
// must not leak into git processes for another one.
var selectors = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
	"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX",
}

// fixed makes git quiet, read-only, offline and its messages English, whatever
// the user's environment says. GIT_ALLOW_PROTOCOL keeps a git that does not
// know GIT_NO_LAZY_FETCH (before 2.39.4) from fetching into a partial clone.
var fixed = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	"GIT_PAGER=cat", "LC_ALL=C", "LANGUAGE=",
}

// environment returns environ for git processes; the selectors stay in it
// only when keep says so.
func environment(environ []string, keep bool) []string {
	env := make([]string, 0, len(environ)+len(fixed))
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); keep || !isSelector(name) {
			env = append(env, kv)
		}
	}
	return append(env, fixed...)
}

// lookup returns the value of a variable in env.
func lookup(env []string, name string) (value string, ok bool) {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v, true
		}
	}
	return "", false
}

func isSelector(name string) bool {
	for _, s := range selectors {
		if name == s || runtime.GOOS == "windows" && strings.EqualFold(name, s) {
			return true
		}
	}
	return false
}

// A GitError is a git process that failed. It wraps the package's typed error
// when git's words tell which one it is.
type GitError struct {
	Command string // the git command, such as "ls-files"
	Stderr  string // what git said, without the final newline
	kind    error
	err     error
}

// Error is one line for a log or a person, in git's words where it has any.
func (e *GitError) Error() string {
	text := strings.TrimPrefix(e.Stderr, "fatal: ")
	switch {
	case e.kind == ErrNoGit:
		return "cannot run git: " + ErrNoGit.Error() + "; install git or add its directory to PATH"
	case text == "":
		text = e.err.Error()
	}
	if e.kind != nil && !strings.HasPrefix(text, e.kind.Error()) {
		return fmt.Sprintf("%v: git %s: %s", e.kind, e.Command, text)
	}
	return fmt.Sprintf("git %s: %s", e.Command, text)
}

// Unwrap gives the typed error and the cause (an *exec.ExitError, or the
// context's error when it was cancelled).
func (e *GitError) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.kind, e.err}
}

// Command prepares a git process at the top level of the repository, which is
// killed when ctx is done. It never asks a person anything, takes no lock that
// it can do without, fetches nothing, and speaks English; variables that name
// another repository do not reach it.
func (r *Repo) Command(ctx context.Context, args ...string) *exec.Cmd {
	return gitCommand(ctx, r.dir(), r.env, args...)
}

// Run runs git at the top level and returns its standard output; stdin may be
// nil. The error is a *GitError.
func (r *Repo) Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := r.Command(ctx, args...)
	cmd.Stdin = stdin
	return output(ctx, cmd)
}

func gitCommand(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	// A grandchild that keeps the pipes open must not keep us waiting.
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// output runs cmd, keeping what it printed even when it fails.
func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), gitError(ctx, cmd, stderr.String(), err)
	}
	return stdout.Bytes(), nil
}

// gitError says what became of a git process that ended with err.
func gitError(ctx context.Context, cmd *exec.Cmd, stderr string, err error) error {
	e := &GitError{Command: subcommand(cmd.Args), Stderr: strings.TrimRight(stderr, "\n"), err: err}
	if ctx.Err() != nil {
		e.err = ctx.Err()
		return e
	}
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot):
		e.kind = ErrNoGit
	case strings.Contains(stderr, "dubious ownership"), strings.Contains(stderr, "unsafe repository"):
		e.kind = ErrOwner
	case strings.Contains(stderr, "not a git repository"):
		e.kind = ErrNoRepository
	case errors.Is(err, os.ErrNotExist):
		e.kind = ErrNoDirectory // the directory went away between stat and start
	}
	return e
}

func subcommand(args []string) string {
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}
