package lsp

import (
	"encoding/json"
	"strings"
	"testing"
)

// Files are moved from a list of the memory, where nothing is open.
func TestMoveCommands(t *testing.T) {
	projects := files{"projects/MEMORY.md": "# P\n\n- [X](x.md)\n- [Y](y.md)\n", "projects/x.md": front("X") + "[a](../a.md)\n", "projects/y.md": front("Y")}
	for _, tt := range []struct {
		name, command, path, to string
		want                    files  // "" is a file that is gone
		failure                 string // "" is success
	}{
		{"demote", commandDemote, "a.md", "projects", files{"a.md": "", "projects/a.md": front("A"), "projects/x.md": front("X") + "[a](a.md)\n"}, ""},
		{"demote to a new directory", commandDemote, "a.md", "people", files{"people/a.md": front("A"), "people/MEMORY.md": "# People\n\n- [a.md](a.md)\n"}, ""},
		{"demote what is not core", commandDemote, "projects/x.md", "projects", nil, "projects/x.md: is not core memory"},
		{"promote", commandPromote, "projects/x.md", "", files{"projects/x.md": "", "x.md": front("X") + "[a](a.md)\n"}, ""},
		{"promote an index", commandPromote, "projects/MEMORY.md", "", nil, "only memory files"},
		{"rename", commandMove, "a.md", "b.md", files{"a.md": "", "b.md": front("A"), "projects/x.md": front("X") + "[a](../b.md)\n"}, ""},
		{"move a directory", commandMove, "projects", "work", files{"projects/x.md": "", "work/y.md": front("Y")}, ""},
		{"move over another", commandMove, "projects/x.md", "a.md", nil, "a.md"},
		{"move out", commandMove, "projects/x.md", "../x.md", nil, "x.md"},
		{"nothing", commandMove, "gone.md", "b.md", nil, "gone.md"},
		{"everything", commandMove, "", "b", nil, "is no file of the memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory(t, v2(projects))
			e := newEditor(t, vscode)
			arg := map[string]any{"uri": uriOf(m.path(tt.path)), "to": tt.to}
			_, failure := e.try("workspace/executeCommand", map[string]any{"command": tt.command, "arguments": []any{arg}})
			if tt.failure == "" && failure != "" || !strings.Contains(failure, tt.failure) {
				t.Fatalf("failure = %q, want %q", failure, tt.failure)
			}
			after := m.all()
			for path, want := range tt.want {
				if after[path] != want {
					t.Errorf("%s = %q, want %q", path, after[path], want)
				}
			}
		})
	}
}

// The whole memory is mended, and a rule that is off is left alone.
func TestFixMemory(t *testing.T) {
	m := newMemory(t, v2(files{"projects/x.md": front("X"), "b.md": "---\nname: B\ndescription: a: b\n---\n"}))
	e := newEditorIn(t, vscode, `"rootUri":null,"initializationOptions":{"disabledRules":["yaml-unsafe"]}`)
	var result map[string]int
	raw := e.call("workspace/executeCommand", map[string]any{"command": commandFixMemory, "arguments": []any{uriOf(m.dir)}})
	if err := json.Unmarshal(raw, &result); err != nil || result["files"] == 0 {
		t.Errorf("result = %s, %v, want the number of files", raw, err)
	}
	if all := m.all(); !strings.Contains(all["projects/MEMORY.md"], "(x.md)") || strings.Contains(all["b.md"], `"a: b"`) {
		t.Errorf("files = %q, want an index, and b.md as it was", all)
	}
}
