package agentcli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// killAt makes this test binary the program, which kills itself before the step
// of that number; "0" counts the steps, "-3" has step 3 fail, "^3" is a Ctrl-C
// there.
const killAt = "AGENTCLI_KILL_AT"

func init() {
	at := os.Getenv(killAt)
	if at == "" {
		return
	}
	n := 0
	ctx, interrupt := context.WithCancel(context.Background())
	env := Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Fault: func(step string) error {
		n++
		switch at {
		case fmt.Sprint(-n):
			return errors.New("injected")
		case fmt.Sprintf("^%d", n):
			interrupt()
			return nil
		case fmt.Sprint(n):
		default:
			return nil
		}
		fmt.Fprintf(os.Stderr, "killed before: %s\n", step)
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		if err := self.Kill(); err != nil {
			return err
		}
		select {} // until the signal arrives
	}}
	code := Main(ctx, os.Args[1:], env, "v0.0.0-test")
	if at == "0" {
		fmt.Fprintf(os.Stderr, "steps: %d\n", n)
	}
	os.Exit(code)
}

// runKilled runs the program in dir, and returns what it said.
func runKilled(t *testing.T, dir string, at int, args ...string) (stderr string, err error) {
	t.Helper()
	return runFaulty(t, dir, fmt.Sprint(at), args...)
}

func runFaulty(t *testing.T, dir, at string, args ...string) (stderr string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(gitEnv(t), killAt+"="+at)
	var text strings.Builder
	cmd.Stderr = &text
	err = cmd.Run()
	return text.String(), err
}

// gitEnv is an environment in which git knows nothing of this machine.
func gitEnv(t *testing.T) []string {
	t.Helper()
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "MEMORY_DIR=",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "HOME="+t.TempDir())
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, gitEnv(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// picture is everything of a repository that must not be half: files, index,
// branches and HEAD.
func picture(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	files := read(t, dir)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s: %q\n", name, files[name])
	}
	for _, args := range [][]string{{"ls-files", "--stage"}, {"for-each-ref", "refs/heads", "refs/tags"}, {"symbolic-ref", "HEAD"}, {"status", "--porcelain"}} {
		fmt.Fprintf(&b, "%s\n", git(t, dir, args...))
	}
	return b.String()
}

const (
	frontA = "---\nname: A\ndescription: a\n---\nSee [b](notes/b.md).\n"
	frontB = "---\nname: B\ndescription: b\n---\nSee [a](../a.md).\n"
)

// killRepo is a repository with something staged, changed and new.
func killRepo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mem")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{
		"MEMORY.md": "# Memory\n\n- [A](a.md) — a\n- [Notes](notes/MEMORY.md)\n", "a.md": frontA,
		"notes/MEMORY.md": "# Notes\n\n- [B](b.md) — b\n", "notes/b.md": frontB, "staged.txt": "old\n",
	})
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	git(t, dir, "branch", "side")
	put(t, dir, map[string]string{"a.md": frontA + "More.\n", "staged.txt": "new\n", "new.txt": "new\n"})
	git(t, dir, "add", "staged.txt")
	return dir
}

// Killed before any of its steps, a command leaves the repository as it was, or
// one that the next command makes what it was to be; no lock of git is left,
// and every object is whole.
func TestKilledCommandsLeaveNothingHalf(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "kill.bundle")
	saved := killRepo(t)
	if text, err := runKilled(t, saved, 0, "backup", backup); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for name, c := range map[string]struct {
		args  []string
		fails bool             // the steps are to fail as well
		later func(dir string) // what makes the repository differ
	}{
		"commit":       {args: []string{"commit", "-m", "second"}, fails: true},
		"commit paths": {args: []string{"commit", "-m", "second", "a.md"}},
		"mv file":      {args: []string{"mv", "notes/b.md", "work/c.md"}, fails: true},
		"mv directory": {args: []string{"mv", "notes", "archive"}},
		"restore": {args: []string{"restore", backup}, later: func(dir string) {
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "later")
			git(t, dir, "branch", "-D", "side")
			git(t, dir, "branch", "other")
			put(t, dir, map[string]string{"extra.txt": "extra\n", "a.md": "other\n"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template := killRepo(t)
			if c.later != nil {
				c.later(template)
			}
			prepare := func() string {
				dir := filepath.Join(t.TempDir(), "mem")
				if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			dir := prepare()
			before := picture(t, dir)
			text, err := runKilled(t, dir, 0, c.args...)
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			after := picture(t, dir)
			steps := 0
			if _, err := fmt.Sscanf(text[strings.LastIndex(text, "steps: "):], "steps: %d", &steps); err != nil || steps < 3 || before == after {
				t.Fatalf("%d steps, %v: %s", steps, err, text)
			}
			for at := 1; at <= steps; at++ {
				want := []string{before, after}
				if at == 1 {
					want = want[:1]
				} else if at == steps {
					want = want[1:]
				}
				checkKilled(t, prepare(), at, want, c.args)
			}
			for at := 1; at <= steps && c.fails; at++ {
				checkFailed(t, prepare(), at, []string{before, after}, c.args)
			}
		})
	}
}

func checkKilled(t *testing.T, dir string, at int, want, args []string) {
	t.Helper()
	text, err := runKilled(t, dir, at, args...)
	if err == nil || !strings.Contains(text, "killed before") {
		t.Fatalf("step %d: %v: %s", at, err, text)
	}
	if locks, _ := filepath.Glob(filepath.Join(dir, ".git", "*.lock")); len(locks) > 0 {
		t.Errorf("step %d (%s): locks are left: %v", at, text, locks)
	}
	git(t, dir, "fsck", "--strict", "--no-dangling")
	if said, _ := runKilled(t, dir, 0, "path"); strings.Contains(said, "was interrupted") != isPending(dir) {
		t.Errorf("step %d (%s): a command that looks says %q", at, text, said)
	}
	checkFinished(t, dir, fmt.Sprintf("step %d (%s)", at, text), want)
}

func isPending(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git", "memls", "pending.json"))
	return err == nil
}

func checkFailed(t *testing.T, dir string, at int, want, args []string) {
	t.Helper()
	text, _ := runKilled(t, dir, -at, args...)
	if !strings.Contains(text, "injected") {
		t.Errorf("step %d: does not tell of the failure: %s", at, text)
	}
	checkFinished(t, dir, fmt.Sprintf("failed step %d (%s)", at, text), want)
}

func checkFinished(t *testing.T, dir, what string, want []string) {
	t.Helper()
	// Any command that writes finishes what is left; this one then fails.
	if said, _ := runKilled(t, dir, 0, "mv", "nosuch", "x"); !strings.Contains(said, "no such file") {
		t.Fatalf("%s: %s", what, said)
	}
	if got := picture(t, dir); !slices.Contains(want, got) {
		t.Errorf("%s: is\n%s\n--- but not one of:\n%s", what, got, strings.Join(want, "\n---\n"))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".git", "memls", "*")); len(left) != 1 {
		t.Errorf("%s: left behind: %v", what, left)
	}
}

// Two commands that write at once take turns, and a person's own staging in
// between is not lost.
func TestCommitsAtOnceTakeTurns(t *testing.T) {
	dir := killRepo(t)
	const n = 4
	for i := range n {
		put(t, dir, map[string]string{fmt.Sprintf("data%d.csv", i): "1\n"})
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if text, err := runKilled(t, dir, 0, "commit", "-m", fmt.Sprint("data ", i), fmt.Sprintf("data%d.csv", i)); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	all.Wait()
	if got := git(t, dir, "rev-list", "--count", "HEAD"); got != fmt.Sprint(n+1) {
		t.Errorf("%s commits, want %d", got, n+1)
	}
	if got, want := git(t, dir, "status", "--porcelain"), "M a.md\nM  staged.txt\n?? new.txt"; got != want {
		t.Errorf("status:\n%s\nwant:\n%s", got, want)
	}
	git(t, dir, "fsck", "--strict")
}
