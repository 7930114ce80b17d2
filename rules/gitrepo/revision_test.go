package gitrepo

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memls/memls/rules/tree"
)

// lsTree is what `git ls-tree -r -z` prints for a tree.
func lsTree(t *testing.T, tr *tree.Tree) string {
	t.Helper()
	var entries []IndexEntry
	for f := range tr.All() {
		entries = append(entries, IndexEntry{Path: f.Path, Mode: f.Mode, OID: f.OID})
	}
	if err := tr.Err(); err != nil {
		t.Fatal(err)
	}
	return listing(entries)
}

// asListing brings the output of `git ls-tree -r -z` into the form of
// `git ls-files -s -z`.
func asListing(out string) string {
	var b strings.Builder
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if meta, path, ok := strings.Cut(record, "\t"); ok {
			f := strings.Fields(meta)
			b.WriteString(f[0] + " " + f[2] + " 0\t" + path + "\x00")
		}
	}
	return b.String()
}

// Head is what `git ls-tree -r HEAD` lists, however HEAD and the branch are
// kept. processes is how many git processes that takes.
func TestHead(t *testing.T) {
	for _, c := range []struct {
		name      string
		init      []string
		processes int
		make      func(s sandbox) (dir string)
	}{
		{"branch", nil, 0, func(s sandbox) string { return "." }},
		{"detached", nil, 0, func(s sandbox) string { s.git("checkout", "-q", "--detach"); return "." }},
		{"branch with slashes", nil, 0, func(s sandbox) string { s.git("checkout", "-q", "-b", "a/b/c"); return "." }},
		{"packed refs", nil, 0, func(s sandbox) string {
			s.git("branch", "mai")
			s.git("branch", "x/main")
			s.git("pack-refs", "--all")
			return "."
		}},
		{"packed, then a newer commit", nil, 0, func(s sandbox) string {
			s.git("pack-refs", "--all")
			s.commit("newer.md", "n")
			return "."
		}},
		{"branch is a symbolic ref", nil, 1, func(s sandbox) string {
			s.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
			s.git("symbolic-ref", "HEAD", "refs/heads/alias")
			return "."
		}},
		{"HEAD is a symbolic link", nil, 1, func(s sandbox) string {
			s.git("config", "core.preferSymlinkRefs", "true")
			s.git("symbolic-ref", "HEAD", "refs/heads/main")
			return "."
		}},
		{"worktree", nil, 0, func(s sandbox) string { s.git("worktree", "add", "-q", "wt"); return "wt" }},
		{"everything packed", nil, 1, func(s sandbox) string { s.git("gc", "-q"); return "." }},
		{"shallow", nil, 1, func(s sandbox) string {
			s.commit("second.md", "2")
			s.git("clone", "-q", "--depth=1", "file://"+s.dir, "shallow")
			return "shallow"
		}},
		{"sha256", []string{"--object-format=sha256"}, 0, func(s sandbox) string { return "." }},
		{"sha256, packed", []string{"--object-format=sha256"}, 1, func(s sandbox) string { s.git("gc", "-q"); return "." }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRepo(t, c.init...)
			s.stageOdd(oddNames...)
			s.git("commit", "-q", "-m", "odd names")
			s = s.in(c.make(s))
			want := asListing(s.git("ls-tree", "-r", "-z", "HEAD"))
			r := s.open()
			started := countGit(t)
			head, err := r.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := lsTree(t, head); got != want {
				t.Errorf("Head has\n%q\ngit has\n%q", got, want)
			}
			if n := started(); n != c.processes {
				t.Errorf("%d git processes, want %d", n, c.processes)
			}
		})
	}
}

func TestHeadUnborn(t *testing.T) {
	s := newRepo(t)
	s.write("a.md", "a")
	s.git("add", "a.md")
	for _, name := range []string{"no commit", "orphan branch"} {
		if name == "orphan branch" {
			s.commit()
			s.git("pack-refs", "--all")
			s.git("checkout", "-q", "--orphan", "mai")
		}
		head, err := s.open().Head(t.Context())
		if head != nil || err != nil {
			t.Errorf("%s: Head = %v, %v; want neither", name, head, err)
		}
	}
}

// Damage is never mistaken for a repository without commits or a directory
// without files.
func TestHeadDamaged(t *testing.T) {
	remove := func(s sandbox, rev string) {
		oid := strings.TrimSpace(s.git("rev-parse", rev))
		if err := os.Remove(s.path(".git/objects/" + oid[:2] + "/" + oid[2:])); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		damage func(s sandbox)
		text   string
	}{
		"branch without an id":   {func(s sandbox) { s.write(".git/refs/heads/main", "garbage\n") }, "refs/heads/main is damaged"},
		"branch of another size": {func(s sandbox) { s.write(".git/refs/heads/main", strings.Repeat("1", 64)+"\n") }, "refs/heads/main is damaged"},
		"commit gone":            {func(s sandbox) { remove(s, "HEAD") }, "is missing"},
		"root gone":              {func(s sandbox) { remove(s, "HEAD^{tree}") }, "is missing"},
		"directory gone":         {func(s sandbox) { remove(s, "HEAD:notes") }, `directory "notes"`},
		"HEAD is a blob": {func(s sandbox) {
			s.write(".git/refs/heads/main", s.git("rev-parse", "HEAD:a.md"))
		}, "is a blob"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRepo(t)
			s.commit("a.md", "a", "notes/b.md", "b")
			r := s.open()
			c.damage(s)
			head, err := r.Head(t.Context())
			if err == nil {
				if head == nil {
					t.Fatal("Head says that there is no commit")
				}
				for range head.All() {
				}
				err = head.Err()
			}
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one with %q", err, c.text)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "first")
	s.git("tag", "-a", "-m", "one", "v1")
	s.git("tag", "-a", "-m", "a tag of a tag", "v1-again", "v1")
	s.commit("a.md", "second", "notes/b.md", "b")
	s.git("branch", "a/b")
	r := s.open()
	for _, rev := range []string{
		"HEAD", "main", "HEAD~1", "@{0}", "v1", "v1-again", "v1^{}", "refs/heads/a/b", ":/change",
		s.git("rev-parse", "--short", "HEAD")[:7], strings.TrimSpace(s.git("rev-parse", "HEAD~1")),
	} {
		got, commit, err := r.Revision(t.Context(), rev)
		if err != nil {
			t.Errorf("%s: %v", rev, err)
			continue
		}
		if want := strings.TrimSpace(s.git("rev-parse", "--verify", rev+commitOf(rev))); commit.String() != want {
			t.Errorf("%s: commit %v, want %s", rev, commit, want)
		}
		if d, want := lsTree(t, got), asListing(s.git("ls-tree", "-r", "-z", rev)); d != want {
			t.Errorf("%s: tree %q, want %q", rev, d, want)
		}
	}
	for rev, file := range map[string]string{"HEAD:notes": "b.md", "HEAD^{tree}": "a.md"} {
		got, commit, err := r.Revision(t.Context(), rev)
		if err != nil || commit != "" || !got.Has(file) {
			t.Errorf("%s: %v, commit %v, %v; want a tree with %s and no commit", rev, got, commit, err, file)
		}
	}
	for _, rev := range []string{"", "nope", "-n", "--all", "--help", "^HEAD", "HEAD..v1", "HEAD~99", "HEAD\x00", "HEAD:none", nobody[:12]} {
		if _, _, err := r.Revision(t.Context(), rev); !errors.Is(err, ErrNoRevision) {
			t.Errorf("%q: %v, want ErrNoRevision", rev, err)
		}
	}
	if _, _, err := r.Revision(t.Context(), "HEAD:a.md"); err == nil || !strings.Contains(err.Error(), "is a blob") {
		t.Errorf("a file: %v, want an error that says so", err)
	}
	if _, _, err := r.Revision(t.Context(), nobody); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a full id of nothing: %v, want an error that it is missing", err)
	}
}

// commitOf peels rev to a commit; what follows ":/" is all search text.
func commitOf(rev string) string {
	if strings.HasPrefix(rev, ":/") {
		return ""
	}
	return "^{commit}"
}

func TestRevisionInUnbornRepository(t *testing.T) {
	if _, _, err := newRepo(t).open().Revision(t.Context(), "HEAD"); !errors.Is(err, ErrNoRevision) {
		t.Errorf("Revision = %v, want ErrNoRevision", err)
	}
}

func FuzzParseTree(f *testing.F) {
	oid := strings.Repeat("\x01", 20)
	f.Add("100644 a.md\x00" + oid + "40000 notes\x00" + oid)
	f.Add("100644 \x01\n\xff\x00" + oid)
	f.Add("100644 ..\x00" + oid)
	f.Add("100644 a\x00short")
	f.Add("99 \x00")
	f.Fuzz(func(t *testing.T, data string) {
		entries, err := parseTree(data, 20)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.name == "" || e.name == "." || e.name == ".." || strings.ContainsAny(e.name, "/\x00") || len(e.oid) != 20 {
				t.Fatalf("impossible entry %+v", e)
			}
		}
	})
}
