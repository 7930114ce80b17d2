package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	goindex "github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/google/go-cmp/cmp"
	"github.com/memls/memls/rules/tree"
)

// oddNames are paths that git holds and that quoting, line-based or UTF-8
// tools trip over.
var oddNames = []string{
	"line\nbreak.md", `quo"te.md`, "tab\there.md", "-leading.md", " space.md", "trailing ", "back\\slash.md",
	"caf\u00e9.md", "cafe\u0301.md", "latin1-\xe9.md", "\x01control.md", "日本/語.md", "dir/-x/\xff\xfe", ":(top)magic.md", "a.md", "a-b", "a/b.md",
	strings.Repeat("d/", 20) + "deep.md", strings.Repeat("long", 60),
}

// stageOdd puts names into the index without touching the file system, which
// may not be able to hold them.
func (s sandbox) stageOdd(names ...string) {
	s.t.Helper()
	oid := strings.TrimSpace(s.gitInput("odd", "hash-object", "-w", "--stdin"))
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "100644 %s 0\t%s\x00", oid, name)
	}
	s.gitInput(b.String(), "update-index", "-z", "--index-info")
}

func conflict(s sandbox) {
	s.commit("both.md", "base\n", "theirs-changed.md", "base\n", "ours-changed.md", "base\n")
	s.git("checkout", "-q", "-b", "other")
	s.commit("both.md", "theirs\n", "theirs-changed.md", "theirs\n", "added.md", "theirs\n")
	s.git("rm", "-q", "ours-changed.md")
	s.commit()
	s.git("checkout", "-q", "main")
	s.git("rm", "-q", "theirs-changed.md")
	s.commit("both.md", "ours\n", "ours-changed.md", "ours\n", "added.md", "ours\n")
	s.gitFails("merge", "-q", "other")
}

// Every kind of index that git writes. ours says that our own decoder must
// manage it; goGit that go-git's does, which is then a second oracle.
var indexes = []struct {
	name        string
	init        []string
	ours, goGit bool
	make        func(s sandbox)
}{
	{"never written", nil, true, false, func(s sandbox) {}},
	{"version 2", nil, true, true, func(s sandbox) { s.commit("a.md", "a", "n/b.md", "b") }},
	{"odd names", nil, true, true, func(s sandbox) { s.stageOdd(oddNames...) }},
	{"odd names, version 4", nil, true, true, func(s sandbox) {
		s.stageOdd(oddNames...)
		s.git("update-index", "--index-version", "4")
	}},
	{"name longer than its length field", nil, true, true, func(s sandbox) {
		var names []string
		for _, n := range []int{4094, 4095, 4096, 5000} {
			names = append(names, strings.Repeat("x", n))
		}
		s.stageOdd(names...)
	}},
	{"version 3: intent to add, skip-worktree", nil, true, true, func(s sandbox) {
		s.commit("a.md", "a", "skip.md", "s", "empty.md", "")
		s.write("later.md", "not staged")
		s.git("add", "-N", "later.md")
		s.git("update-index", "--skip-worktree", "skip.md")
		s.git("update-index", "--assume-unchanged", "a.md")
	}},
	{"version 4 with extended flags", nil, true, true, func(s sandbox) {
		s.commit("a.md", "a", "n/b.md", "b", "n/c.md", "c")
		s.write("later.md", "not staged")
		s.git("add", "-N", "later.md")
		s.git("update-index", "--index-version", "4")
	}},
	{"modes", nil, true, true, func(s sandbox) {
		s.commit("a.md", "a")
		oid := strings.TrimSpace(s.git("rev-parse", "HEAD"))
		blob := strings.TrimSpace(s.git("rev-parse", "HEAD:a.md"))
		s.git("update-index", "--add", "--cacheinfo", "160000,"+oid+",module", "--cacheinfo", "120000,"+blob+",link",
			"--cacheinfo", "100755,"+blob+",run")
	}},
	{"conflict", nil, true, true, conflict},
	{"resolve-undo, untracked cache, end marks", nil, true, false, func(s sandbox) {
		conflict(s)
		s.write("both.md", "done\n")
		s.git("add", "both.md")
		s.git("update-index", "--force-untracked-cache")
		s.git("-c", "index.threads=2", "status")
	}},
	{"no checksum", nil, true, false, func(s sandbox) {
		s.commit("a.md", "a")
		b := s.read(".git/index")
		s.write(".git/index", b[:len(b)-20]+strings.Repeat("\x00", 20))
	}},
	{"sha256", []string{"--object-format=sha256"}, true, false, func(s sandbox) { s.stageOdd(oddNames...) }},
	{"sha256, version 4", []string{"--object-format=sha256"}, true, false, func(s sandbox) {
		s.stageOdd(oddNames...)
		s.git("update-index", "--index-version", "4")
	}},
	{"split", nil, false, false, func(s sandbox) {
		s.commit("a.md", "a", "empty.md", "")
		s.git("update-index", "--split-index")
		s.write("b.md", "b")
		s.write("later.md", "l")
		s.git("add", "b.md")
		s.git("add", "-N", "later.md")
	}},
	{"sparse", nil, false, false, func(s sandbox) {
		s.commit("a.md", "a", "in/b.md", "b", "out/c.md", "c", "out/deep/d.md", "d")
		s.git("sparse-checkout", "init", "--cone", "--sparse-index")
		s.git("sparse-checkout", "set", "in")
	}},
}

// What we read is what `git ls-files -s -z` prints, for every kind of index,
// through our decoder and through the fallback.
func TestIndexAgainstGit(t *testing.T) {
	for _, c := range indexes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRepo(t, c.init...)
			c.make(s)
			r := s.open()
			x, err := r.Index(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := s.git("ls-files", "-s", "-z")
			if d := cmp.Diff(want, listing(x.Entries)); d != "" {
				t.Errorf("Index (-git +ours):\n%s", d)
			}
			for _, e := range x.Entries {
				if e.HasStat != c.ours {
					t.Fatalf("%q read by our decoder: %t, want %t", e.Path, e.HasStat, c.ours)
				}
				if want := e.Path == "later.md"; e.IntentToAdd != want {
					t.Errorf("%q IntentToAdd = %t, want %t", e.Path, e.IntentToAdd, want)
				}
				if want := e.Path == "skip.md"; c.ours && e.SkipWorktree != want {
					t.Errorf("%q SkipWorktree = %t, want %t", e.Path, e.SkipWorktree, want)
				}
			}
			listed, err := r.listIndex(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, listing(listed)); d != "" {
				t.Errorf("fallback (-git +ours):\n%s", d)
			}
			for _, e := range listed {
				if want := e.Path == "later.md"; e.IntentToAdd != want {
					t.Errorf("fallback: %q IntentToAdd = %t, want %t", e.Path, e.IntentToAdd, want)
				}
			}
			if c.goGit {
				compareGoGit(t, s.path(".git/index"), x.Entries)
			}
		})
	}
}

// compareGoGit compares everything that both decoders read, stat data included.
func compareGoGit(t *testing.T, file string, entries []IndexEntry) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var theirs goindex.Index
	if err := goindex.NewDecoder(bytes.NewReader(b)).Decode(&theirs); err != nil {
		t.Fatal(err)
	}
	var want []IndexEntry
	for _, e := range theirs.Entries {
		w := IndexEntry{
			Path: e.Name, Mode: tree.Mode(e.Mode), OID: tree.OID(e.Hash[:]), Stage: uint8(e.Stage),
			IntentToAdd: e.IntentToAdd, SkipWorktree: e.SkipWorktree, HasStat: true,
			Stat: Stat{Dev: e.Dev, Ino: e.Inode, UID: e.UID, GID: e.GID, Size: e.Size},
		}
		if !e.ModifiedAt.IsZero() {
			w.Stat.MTime = e.ModifiedAt.UnixNano()
		}
		if !e.CreatedAt.IsZero() {
			w.Stat.CTime = e.CreatedAt.UnixNano()
		}
		want = append(want, w)
	}
	if d := cmp.Diff(want, entries); d != "" {
		t.Errorf("Index (-go-git +ours):\n%s", d)
	}
}

// The stat data of an entry is that of the file it was staged from.
func TestIndexStat(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "12345")
	x, err := s.open().Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Entries[0].Stat; got.MTime != info.ModTime().UnixNano() || got.Size != 5 {
		t.Errorf("Stat = %+v, want the file's time %d and size 5", got, info.ModTime().UnixNano())
	}
	index, err := os.Stat(s.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	if !x.ModTime.Equal(index.ModTime()) {
		t.Errorf("ModTime = %v, want %v", x.ModTime, index.ModTime())
	}
}

func TestStagedConflict(t *testing.T) {
	s := newRepo(t)
	conflict(s)
	staged, err := s.open().Staged(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for f := range staged.All() {
		b, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got[f.Path] = string(b)
		if !f.Unmerged {
			t.Errorf("%s is not marked Unmerged", f.Path)
		}
	}
	want := map[string]string{
		"added.md": "ours\n", "both.md": "ours\n",
		"ours-changed.md":   "ours\n",   // deleted by them
		"theirs-changed.md": "theirs\n", // deleted by us
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("contents (-want +got):\n%s", d)
	}
}

// An index that cannot be read is an error that names it, never a tree that
// looks empty.
func TestBadIndexFailsClosed(t *testing.T) {
	flip := func(at int) func(s sandbox) {
		return func(s sandbox) {
			b := []byte(s.read(".git/index"))
			b[(at+len(b))%len(b)] ^= 0x40
			s.write(".git/index", string(b))
		}
	}
	for name, damage := range map[string]func(s sandbox){
		"flipped in an entry": flip(40),
		"flipped checksum":    flip(-1),
		"empty":               func(s sandbox) { s.write(".git/index", "") },
		"truncated":           func(s sandbox) { s.write(".git/index", s.read(".git/index")[:50]) },
		"not an index":        func(s sandbox) { s.write(".git/index", strings.Repeat("x", 4096)) },
		"a directory": func(s sandbox) {
			os.Remove(s.path(".git/index"))
			s.write(".git/index/file", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRepo(t)
			s.commit("a.md", "a")
			r := s.open()
			damage(s)
			staged, err := r.Staged(context.Background())
			if err == nil {
				t.Fatalf("Staged has %d files and no error", staged.Len())
			}
			if !errors.Is(err, ErrIndex) || !strings.Contains(err.Error(), filepath.Join(".git", "index")) {
				t.Errorf("error is no ErrIndex or does not name the file: %v", err)
			}
		})
	}
}

func TestStagedWhenRepositoryWentAway(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "a")
	r := s.open()
	if err := os.RemoveAll(s.path(".git")); err != nil {
		t.Fatal(err)
	}
	if staged, err := r.Staged(context.Background()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Staged = %v, %v; want ErrNoRepository", staged, err)
	}
}
