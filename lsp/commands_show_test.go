package lsp

import (
	"encoding/json"
	"strings"
	"testing"
)

// shownByServer is what the server asked the editor to open.
type shownByServer struct {
	URI   string
	Range struct {
		Start struct{ Line, Character uint32 }
	} `json:"selection"`
}

func (e *editor) opened() (list []shownByServer) {
	e.t.Helper()
	for _, raw := range e.other {
		var m struct {
			Method string
			Params shownByServer
		}
		mustDecode(e.t, json.RawMessage(raw), &m)
		if m.Method == "window/showDocument" {
			list = append(list, m.Params)
		}
	}
	return list
}

// A click on a lens does something in editors that let it.
func TestLensesDoSomething(t *testing.T) {
	m := newMemory(t, v2(files{"one.md": front("One"), "two.md": front("Two") + "[one](one.md)\n", "p/MEMORY.md": "# P\n", "p/x.md": front("X") + "[a](../a.md)\n", "p/y.md": front("Y")}))
	m.write(files{"MEMORY.md": "# M\n\n- [P](p/MEMORY.md)\n- [A](a.md)\n"})
	m.git("commit", "-qam", "index")
	e := newEditor(t, vscode)
	click := func(path, title string) string {
		t.Helper()
		uri := e.openFile(m, path)
		defer e.didClose(uri)
		e.settle()
		e.other = nil
		var lenses []json.RawMessage
		mustDecode(t, e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}), &lenses)
		for _, raw := range lenses {
			var lens struct {
				Command *struct {
					Title, Command string
					Arguments      json.RawMessage
				}
			}
			if mustDecode(t, raw, &lens); lens.Command == nil {
				mustDecode(t, e.call("codeLens/resolve", raw), &lens)
			}
			if strings.Contains(lens.Command.Title, title) {
				_, failure := e.try("workspace/executeCommand", map[string]any{"command": lens.Command.Command, "arguments": lens.Command.Arguments})
				return failure
			}
		}
		t.Fatalf("no lens %q of %s in %s", title, path, lenses)
		return ""
	}

	if failure := click("one.md", "1 link here"); failure != "" {
		t.Error(failure)
	}
	if got := e.opened(); len(got) != 1 || got[0].URI != uriOf(m.path("two.md")) || got[0].Range.Start.Line != 6 {
		t.Errorf("a click on the one link opens %+v, want its place in two.md", got)
	}

	e.choice = "p/x.md:7"
	if failure := click("a.md", "2 links here"); failure != "" {
		t.Error(failure)
	}
	if got := e.opened(); len(got) != 1 || got[0].URI != uriOf(m.path("p/x.md")) || got[0].Range.Start.Line != 6 {
		t.Errorf("the choice %q opens %+v", e.choice, got)
	}

	if failure := click("MEMORY.md", "core memory"); failure != "" {
		t.Error(failure)
	}
	got := e.opened()
	if len(got) != 1 || got[0].URI != uriOf(m.path(".git/memls/prompt.md")) || !strings.Contains(m.read(".git/memls/prompt.md"), "Text of One.") {
		t.Errorf("a click on the budget opens %+v, want the prompt", got)
	}

	if failure := click("p/MEMORY.md", "2 not listed"); failure != "" {
		t.Error(failure)
	}
	if got := m.read("p/MEMORY.md"); !strings.Contains(got, "(x.md)") || !strings.Contains(got, "(y.md)") || strings.Contains(m.read("MEMORY.md"), "one.md") {
		t.Errorf("p/MEMORY.md = %q, want both files, and the root index as it was", got)
	}

	quiet := newEditor(t, kate)
	quiet.openFile(m, "one.md")
	if _, failure := quiet.try("workspace/executeCommand", map[string]any{"command": commandShowLinks, "arguments": []any{uriOf(m.path("one.md"))}}); !strings.Contains(failure, "does not let a server open files") {
		t.Errorf("an editor that opens nothing gets %q", failure)
	}
}
