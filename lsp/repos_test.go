package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Two folders, a repository in another one, and one outside of all: each file
// is judged by its own repository.
func TestManyRepositories(t *testing.T) {
	legacy := newMemory(t, files{"system/x.md": "---\ndescription: X\nother: y\n---\nText.\n"})
	outer := newMemory(t, v2(files{"b.md": "x\n"}))
	inner := newMemoryAt(t, outer.path("projects/inner"), v2(files{"c.md": "x\n"}))
	outside := newMemory(t, v2(files{"d.md": "x\n"}))
	legacy.policy("legacy-only")
	for _, profile := range []string{vscode, helix} {
		e := newEditorIn(t, profile, `"workspaceFolders":[{"uri":"`+uriOf(legacy.dir)+`","name":"l"},{"uri":"`+uriOf(outer.dir)+`","name":"o"}]`)
		e.expect(e.openFile(legacy, "system/x.md"), "frontmatter-key")
		e.expect(e.openFile(outer, "b.md"), "frontmatter-missing")
		e.expect(e.openFile(inner, "c.md"), "frontmatter-missing")
		d := e.openFile(outside, "d.md")
		e.expect(d, "frontmatter-missing")

		e.didClose(d)
		if err := os.RemoveAll(outside.path(".git")); err != nil {
			t.Fatal(err)
		}
		e.expect(e.openFile(outside, "d.md")) // no repository any more
		outside.git("init", "-q")
		outside.git("add", "-A")
	}
}

// Worktrees of one repository have one policy and their own files.
func TestWorktrees(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "x\n"}))
	dir := filepath.Join(t.TempDir(), "tree")
	m.git("worktree", "add", "-q", "-b", "other", dir)
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	second := &memory{t, dir}
	second.write(files{"b.md": front("B")})
	e := newEditor(t, vscode)
	first, other := e.openFile(m, "b.md"), e.openFile(second, "b.md")
	e.expect(first, "frontmatter-missing")
	e.expect(other, "staged-differs")
	m.policy("legacy-only") // shared by both
	e.expect(first)
	e.expect(other)
}

// What the workspace shows follows the folders.
func TestFoldersComeAndGo(t *testing.T) {
	a, b := newMemory(t, v2(files{"x.md": "x\n"})), newMemory(t, v2(files{"y.md": "x\n"}))
	folder := func(m *memory) map[string]any { return map[string]any{"uri": uriOf(m.dir), "name": "f"} }
	e := newEditorIn(t, vscode, `"workspaceFolders":[{"uri":"`+uriOf(a.dir)+`","name":"a"}]`)
	reported := func() (uris []string) {
		for _, item := range e.pullWorkspace(nil, nil) {
			if item.URI != e.sync {
				uris = append(uris, item.URI)
			}
		}
		slices.Sort(uris)
		return uris
	}
	x, y := uriOf(a.path("x.md")), uriOf(b.path("y.md"))
	if got := reported(); !slices.Equal(got, []string{x}) {
		t.Errorf("with the folder a: %q", got)
	}
	e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{folder(b)}, "removed": []any{folder(a)}}})
	if got := reported(); !slices.Equal(got, []string{y}) {
		t.Errorf("with the folder b: %q", got)
	}
	b.remove(".git")
	if got := reported(); len(got) != 0 {
		t.Errorf("without its repository: %q", got)
	}
}
