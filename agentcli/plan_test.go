package agentcli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read returns every file below dir but git's.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlanWrite(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.md": "old", "gone.md": "gone", "kept.txt": "kept"})
	if err := os.Chmod(filepath.Join(dir, "a.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	p := &plan{root: dir, steps: []step{
		{path: "a.md", before: []byte("old"), after: []byte("new"), mode: 0o640},
		{path: "gone.md", before: []byte("gone"), gone: true, mode: 0o644},
		{path: "x/y/new.md", after: []byte("made"), created: true, mode: 0o644},
	}}
	if err := p.write(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a.md": "new", "x/y/new.md": "made", "kept.txt": "kept"}
	if d := cmp.Diff(want, read(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, error %v; want that of the old file", info.Mode(), err)
	}
}

// The last step fails, since a directory is in its way: all others are undone.
func TestPlanWriteTakesBackWhatItDid(t *testing.T) {
	dir := t.TempDir()
	before := map[string]string{"a.md": "old", "gone.md": "gone", "z.md/in-the-way": ""}
	put(t, dir, before)
	p := &plan{root: dir, steps: []step{
		{path: "a.md", before: []byte("old"), after: []byte("new"), mode: 0o644},
		{path: "gone.md", before: []byte("gone"), gone: true, mode: 0o644},
		{path: "x/new.md", after: []byte("made"), created: true, mode: 0o644},
		{path: "z.md", after: []byte("made"), created: true, mode: 0o644},
	}}
	err := p.write()
	if err == nil || !strings.HasSuffix(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(before, read(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a directory that was created for it is left")
	}
}

// repoOf makes a repository and returns what fix would work on.
func repoOf(t *testing.T, files map[string]string) (dir string, f *fixRun) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	put(t, dir, files)
	a := &app{env: Env{Stderr: os.Stderr, Getenv: func(string) string { return "" }}, dir: dir}
	repo, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	f = &fixRun{app: a}
	if f.target, err = a.look(t.Context(), repo, atWorktree, ""); err != nil {
		t.Fatal(err)
	}
	return dir, f
}

// Between the judgement and the writing, someone may save a file.
func TestFixDoesNotOverwriteWhatItDidNotJudge(t *testing.T) {
	dir, f := repoOf(t, map[string]string{"MEMORY.md": "# Memory\n", "a.md": "first\n", "b.md": "text\n"})
	result, err := f.target.view.FixAll(context.Background(), nil)
	if err != nil || len(result.Changes) == 0 {
		t.Fatalf("%d changes, error %v", len(result.Changes), err)
	}
	put(t, dir, map[string]string{"a.md": "second\n"})
	if _, err := f.target.plan(t.Context(), result.Changes); err == nil || !strings.Contains(err.Error(), "a.md: was changed by someone else") {
		t.Errorf("error %v", err)
	}
	if got := read(t, dir)["b.md"]; got != "text\n" {
		t.Errorf("b.md is %q", got)
	}
}
