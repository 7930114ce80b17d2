package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A gitRunner runs git in a directory, apart from whatever repository the
// environment speaks of: init may be called from a hook of another one.
type gitRunner struct {
	dir string
	env []string // beside the isolated environment
}

// keptGitEnv are the variables of git that say how to run it, not on what.
var keptGitEnv = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE",
}

// plainConfig keeps a person's settings from changing what is committed, from
// asking something, or from leaving work behind that runs in a directory which
// is about to be moved.
var plainConfig = []string{
	"-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=" + os.DevNull,
	"-c", "commit.gpgSign=false", "-c", "commit.verbose=false", "-c", "commit.cleanup=verbatim", "-c", "commit.template=",
	"-c", "merge.verifySignatures=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

func isolatedEnv() []string {
	var env []string
next:
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GIT_") {
			name, _, _ := strings.Cut(kv, "=")
			for _, kept := range keptGitEnv {
				if name == kept {
					env = append(env, kv)
					continue next
				}
			}
			continue
		}
		env = append(env, kv)
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_EDITOR=true", "LC_ALL=C", "LANGUAGE=")
}

// run runs git and returns what it prints, without the last line end.
func (g *gitRunner) run(ctx context.Context, args ...string) (string, error) {
	return g.feed(ctx, nil, args...)
}

// feed is run with bytes on git's standard input.
func (g *gitRunner) feed(ctx context.Context, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, plainConfig...), args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, append(isolatedEnv(), g.env...), 2*time.Second
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not on PATH: install git, or add its folder to PATH")
	case err != nil:
		for len(args) > 2 && args[0] == "-c" {
			args = args[2:]
		}
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// Who commits where git does not know.
const (
	agentName  = "Memory Agent"
	agentEmail = "agent@memls.invalid"
)

// identity is who commits: who git says, else an agent.
func (g *gitRunner) identity(ctx context.Context) []string {
	value := func(key, fallback string) string {
		// An error is that of a key that is not set.
		if v, err := g.run(ctx, "config", "--get", key); err == nil && strings.TrimSpace(v) != "" {
			return v
		}
		return fallback
	}
	return []string{"-c", "user.name=" + value("user.name", agentName), "-c", "user.email=" + value("user.email", agentEmail)}
}

var errRefusedByHook = errors.New("a hook of the repository refused the commit")

// commit commits the index through the repository's hooks, and returns the
// commit's name. approve is a person's consent to a change of the config.
func (g *gitRunner) commit(ctx context.Context, message string, approve bool) (string, error) {
	by := *g
	if approve {
		by.env = append(by.env[:len(by.env):len(by.env)], "LETTA_MEMORY_CONSTRAINTS_UPDATE=1")
	}
	_, err := by.feed(ctx, []byte(message+"\n"), append(g.identity(ctx), "commit", "-q", "--allow-empty", "-F", "-")...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		// Git's other failures have other codes.
		return "", fmt.Errorf("%w: %w", errRefusedByHook, err)
	}
	if err != nil {
		return "", err
	}
	return g.run(ctx, "rev-parse", "--verify", "HEAD")
}
