package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A home directory with memory here and there, and much else.
func newHome(t *testing.T) (home string, memories []*memory) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(dir string, content files) *memory { return newMemoryAt(t, filepath.Join(home, dir), content) }
	memories = []*memory{
		at(".letta/agents/a-1/memory", v2(files{"one.md": "x\n"})),
		at("code/project", v2(files{"two.md": "x\n"})),
		at("code/project/inner", files{"system/three.md": "x\n"}), // told to be memory by its policy alone
	}
	memories[2].policy("legacy-only")
	memories[2].write(files{"system/three.md": "changed\n"})
	at("code/plain", files{"README.md": "no memory\n"})
	at("node_modules/x", v2(nil))
	at("1/2/3/4/5/6/7", v2(nil)) // too deep
	for link, to := range map[string]string{"loop": home, "code/link": filepath.Join(home, "1/2/3/4/5/6"), "pictures": "/"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		if err := os.MkdirAll(filepath.Join(home, "data", fmt.Sprint(i), "deep", "er"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home, memories
}

func TestScan(t *testing.T) {
	home, memories := newHome(t)
	var all []string
	for _, m := range memories {
		all = append(all, m.dir)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		dir    string
		limits scanLimits
		want   []string
	}{
		{"everything", t.Context(), home, folderLimits, all},
		{"few entries", t.Context(), home, scanLimits{entries: 12, depth: 9, found: 9}, nil},
		{"some entries", t.Context(), home, scanLimits{entries: 350, depth: 9, found: 9}, all[1:2]},
		{"no depth", t.Context(), home, scanLimits{entries: 9999, found: 9}, nil},
		{"one", t.Context(), home, scanLimits{entries: 9999, depth: 9, found: 1}, all[1:2]},
		{"the folder itself", t.Context(), memories[1].dir, folderLimits, all[1:]},
		{"cancelled", cancelled, home, folderLimits, nil},
		{"the root of the file system", t.Context(), filepath.VolumeName(home) + string(filepath.Separator), folderLimits, nil},
		{"nowhere", t.Context(), filepath.Join(home, "nowhere"), folderLimits, nil},
	} {
		if got := scanFor(tt.ctx, tt.dir, tt.limits); !slices.Equal(got, tt.want) {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

// LSP-13: what is asked of the workspace is answered before a file is open.
func TestMemoryBelowAFolder(t *testing.T) {
	home, memories := newHome(t)
	e := newEditorIn(t, vscode, `"workspaceFolders":[{"uri":"`+uriOf(home)+`","name":"home"}]`)
	reported := func() (paths []string) {
		for _, item := range e.pullWorkspace(nil, nil) {
			if item.URI != e.sync {
				paths = append(paths, strings.TrimPrefix(item.URI, uriOf(home)+"/"))
			}
		}
		slices.Sort(paths)
		return slices.Compact(paths)
	}
	want := []string{".letta/agents/a-1/memory/one.md", "code/project/inner/system/three.md", "code/project/two.md"}
	if got := reported(); !slices.Equal(got, want) {
		t.Errorf("reported = %q, want %q", got, want)
	}
	if raw := e.call("workspace/symbol", map[string]any{"query": "two"}); !strings.Contains(string(raw), "code/project/two.md") {
		t.Errorf("symbols = %s, want two.md", raw)
	}
	if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandTree}); !strings.Contains(failure, "several memory repositories") {
		t.Errorf("tree = %s, want that there are several", failure)
	}

	// What is memory changes while the folder is open.
	memories[1].remove(".git")
	made := newMemoryAt(t, filepath.Join(home, "made"), v2(files{"four.md": "x\n"}))
	e.event(made.path("MEMORY.md"))
	want = []string{".letta/agents/a-1/memory/one.md", "code/project/inner/system/three.md", "made/four.md"}
	if got := reported(); !slices.Equal(got, want) {
		t.Errorf("reported after the change = %q, want %q", got, want)
	}
	e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{}, "removed": []any{map[string]any{"uri": uriOf(home), "name": "home"}}}})
	if got := reported(); len(got) != 0 {
		t.Errorf("reported without the folder = %q", got)
	}
}

// The only memory below a folder needs no naming.
func TestCommandBelowAFolder(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	newMemoryAt(t, filepath.Join(home, "agents", "memory"), v2(nil))
	for _, workspace := range []string{
		`"workspaceFolders":[{"uri":"` + uriOf(home) + `","name":"home"}]`,
		`"rootUri":"` + uriOf(home) + `","workspaceFolders":null`,
		`"rootUri":null,"rootPath":` + fmt.Sprintf("%q", home),
	} {
		e := newEditorIn(t, plain, workspace)
		e.didClose(e.sync)
		var tree struct{ Root string }
		mustDecode(t, e.call("workspace/executeCommand", map[string]any{"command": commandTree}), &tree)
		if want := filepath.Join(home, "agents", "memory"); tree.Root != want {
			t.Errorf("%s: the root is %q, want %q", workspace, tree.Root, want)
		}
	}
}
