package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// named returns the action of that title.
func named(t *testing.T, list []offered, title string) offered {
	t.Helper()
	var titles []string
	for _, a := range list {
		if strings.HasPrefix(a.Title, title) {
			return a
		}
		titles = append(titles, a.Title)
	}
	t.Fatalf("no action %q among %q", title, titles)
	return offered{}
}

// A client that resolves actions gets refactorings by name, and what they do
// when it asks: never for another text than the one that they were offered for.
func TestResolveActions(t *testing.T) {
	m := newMemory(t, v2(files{
		"projects/MEMORY.md": "# P\n\n- [X](x.md)\n", "projects/x.md": front("X") + "[a](../a.md)\n", "b.md": "---\nname: B\n---\n## H\n\nText.\n",
	}))
	e := newEditor(t, vscode)
	uri, index := e.openFile(m, "a.md"), e.openFile(m, "projects/MEMORY.md")
	for _, only := range [][]string{nil, {"refactor"}} {
		for _, a := range e.actions(uri, protocol.Range{}, only...) {
			if a.Edit != nil || a.Command != nil || a.Data == nil {
				t.Errorf("%s has edit %s and command %+v, want neither before it is chosen", a.Title, a.Edit, a.Command)
			}
		}
	}

	demote := named(t, e.actions(uri, protocol.Range{}), "Demote to projects/")
	e.change(index, "# Projects\n\n- [X](x.md)\n") // what is resolved fits the newest text of other files
	if failure := e.choose(demote); failure != "" {
		t.Fatal(failure)
	}
	if got := m.read("projects/MEMORY.md"); !strings.HasPrefix(got, "# Projects\n") || !strings.Contains(got, "(a.md)") {
		t.Errorf("index = %q, want the new title and a.md", got)
	}

	b := e.openFile(m, "b.md")
	e.change(b, front("B")+"## H\n\nText.\n")
	split := named(t, e.actions(b, protocol.Range{Start: protocol.Position{Line: 6}, End: protocol.Position{Line: 6}}), "Move the section H")
	e.change(b, front("B")+"Else.\n\n## H\n\nOther text.\n")
	if failure := e.choose(split); !strings.Contains(failure, "-32801") || !strings.Contains(failure, "has changed") {
		t.Errorf("an action of an older text gives %s, want that the content was modified", failure)
	}
	m.write(files{"h.md": "taken\n"})
	e.event(m.path("h.md"))
	split = named(t, e.actions(b, protocol.Range{Start: protocol.Position{Line: 8}, End: protocol.Position{Line: 8}}), "Move the section H")
	if failure := e.choose(split); !strings.Contains(failure, "h.md: exists already") {
		t.Errorf("an action that cannot be done gives %s, want why", failure)
	}
	e.didClose(b)
	if failure := e.choose(split); !strings.Contains(failure, "is not open") {
		t.Errorf("an action of a closed document gives %s, want that it is not open", failure)
	}
}

// Neovim asks of every action, the ones with edits included.
func TestResolveWhatIsResolved(t *testing.T) {
	m := newMemory(t, v2(files{"projects/x.md": front("X")}))
	e := newEditor(t, vscode)
	uri := e.openFile(m, "projects/x.md")
	var list []json.RawMessage
	mustDecode(t, e.rawActions(uri, everything, "quickfix"), &list)
	if len(list) == 0 {
		t.Fatal("no quick fixes")
	}
	for _, raw := range list {
		var before, after offered
		mustDecode(t, raw, &before)
		mustDecode(t, e.call("codeAction/resolve", raw), &after)
		if before.Edit == nil || string(before.Edit) != string(after.Edit) {
			t.Errorf("%s resolves to the edit %s, want %s", before.Title, after.Edit, before.Edit)
		}
	}
	command := map[string]any{"title": "T", "command": map[string]any{"title": "T", "command": "memls.fixAll", "arguments": []any{uri}}}
	var same offered
	mustDecode(t, e.call("codeAction/resolve", command), &same)
	if same.Command == nil || same.Command.Command != "memls.fixAll" || same.Edit != nil {
		t.Errorf("a command resolves to %+v, want itself", same)
	}
}
