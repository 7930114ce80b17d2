package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/memls/memls/rules/gitrepo"
)

const (
	// lockPatience is how long a command waits for another one that writes.
	lockPatience = 30 * time.Second
	// indexPatience is how long it waits for git, which is done in a moment.
	indexPatience = 3 * time.Second
	lockPoll      = 20 * time.Millisecond
	// hookPatience bounds a hook, which may wait for a person who is not there.
	hookPatience = 2 * time.Minute
)

// A writable is a repository that this process alone, of ours, writes to.
type writable struct {
	*app
	*repository
	unlock func()
	temp   string   // our own folder for this run, removed at its end
	who    []string // see identity
}

// openToWrite opens the repository, waits for its turn, and finishes what an
// interrupted command left.
func (a *app) openToWrite(ctx context.Context) (*writable, error) {
	repo, err := a.find(ctx)
	if err != nil {
		return nil, err
	}
	w, err := a.toWrite(ctx, repo)
	if err != nil {
		repo.Close()
	}
	return w, err
}

func (a *app) toWrite(ctx context.Context, repo *repository) (*writable, error) {
	w, err := a.toKeep(ctx, repo)
	if err != nil {
		return nil, err
	}
	if err = w.indexFree(ctx); err == nil {
		err = w.finishPending(ctx)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// toKeep opens the repository for no more than to keep work on a ref, which
// needs neither index nor files: they may be in others' hands.
func (a *app) toKeep(ctx context.Context, repo *repository) (*writable, error) {
	if repo.Top == "" {
		return nil, fmt.Errorf("%s: %w; run this where the files are checked out", repo.GitDir, gitrepo.ErrNoWorktree)
	}
	w := &writable{app: a, repository: repo}
	if err := os.MkdirAll(w.own(), 0o755); err != nil {
		return nil, fmt.Errorf("cannot write to the repository: %w", err)
	}
	var err error
	if w.unlock, err = lockFile(ctx, filepath.Join(w.own(), "write.lock"), a.patience); err != nil {
		return nil, err
	}
	// What a killed run left; nobody else is at work here.
	old, _ := filepath.Glob(filepath.Join(w.own(), "run-*"))
	for _, dir := range old {
		_ = os.RemoveAll(dir)
	}
	if w.temp, err = os.MkdirTemp(w.own(), "run-"); err != nil {
		w.Close()
		return nil, fmt.Errorf("cannot write to the repository: %w", err)
	}
	return w, nil
}

// Close ends the turn.
func (w *writable) Close() {
	if w.temp != "" {
		_ = os.RemoveAll(w.temp)
	}
	w.unlock()
	w.repository.Close()
}

// own is the folder for what is ours alone.
func (r *repository) own() string { return filepath.Join(r.CommonDir, "memls") }

// lockFile waits for a lock that the system frees when its holder dies.
func lockFile(ctx context.Context, path string, patience time.Duration) (func(), error) {
	type locked struct {
		unlock func()
		err    error
	}
	done := make(chan locked, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		done <- locked{unlock, err}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%s: another agentcli is at work in this repository; nothing was changed, try again when it is done", path))
	defer cancel()
	select {
	case l := <-done:
		if l.err != nil {
			return nil, fmt.Errorf("cannot lock the repository: %w", l.err)
		}
		return l.unlock, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// indexFree waits until no git works on the index.
func (w *writable) indexFree(ctx context.Context) error {
	path := filepath.Join(w.GitDir, "index.lock")
	free := func() bool {
		_, err := os.Lstat(path)
		return errors.Is(err, os.ErrNotExist)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, indexPatience, fmt.Errorf(
		"%s: another git is at work in this repository, or one died there. Nothing was changed; wait for it, or remove that file if no git is running", path))
	defer cancel()
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for !free() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// idle refuses to work while git waits for the end of a merge or the like.
func (w *writable) idle(ctx context.Context, what string) error {
	state, err := w.State(ctx)
	if err != nil {
		return err
	}
	if s := state.String(); s != "" {
		return fmt.Errorf("a %s is in progress; nothing was changed. Finish it with git (git status says how) or abort it, then %s", s, what)
	}
	index, err := w.Index(ctx)
	if err != nil {
		return err
	}
	unmerged := map[string]bool{}
	for i := range index.Entries {
		if e := &index.Entries[i]; e.Stage != 0 {
			unmerged[e.Path] = true
		}
	}
	if n := len(unmerged); n > 0 {
		return fmt.Errorf("%s in conflict; nothing was changed. Resolve with git add, then %s", plural(n, "path"), what)
	}
	return nil
}

// A gitCall is one run of git that writes.
type gitCall struct {
	index string // GIT_INDEX_FILE, "" for the repository's own
	stdin []byte
	env   []string
	hook  bool // runs programs of others: they get the environment of git itself
}

// steady keeps a person's settings from asking something or signing, and from
// leaving processes behind.
var steady = []string{"-c", "commit.gpgSign=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.safecrlf=false"}

// do runs git and returns what it prints, without the last line end.
func (w *writable) do(ctx context.Context, call gitCall, args ...string) (string, error) {
	cmd := w.Command(ctx, append(slices.Clone(steady), args...)...)
	cmd.Env = slices.Clone(cmd.Env)
	if call.hook {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return slices.Contains([]string{"GIT_OPTIONAL_LOCKS", "GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"}, name)
		})
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:")
	if !call.hook {
		cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1")
	}
	if call.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+call.index)
	}
	cmd.Env = append(cmd.Env, call.env...)
	cmd.Stdin = bytes.NewReader(call.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if call.hook {
		cmd.Stdout = &errs // as git does with hooks
	}
	err := cmd.Run()
	switch text := strings.TrimSpace(errs.String()); {
	case err == nil:
		return strings.TrimSuffix(out.String(), "\n"), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case text != "":
		return "", &gitFailure{args[0], text, err}
	}
	return "", &gitFailure{args[0], "", err}
}

// A gitFailure is a git that failed, in its own words.
type gitFailure struct {
	command, stderr string
	err             error
}

func (e *gitFailure) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	return fmt.Sprintf("git %s: %v: %s", e.command, e.err, e.stderr)
}

func (e *gitFailure) Unwrap() error { return e.err }

// A hookRefusal is a hook of the repository that does not let a commit pass.
type hookRefusal struct{ name, output string }

func (e *hookRefusal) Error() string { return "the " + e.name + " hook refused the commit" }

// runHook runs one of git's hooks, if it is there, as git commit does.
func (w *writable) runHook(ctx context.Context, index, name string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, hookPatience, fmt.Errorf("the %s hook was not done after %v; nothing was committed", name, hookPatience))
	defer cancel()
	line := []string{"hook", "run", "--ignore-missing", name}
	if len(args) > 0 {
		line = append(append(line, "--"), args...)
	}
	_, err := w.do(ctx, gitCall{index: index, hook: true}, line...)
	failed, ok := errors.AsType[*gitFailure](err)
	if !ok {
		return err
	}
	if exit, ok := errors.AsType[*exec.ExitError](failed.err); ok && exit.ExitCode() == 1 && strings.Contains(failed.stderr, "is not a git command") {
		return fmt.Errorf("this git is older than 2.36, which running hooks needs; upgrade it: %w", err)
	}
	return &hookRefusal{name, failed.stderr}
}

// config is a value of the repository's configuration, "" where it has none.
func (w *writable) config(ctx context.Context, args ...string) string {
	out, err := w.do(ctx, gitCall{}, append([]string{"config"}, args...)...)
	if err != nil {
		return "" // git exits 1 for a key that is not set
	}
	return strings.TrimSpace(out)
}

// identity is who commits, as git's variables: who this repository names, else
// the agent of its letta.agentId, else who git knows of, else an agent of ours.
func (w *writable) identity(ctx context.Context) []string {
	if w.who == nil {
		w.who = w.findIdentity(ctx)
	}
	return slices.Clone(w.who)
}

func (w *writable) findIdentity(ctx context.Context) []string {
	agent := w.config(ctx, "--get", "letta.agentId")
	pick := func(key, ofAgent, ours string) string {
		if v := w.config(ctx, "--local", "--get", key); v != "" {
			return v
		}
		if agent != "" {
			return ofAgent
		}
		if v := w.config(ctx, "--get", key); v != "" {
			return v
		}
		return ours
	}
	name := pick("user.name", "Letta Agent", "Memory Agent")
	email := pick("user.email", agent+"@letta.com", "agent@memls.invalid")
	env := []string{}
	for _, kv := range []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email} {
		// Whoever sets these variables means it.
		if key, _, _ := strings.Cut(kv, "="); os.Getenv(key) == "" {
			env = append(env, kv)
		}
	}
	return env
}
