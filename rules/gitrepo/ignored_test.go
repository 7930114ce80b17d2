package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestIgnored(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	rules := "/out/\n*.tmp.md\n!keep.tmp.md\n"
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"a.md": false, "out/a.md": true, "x/y/a.tmp.md": true, "keep.tmp.md": false,
		":(top)a.md": false, "-a.md": false, "*.md": false,
	} {
		if got, err := r.Ignored(t.Context(), path); got != want || err != nil {
			t.Errorf("Ignored(%q) = %v, %v, want %v", path, got, err, want)
		}
	}
	if _, err := r.Ignored(t.Context(), "../a.md"); err == nil {
		t.Error("a path outside of the repository is no error")
	}
}
