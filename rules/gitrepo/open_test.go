package gitrepo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memls/memls/rules/config"
)

// layouts are the ways a working tree can be tied to its repository. make
// builds one in s and returns the directory to open.
var layouts = []struct {
	name string
	// plain says that no git process is needed to open it.
	plain bool
	make  func(s sandbox) (dir string)
}{
	{"plain", true, func(s sandbox) string {
		s.git("init", "-q", "r")
		return "r"
	}},
	{"worktree", true, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.in("r").commit("a.md", "a")
		s.in("r").git("worktree", "add", "-q", "../wt")
		return "wt"
	}},
	{"worktree of a bare repository", true, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.in("r").commit("a.md", "a")
		s.git("clone", "-q", "--bare", "r", "bare.git")
		s.in("bare.git").git("worktree", "add", "-q", "../wt")
		return "wt"
	}},
	{"separate git directory", true, func(s sandbox) string {
		s.git("init", "-q", "--separate-git-dir=elsewhere", "r")
		return "r"
	}},
	{"submodule", false, func(s sandbox) string {
		s.git("init", "-q", "lib")
		s.in("lib").commit("a.md", "a")
		s.git("init", "-q", "r")
		s.in("r").git("submodule", "-q", "add", "../lib", "sub")
		return "r/sub"
	}},
	{"sha256", true, func(s sandbox) string {
		s.git("init", "-q", "--object-format=sha256", "r")
		return "r"
	}},
	{"extensions of no consequence", true, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.in("r").git("config", "core.repositoryformatversion", "1")
		s.in("r").git("config", "extensions.preciousObjects", "true")
		s.in("r").git("config", "extensions.worktreeConfig", "true")
		return "r"
	}},
	{"worktree configuration", false, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.in("r").git("config", "extensions.worktreeConfig", "true")
		s.in("r").git("config", "--worktree", "core.bare", "false")
		return "r"
	}},
	{"core.worktree", false, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.write("r/tree/x", "")
		s.in("r").git("config", "core.worktree", "../tree")
		return "r"
	}},
	{"core.worktree outside", false, func(s sandbox) string {
		s.git("init", "-q", "r")
		s.write("tree/x", "")
		s.in("r").git("config", "core.worktree", "../../tree")
		return "r"
	}},
	{"a newline in the directory's name", true, func(s sandbox) string {
		s.git("init", "-q", "r\nr")
		return "r\nr"
	}},
}

// place is what a Repo says of where things are.
type place struct {
	Top, GitDir, CommonDir, Index string
	OIDSize                       int
}

func placeOf(r *Repo) place { return place{r.Top, r.GitDir, r.CommonDir, r.index, r.OIDSize} }

// gitPlace is the same in git's own words.
func gitPlace(s sandbox) place {
	ask := func(args ...string) string {
		return strings.TrimSuffix(s.git(append([]string{"rev-parse", "--path-format=absolute"}, args...)...), "\n")
	}
	p := place{ask("--show-toplevel"), ask("--git-dir"), ask("--git-common-dir"), ask("--git-path", "index"), 20}
	if ask("--show-object-format") == "sha256" {
		p.OIDSize = 32
	}
	return p
}

// Open and OpenPath find what git finds, and OpenPath starts no process for
// it unless the configuration is out of the ordinary.
func TestOpenLayouts(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			s := newDirectory(t)
			dir := s.in(l.make(s))
			want := gitPlace(dir)
			if d := cmp.Diff(want, placeOf(dir.open())); d != "" {
				t.Errorf("Open (-git +ours):\n%s", d)
			}
			below := filepath.Join(dir.dir, "not", "yet", "there.md")
			r, err := OpenPath(t.Context(), below)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, placeOf(r)); d != "" {
				t.Errorf("OpenPath (-git +ours):\n%s", d)
			}
			if out, err := r.Run(t.Context(), nil, "rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel"); err != nil || string(out) != want.GitDir+"\n"+want.Top+"\n" {
				t.Errorf("a git process finds %q, %v", out, err)
			}
			t.Setenv("PATH", "")
			if _, err := OpenPath(t.Context(), below); (err == nil) != l.plain {
				t.Errorf("OpenPath without git: %v, want success: %t", err, l.plain)
			}
		})
	}
}

func TestOpenBare(t *testing.T) {
	s := newRepo(t, "--bare")
	r := s.open()
	if r.Top != "" || r.GitDir != s.dir || r.CommonDir != s.dir {
		t.Errorf("got %+v, want no Top and the directory itself", placeOf(r))
	}
	if staged, err := r.Staged(t.Context()); err != nil || staged.Len() != 0 {
		t.Errorf("Staged = %v, %v; want an empty tree", staged, err)
	}
}

func TestOpenErrors(t *testing.T) {
	s := newDirectory(t)
	s.write("file.md", "")
	s.git("init", "-q", "r")
	s.write("pointer/.git", "gitdir: nowhere\n")
	s.write("junk/.git", "something else\n")
	for name, c := range map[string]struct {
		dir  string
		want error
		text string
	}{
		"missing":           {"missing", ErrNoDirectory, "missing"},
		"a file":            {"file.md", ErrNoDirectory, "file.md is a file"},
		"not a repository":  {".", ErrNoRepository, s.dir},
		"pointer to nought": {"pointer", ErrNoRepository, "nowhere"},
	} {
		_, err := Open(t.Context(), s.path(c.dir))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: Open: %v; want %v naming %q", name, err, c.want, c.text)
		}
	}
	for dir, text := range map[string]string{"junk/x": "junk/.git", "pointer/x": "nowhere", "file.md": s.dir} {
		_, err := OpenPath(t.Context(), s.path(dir))
		if !errors.Is(err, ErrNoRepository) || !strings.Contains(err.Error(), text) {
			t.Errorf("OpenPath(%s): %v; want ErrNoRepository naming %q", dir, err, text)
		}
	}

	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if _, err := Open(t.Context(), s.path("r")); !errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "safe.directory") {
		t.Errorf("other owner: %v; want ErrOwner with git's advice", err)
	}
	t.Setenv("PATH", "")
	if _, err := Open(t.Context(), s.path("r")); !errors.Is(err, ErrNoGit) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("no git: %v; want ErrNoGit with advice", err)
	}
}

func TestOpenCancelled(t *testing.T) {
	s := newRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, s.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Open = %v, want context.Canceled", err)
	}
}

// In a directory that was removed there is nothing to find, and a clear word
// about it.
func TestOpenRemovedDirectory(t *testing.T) {
	s := newDirectory(t)
	s.write("gone/x", "")
	t.Chdir(s.path("gone"))
	t.Setenv("PWD", "")
	if err := os.RemoveAll(s.path("gone")); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*Repo, error){
		"Open":     func() (*Repo, error) { return Open(t.Context(), "") },
		"OpenHook": func() (*Repo, error) { return OpenHook(t.Context()) },
	} {
		if _, err := open(); !errors.Is(err, ErrNoDirectory) {
			t.Errorf("%s: %v, want ErrNoDirectory", name, err)
		}
	}
}

// A .git directory that is no repository is passed over, as git does; the
// search goes on above it.
func TestOpenPathPassesEmptyDotGit(t *testing.T) {
	s := newRepo(t)
	s.write("inner/.git/x", "")
	r, err := OpenPath(t.Context(), s.path("inner/a.md"))
	if err != nil || r.Top != s.dir {
		t.Fatalf("OpenPath = %+v, %v; want the outer repository", r, err)
	}
	if want := gitPlace(s.in("inner")).Top; want != s.dir {
		t.Errorf("git says %s", want)
	}
}

// A server's environment is about the server, not about the files it is
// asked for; Open honours it only for the repository it names.
func TestOpenAndEnvironment(t *testing.T) {
	s := newDirectory(t)
	for _, dir := range []string{"a", "b", "a/nested"} {
		s.git("init", "-q", dir)
		s.in(dir).commit("in.md", dir)
	}
	s.git("init", "-q", "--bare", "dots")
	s.write("home/sub/x.md", "")
	ask := func(dir string) *Repo {
		t.Helper()
		r, err := Open(t.Context(), s.path(dir))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	t.Chdir(s.path("a"))
	t.Setenv("GIT_DIR", ".git")
	t.Setenv("GIT_INDEX_FILE", ".git/other-index")
	s.in("a").git("read-tree", "--empty") // writes other-index
	for dir, files := range map[string]int{"a": 0, "b": 1, "a/nested": 1} {
		r := ask(dir)
		staged, err := r.Staged(t.Context())
		if err != nil || r.Top != s.path(dir) || staged.Len() != files {
			t.Errorf("%s: Top %s, %v, %v; want %d files", dir, r.Top, staged, err, files)
		}
		// The processes must see the same index.
		if listed, err := r.listIndex(t.Context()); err != nil || len(listed) != files {
			t.Errorf("%s: git lists %d entries, %v; want %d", dir, len(listed), err, files)
		}
	}
	if r, err := OpenPath(t.Context(), s.path("a")); err != nil || r.index != s.path("a/.git/index") {
		t.Errorf("OpenPath honoured GIT_INDEX_FILE: %s, %v", r.index, err)
	}

	// With GIT_DIR and GIT_WORK_TREE alone (a bare repository for the files
	// of a home directory) there is no .git to find.
	os.Unsetenv("GIT_INDEX_FILE")
	t.Setenv("GIT_DIR", s.path("dots"))
	t.Setenv("GIT_WORK_TREE", s.path("home"))
	if r := ask("home/sub"); r.Top != s.path("home") || r.GitDir != s.path("dots") {
		t.Errorf("got %+v, want the repository of the environment", placeOf(r))
	}
}

func TestPolicy(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "a")
	s.git("worktree", "add", "-q", "wt")
	r := s.in("wt").open()
	for _, c := range []struct {
		text  string
		want  config.Policy
		found bool
	}{
		{"", config.LegacyOnly, false},
		{" root-marker\n", config.RootMarker, true},
		{"shared-memory", config.SharedMemory, true},
		{"unheard-of", config.LegacyOnly, false},
	} {
		if c.text != "" {
			s.write(".git/"+config.PolicyFile, c.text)
		}
		if p, found, err := r.Policy(); p != c.want || found != c.found || err != nil {
			t.Errorf("%q: Policy = %v, %t, %v; want %v, %t", c.text, p, found, err, c.want, c.found)
		}
	}
	os.Remove(s.path(".git/" + config.PolicyFile))
	s.write(".git/"+config.PolicyFile+"/x", "")
	if _, _, err := r.Policy(); err == nil {
		t.Error("a policy that cannot be read is no error")
	}
}
