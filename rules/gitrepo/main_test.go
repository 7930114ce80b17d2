package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain cuts git off from the user's and the machine's configuration, and
// plays the hook when a test's hook script starts this binary.
func TestMain(m *testing.M) {
	if os.Getenv("MEMLS_TEST_HOOK") != "" {
		if err := playHook(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "gitrepo-home")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"),
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z", "LC_ALL": "C",
	} {
		os.Setenv(name, value)
	}
	config := "[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// playHook writes what OpenHook and Staged see to the file that the test
// named.
func playHook() error {
	ctx := context.Background()
	r, err := OpenHook(ctx)
	if err != nil {
		return err
	}
	x, err := r.Index(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00", r.Top, r.GitDir, r.CommonDir)
	b.WriteString(listing(x.Entries))
	for f := range r.IndexTree(x).All() {
		if _, err := f.Bytes(); err != nil {
			return err
		}
	}
	return os.WriteFile(os.Getenv("MEMLS_TEST_HOOK"), []byte(b.String()), 0o600)
}

// listing is what `git ls-files -s -z` prints for entries.
func listing(entries []IndexEntry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%06o %v %d\t%s\x00", e.Mode, e.OID, e.Stage, e.Path)
	}
	return b.String()
}

// A sandbox is a directory that a test runs the real git in.
type sandbox struct {
	t   testing.TB
	dir string
}

// newRepo makes a repository; args are for `git init`.
func newRepo(t testing.TB, args ...string) sandbox {
	t.Helper()
	s := newDirectory(t)
	s.git(append([]string{"init", "-q", "--template="}, args...)...)
	return s
}

// newDirectory makes an empty directory, named as git would name it.
func newDirectory(t testing.TB) sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return sandbox{t, dir}
}

// in is the sandbox of a directory below.
func (s sandbox) in(dir string) sandbox { return sandbox{s.t, s.path(dir)} }

func (s sandbox) path(name string) string { return filepath.Join(s.dir, name) }

func (s sandbox) git(args ...string) string {
	s.t.Helper()
	return s.gitInput("", args...)
}

func (s sandbox) gitInput(stdin string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// gitFails runs a git command that ends with an error, such as a merge with
// conflicts.
func (s sandbox) gitFails(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err == nil {
		s.t.Fatalf("git %q did not fail:\n%s", args, out)
	}
}

func (s sandbox) write(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(content), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s sandbox) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// commit writes the files (path, content, path, content...) and commits all
// there is.
func (s sandbox) commit(files ...string) {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		s.write(files[i], files[i+1])
	}
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", "change")
}

func (s sandbox) open() *Repo {
	s.t.Helper()
	r, err := Open(context.Background(), s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Close() })
	return r
}
