package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memls/memls/rules/tree"
)

// Refresh after any edit is the same as listing anew, and that is what git
// would add.
func TestRefreshIsAsGoodAsListingAnew(t *testing.T) {
	needsUnix(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := newPlayground(t)
			p.write("a/one.md", "1")
			p.write("b/c/two.md", "2")
			p.write("x.log", "tracked, ignored")
			p.git("add", "-A")
			p.write(".gitignore", "*.log\n")
			w := p.worktree()
			e := &editor{playground: p, rand: rand.New(rand.NewPCG(seed, 0))}
			for step := range 32 {
				var paths, log []string
				for range 1 + e.rand.IntN(3) {
					what, changed := e.edit()
					paths, log = append(paths, changed...), append(log, fmt.Sprint(what, " ", changed))
				}
				var err error
				w, err = w.Refresh(context.Background(), paths)
				p.must(err)
				fresh := p.worktree()
				what := fmt.Sprintf("step %d: %s", step, strings.Join(log, "; "))
				compare(t, what, listed(t, w), listed(t, fresh))
				if !slices.Equal(w.Skipped, fresh.Skipped) {
					t.Errorf("%s: skipped %v, want %v", what, w.Skipped, fresh.Skipped)
				}
				if step%8 == 7 {
					compare(t, "git add, "+what, listed(t, fresh), p.added())
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// An editor changes a working tree at random and says what it changed, as a
// file watcher would.
type editor struct {
	*playground
	rand *rand.Rand
	// written counts files: each has a time of its own, in the past. Git may
	// compare times by the second, and what it does to line ends depends on
	// whether it takes a file for changed.
	written int
}

func pick[T any](e *editor, from ...T) T { return from[e.rand.IntN(len(from))] }

func (e *editor) name() string {
	dir := pick(e, "", "", "a/", "b/", "b/c/", "odd\n[*]/")
	return dir + pick(e, "one.md", "two.md", "x.log", "c", "new\".md", "a", "kept.tmp")
}

// edit makes one change.
func (e *editor) edit() (what string, changed []string) {
	name := e.name()
	switch n := e.rand.IntN(20); {
	case n < 7:
		return "write", e.replace(name, func(p string) error {
			return e.write(p, pick(e, "a\n", "b\r\n", "c\r\nd\n", ""), pick[os.FileMode](e, 0o644, 0o755))
		})
	case n < 9:
		return "link", e.replace(name, func(p string) error { return os.Symlink(pick(e, "a", ".", "/", "none"), p) })
	case n < 12:
		return "delete", e.replace(name, func(string) error { return nil })
	case n < 13:
		dir := pick(e, "a", "b", "b/c")
		return "delete", e.replace(dir, func(string) error { return nil })
	case n < 14:
		from, to := pick(e, "a", "b/c"), pick(e, "moved", "a/moved", "b/moved.md")
		if err := os.Rename(e.path(from), e.path(to)); err != nil {
			return "no move", nil
		}
		return "move", []string{from, to}
	case n < 15:
		dir := path.Dir(name)
		file := path.Join(dir, ".gitignore")
		return "ignore", e.replace(file, func(p string) error {
			return e.write(p, pick(e, "*.tmp\n", "*.log\n", "c\n", "c/\n", "!x.log\n", "one.*\n"), 0o644)
		})
	case n < 16:
		dir := path.Dir(name)
		file := path.Join(dir, ".gitattributes")
		return "attributes", e.replace(file, func(p string) error {
			return e.write(p, pick(e, "*.md text\n", "* text=auto\n", "* -text\n"), 0o644)
		})
	case n < 17:
		sub := pick(e, "sub", "a/sub", "b/c")
		changed = e.replace(sub, func(p string) error { return os.Mkdir(p, 0o777) })
		e.nested(sub)
		return "repository", append(changed, sub+"/.git/HEAD")
	}
	return e.index(name)
}

// index changes git's side alone, which no watcher of the tree sees.
func (e *editor) index(name string) (what string, changed []string) {
	args := pick(e,
		[]string{"add", "-A"}, []string{"add", "-f", "--", name}, []string{"rm", "-rq", "--cached", "--", name},
		[]string{"rm", "-rq", "--cached", "--", "a"}, []string{"config", "core.autocrlf", pick(e, "true", "false", "input")},
		[]string{"config", "core.fileMode", pick(e, "true", "false")}, []string{"add", "-N", "--", name})
	_, err := e.try("", append([]string{"--literal-pathspecs"}, args...)...)
	return fmt.Sprint("git ", args, err), nil
}

func (e *editor) write(path, content string, mode os.FileMode) error {
	e.written++
	then := time.Now().Add(-time.Hour).Truncate(time.Hour).Add(time.Duration(e.written) * time.Second)
	return errors.Join(os.WriteFile(path, []byte(content), mode), os.Chtimes(path, then, then))
}

// replace removes what is at name, and what is in the way of it, before it
// makes the new thing.
func (e *editor) replace(name string, make func(path string) error) (changed []string) {
	for i := range name {
		if name[i] != '/' {
			continue
		}
		if info, err := os.Lstat(e.path(name[:i])); err == nil && !info.IsDir() {
			e.must(os.Remove(e.path(name[:i])))
			changed = append(changed, name[:i])
		}
	}
	e.must(os.RemoveAll(e.path(name)))
	e.must(os.MkdirAll(path.Dir(e.path(name)), 0o777))
	e.must(make(e.path(name)))
	return append(changed, name)
}

func TestRefreshSharesWhatDidNotChange(t *testing.T) {
	p := newPlayground(t)
	p.write("a.md", "x\n")
	p.write("d/b.md", "x\n")
	p.git("add", "-A")
	p.write("new.md", "x\n")
	w := p.worktree()
	p.write("new.md", "y\n")
	p.write("d/c.md", "y\n")
	next, err := w.Refresh(context.Background(), []string{"new.md", "d/c.md"})
	p.must(err)
	for _, path := range []string{"a.md", "d/b.md"} {
		if w.Tree.File(path) != next.Tree.File(path) {
			t.Errorf("%s was looked at again though it was not named", path)
		}
	}
	all, err := next.Refresh(context.Background(), []string{""})
	p.must(err)
	if w.Tree.File("a.md") != all.Tree.File("a.md") {
		t.Error("listing anew made another file of one with the same id")
	}
	if w.Tree.Has("d/c.md") {
		t.Error("Refresh changed the tree before")
	}
}

func TestRefreshStartsNoProcessForTrackedFiles(t *testing.T) {
	p := newPlayground(t)
	p.write("a.md", "x\n")
	p.write("d/b.md", "x\n")
	p.git("add", "-A")
	p.write("new.md", "x\n")
	w := p.worktree()
	p.write("a.md", "y\n")
	p.write("new.md", "y\n")
	p.must(os.RemoveAll(p.path("d")))
	t.Setenv("PATH", t.TempDir())
	next, err := w.Refresh(context.Background(), []string{"a.md", "new.md", "d"})
	p.must(err)
	compare(t, "refreshed", listed(t, next), map[string]entry{"a.md": {"100644", "y\n"}, "new.md": {"100644", "y\n"}})
}

func TestRefreshNoticesTheIndex(t *testing.T) {
	p := newPlayground(t)
	p.write("kept.log", "x\n")
	p.git("add", "-A")
	p.write(".gitignore", "*.log\n")
	w := p.worktree()
	p.git("rm", "-q", "--cached", "kept.log")
	w, err := w.Refresh(context.Background(), nil)
	p.must(err)
	if w.Tree.Has("kept.log") {
		t.Error("a file that is ignored and no longer tracked is still listed")
	}
	p.git("add", ".gitignore")
	w, err = w.Refresh(context.Background(), nil)
	p.must(err)
	if got, want := w.Tree.File(".gitignore").OID, tree.HashBlob([]byte("*.log\n"), 20); got != want {
		t.Errorf("id after git add = %q, want %v", got, want)
	}
}

// Git writes the index in the instant in which the file was written: only a
// later index can vouch for the file.
func TestRefreshTrustsRacyFilesOnceTheIndexIsNewer(t *testing.T) {
	p := newPlayground(t)
	p.write("a.md", "x\n")
	p.write("other.md", "x\n")
	p.git("add", "a.md")
	p.must(os.Chtimes(p.path(".git/index"), time.Time{}, time.Now().Add(-2*time.Hour)))
	w := p.worktree()
	if oid := w.Tree.File("a.md").OID; oid != "" {
		t.Fatalf("racily clean file has id %v", oid)
	}
	p.git("add", "other.md")
	w, err := w.Refresh(context.Background(), nil)
	p.must(err)
	if got, want := w.Tree.File("a.md").OID, tree.HashBlob([]byte("x\n"), 20); got != want {
		t.Errorf("id under a newer index = %q, want %v", got, want)
	}
}

// What is inside a directory that is named counts, without being named.
func TestRefreshOfDirectories(t *testing.T) {
	tests := map[string]struct {
		before, after func(p *playground)
		name          string
	}{
		"deleted with the attributes of its files": {
			func(p *playground) {
				p.write("d/.gitattributes", "* text\n")
				p.write("d/sub/a.md", "x\r\n")
				p.write("d/.gitignore", "*.log\n")
				p.write("d/b.log", "x\r\n")
			},
			func(p *playground) {
				p.must(os.RemoveAll(p.path("d")))
				p.write("d/sub/a.md", "x\r\n")
				p.write("d/b.log", "x\r\n")
			}, "d",
		},
		"submodule that was missing, now not checked out": {
			func(p *playground) {
				p.nested("d")
				p.git("add", "d")
				p.must(os.RemoveAll(p.path("d")))
			},
			func(p *playground) { p.write("d/a.md", "x") }, "d/a.md",
		},
		"became a repository": {
			func(p *playground) { p.write("d/a.md", "x") },
			func(p *playground) { p.nested("d") }, "d/.git",
		},
		"no longer a repository": {
			func(p *playground) { p.nested("d"); p.write("d/a.md", "x") },
			func(p *playground) { p.must(os.RemoveAll(p.path("d/.git"))) }, "d/.git",
		},
		"file inside a repository": {
			func(p *playground) { p.nested("d") },
			func(p *playground) { p.write("d/a.md", "x") }, "d/a.md",
		},
		"became a file, only its content named": {
			func(p *playground) { p.write("d/sub/a.md", "x") },
			func(p *playground) { p.must(os.RemoveAll(p.path("d"))); p.write("d", "x") }, "d/sub/a.md",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlayground(t)
			test.before(p)
			w := p.worktree()
			listed(t, w)
			test.after(p)
			w, err := w.Refresh(context.Background(), []string{test.name})
			p.must(err)
			compare(t, "refreshed", listed(t, w), p.added())
		})
	}
}

func TestRefreshTakesAnyPath(t *testing.T) {
	p := newPlayground(t)
	p.write("d/a.md", "x")
	w := p.worktree()
	want := map[string]entry{"d/a.md": {"100644", "x"}}
	many := make([]string, 3*maxRoots)
	for i := range many {
		many[i] = fmt.Sprint("none/", i)
	}
	for _, paths := range [][]string{
		nil, {""}, {"."}, {"/"}, {"d/"}, {"/d"}, {"d", "d/a.md", "d/a.md"}, {"../etc"}, {"d/../../etc/hostname"}, {".git/index"}, {".git"},
		{"none/at/all"}, {"d/a.md/below"}, {"d//a.md"}, {"d/a.md\x00"}, {strings.Repeat("long/", 2000)}, many,
	} {
		next, err := w.Refresh(context.Background(), paths)
		if err != nil {
			t.Errorf("Refresh(%.60q): %v", paths, err)
			continue
		}
		compare(t, fmt.Sprintf("Refresh(%.60q)", paths), listed(t, next), want)
	}
}
