package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
)

// A hook in a repository whose last commit is in a pack asks git for it once.
// What it keeps is looked at, never trusted.
func TestHookKeepsPackedHead(t *testing.T) {
	s := newRepo(t)
	s.commit("MEMORY.md", "# Memory\n")
	s.git("repack", "-a", "-d", "-q")
	s.git("prune-packed")
	t.Chdir(s.dir)
	head := func() (listing string) {
		t.Helper()
		r, err := OpenHook(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		tr, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		listing = lsTree(t, tr)
		if err := tr.Err(); err != nil {
			t.Fatal(err)
		}
		return listing
	}
	count := countGit(t)
	want := head()
	asked := count()
	if asked == 0 {
		t.Fatal("the first run did not ask git: the commit is in no pack")
	}
	if got := head(); got != want || count() != asked {
		t.Errorf("the second run says %q with %d git processes more, want %q and none", got, count()-asked, want)
	}

	kept, err := filepath.Glob(filepath.Join(s.path(".git"), "memls", "objects", "*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("nothing is kept: %v", err)
	}
	for _, name := range kept {
		if err := os.WriteFile(name, []byte("tree\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := head(); got != want || count() == asked {
		t.Errorf("with damaged files it says %q, want %q from git", got, want)
	}
}
