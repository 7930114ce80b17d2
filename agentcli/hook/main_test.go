package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// installEnv makes the test binary an installer, for tests that need one in a
// process of its own. It holds InstallOptions as JSON.
const installEnv = "MEMLS_TEST_INSTALL"

const gitConfig = `[user]
	name = Tester
	email = tester@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[gc]
	auto = 0
[maintenance]
	auto = false
`

func TestMain(m *testing.M) {
	if text := os.Getenv(installEnv); text != "" {
		var opts InstallOptions
		err := json.Unmarshal([]byte(text), &opts)
		if err == nil {
			_, err = Install(context.Background(), opts)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(isolated(m))
}

// isolated runs the tests with a git that knows nothing of this machine.
func isolated(m *testing.M) int {
	home, err := os.MkdirTemp("", "memls-hook")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	config := filepath.Join(home, "gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o644); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_SYSTEM": os.DevNull,
	} {
		os.Setenv(name, value)
	}
	if err := makeTemplate(filepath.Join(home, "template")); err != nil {
		panic(err)
	}
	return m.Run()
}

// template is a repository with one commit, made once and copied by each test.
var template string

func makeTemplate(dir string) error {
	template = dir
	if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("a\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "--template="}, {"add", "a.md"}, {"commit", "-q", "-m", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %q: %v: %s", args, err, out)
		}
	}
	return nil
}

// A sandbox is a folder with a fake memhook that logs how it is called and
// exits as FAKE_EXIT says.
type sandbox struct {
	t       *testing.T
	dir     string
	memhook string
	log     string
}

const fakeMemhook = `#!/bin/sh
{ printf 'memhook'; for a in "$@"; do printf ' %s' "$a"; done; echo; } >>"$FAKE_LOG"
exit "${FAKE_EXIT:-0}"
`

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	// git reports resolved paths, so the tests must compare resolved ones.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, dir: dir, memhook: filepath.Join(dir, "bin", "memhook"), log: filepath.Join(dir, "log")}
	s.write(s.memhook, fakeMemhook, 0o755)
	return s
}

func (s *sandbox) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// write makes a file that can be executed at once, see writeAtomic.
func (s *sandbox) write(path, content string, mode os.FileMode) {
	s.t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		s.t.Fatal(err)
	}
}

// repo makes a repository with one commit.
func (s *sandbox) repo(name string) string {
	s.t.Helper()
	dir := s.path(name)
	if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	out, code := s.tryGit(dir, nil, args...)
	if code != 0 {
		s.t.Fatalf("git %q in %s: exit %d\n%s", args, dir, code, out)
	}
	return out
}

// tryGit returns the combined output and the exit code of git.
func (s *sandbox) tryGit(dir string, env []string, args ...string) (string, int) {
	s.t.Helper()
	return s.run(dir, append(append(os.Environ(), "FAKE_LOG="+s.log), env...), "git", args...)
}

func (s *sandbox) run(dir string, env []string, name string, args ...string) (string, int) {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// calls returns what was logged since the last call, lines joined by ", ".
func (s *sandbox) calls() string {
	s.t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	os.Remove(s.log)
	return strings.ReplaceAll(strings.TrimSuffix(string(data), "\n"), "\n", ", ")
}

func (s *sandbox) install(opts InstallOptions) *Result {
	s.t.Helper()
	if opts.Binary == "" {
		opts.Binary = s.memhook
	}
	res, err := Install(s.t.Context(), opts)
	if err != nil {
		s.t.Fatalf("Install(%+v): %v", opts, err)
	}
	return res
}

func (s *sandbox) uninstall(dir string) *Result {
	s.t.Helper()
	res, err := Uninstall(s.t.Context(), dir)
	if err != nil {
		s.t.Fatalf("Uninstall: %v", err)
	}
	return res
}

func (s *sandbox) status(dir string) *Status {
	s.t.Helper()
	st, err := ReadStatus(s.t.Context(), dir)
	if err != nil {
		s.t.Fatalf("ReadStatus: %v", err)
	}
	return st
}

// commit changes a.md in dir and commits it, with -a if no arguments are given;
// exit is memhook's exit code.
func (s *sandbox) commit(dir string, exit int, args ...string) (string, int) {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "a.md"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintln(f, "more")
	f.Close()
	if len(args) == 0 {
		args = []string{"-a"}
	}
	return s.tryGit(dir, []string{fmt.Sprintf("FAKE_EXIT=%d", exit)}, append([]string{"commit", "-q", "-m", "m"}, args...)...)
}

// snapshot describes every file under dir: mode, time, content. Our own corner
// of the git directory is left out, and so is git's object store.
func (s *sandbox) snapshot(dir string) string {
	s.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "memls" || d.Name() == "objects") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path)
		what := info.ModTime().String()
		if link, err := os.Readlink(path); err == nil {
			what = link // a link put back is a new one
		}
		fmt.Fprintf(&b, "%s %s %s %q\n", path, info.Mode(), what, data)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}
