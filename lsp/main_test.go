package lsp

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain cuts git off from the user's and the machine's configuration.
func TestMain(m *testing.M) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "memls-home")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"),
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		os.Setenv(name, value)
	}
	// git's housekeeping would go on in the background when a test is over.
	config := "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// memory is a repository on disk.
type memory struct {
	t   testing.TB
	dir string
}

// files are paths and contents.
type files map[string]string

// newMemory makes a repository with committed files. Its directory has no
// symbolic link in its name.
func newMemory(t testing.TB, content files) *memory {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newMemoryAt(t, dir, content)
}

func newMemoryAt(t testing.TB, dir string, content files) *memory {
	t.Helper()
	m := &memory{t, dir}
	m.write(content)
	m.git("init", "-q")
	m.git("add", "-A")
	m.git("commit", "-q", "--allow-empty", "-m", "first")
	return m
}

// v2 is a small memory in which nothing is wrong, and more files; the root
// index lists those at the root, and child indexes.
func v2(more files) files {
	all := files{"a.md": front("A")}
	maps.Copy(all, more)
	index := "# Memory\n\n"
	for _, path := range slices.Sorted(maps.Keys(all)) {
		dir, name := filepath.Split(path)
		if filepath.Ext(path) == ".md" && (dir == "" || strings.Count(path, "/") == 1 && name == "MEMORY.md") {
			index += fmt.Sprintf("- [%s](%s)\n", path, path)
		}
	}
	all["MEMORY.md"] = index
	return all
}

// front is a file with good frontmatter.
func front(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: About %s\n---\n\nText of %s.\n", name, name, name)
}

func (m *memory) git(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = m.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// all is every file of the working tree.
func (m *memory) all() files {
	m.t.Helper()
	all := files{}
	for _, path := range strings.Split(strings.TrimRight(m.git("ls-files", "-z", "--cached", "--others", "--deduplicate"), "\x00"), "\x00") {
		if _, err := os.Lstat(m.path(path)); err == nil {
			all[path] = m.read(path)
		}
	}
	return all
}

func (m *memory) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *memory) write(content files) {
	m.t.Helper()
	for name, text := range content {
		if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(m.path(name), []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *memory) read(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(m.path(name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

func (m *memory) remove(names ...string) {
	m.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(m.path(name)); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *memory) policy(word string) {
	m.t.Helper()
	if err := os.WriteFile(m.path(".git/letta-memory-layout-policy"), []byte(word+"\n"), 0o644); err != nil {
		m.t.Fatal(err)
	}
}
