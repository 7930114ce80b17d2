package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// await receives until the server has sent a method.
func (e *editor) await(method string) incoming {
	e.t.Helper()
	for {
		if m := e.receive(); m.Method == method {
			return m
		}
	}
}

type workspaceItem struct {
	URI, Kind, ResultID string
	Version             *int32
	Items               []struct{ Code, Message string }
}

// pullWorkspace asks for the diagnostics of everything; params are more fields
// of the request.
func (e *editor) pullWorkspace(previous map[string]string, params map[string]any) []workspaceItem {
	e.t.Helper()
	ids := []any{}
	for uri, id := range previous {
		ids = append(ids, map[string]any{"uri": uri, "value": id})
	}
	all := map[string]any{"previousResultIds": ids}
	for k, v := range params {
		all[k] = v
	}
	var report struct{ Items []workspaceItem }
	if raw := e.call("workspace/diagnostic", all); json.Unmarshal(raw, &report) != nil || report.Items == nil {
		e.t.Fatalf("%s is no report", raw)
	}
	return report.Items
}

// rulesOf lists what is reported as "path rule", sorted.
func rulesOf(m *memory, items []workspaceItem) []string {
	list := []string{}
	for _, item := range items {
		path := strings.TrimPrefix(item.URI, uriOf(m.dir)+"/")
		if item.Kind == "unchanged" || len(item.Items) == 0 {
			list = append(list, path+" "+item.Kind)
		}
		for _, d := range item.Items {
			list = append(list, path+" "+d.Code)
		}
	}
	slices.Sort(list)
	return list
}

// LSP-08: each client is told of diagnostics in one way.
func TestPullOrPush(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			m := newMemory(t, v2(files{"b.md": "x\n"}))
			e := newEditor(t, clientNamed(p.name)) // fails when a client that pulls is pushed to
			uri := e.openFile(m, "b.md")
			e.expect(uri, "frontmatter-missing")
			announced := e.server.capabilities().DiagnosticProvider != nil
			if pushed := len(e.log) > 0 && !e.pulls(); announced == pushed {
				t.Errorf("diagnosticProvider announced: %v, pushed: %v, want one of them", announced, pushed)
			}
		})
	}
}

// LSP-10: what an edit changes in other open files reaches them at once: the
// client is told to ask again.
func TestRefreshAfterCrossFileChanges(t *testing.T) {
	m := newMemory(t, v2(files{"projects/x.md": front("X")}))
	e := newEditor(t, vscode)
	x := e.openFile(m, "projects/x.md")
	e.expect(x, "index-chain")

	index := uriOf(m.path("projects/MEMORY.md"))
	e.didOpen(index, "# P\n\n- [X](x.md)\n")
	e.await("workspace/diagnostic/refresh")
	e.expect(x)
	e.change(index, "# P\n")
	e.await("workspace/diagnostic/refresh")
	e.expect(x, "index-unlisted")

	e.didClose(index)
	e.await("workspace/diagnostic/refresh")
	e.expect(x, "index-chain")

	m.write(files{"projects/MEMORY.md": "# P\n\n- [X](x.md)\n"})
	e.event(m.path("projects/MEMORY.md"))
	e.await("workspace/diagnostic/refresh")
	e.expect(x)

	// The editor asks by itself after its own changes.
	e.other = nil
	e.change(x, "x\n")
	e.expect(x, "frontmatter-missing")
	e.change(x, front("X"))
	e.expect(x)
	m.remove("projects/MEMORY.md") // another refresh: none came before it
	e.event(m.path("projects/MEMORY.md"))
	e.await("workspace/diagnostic/refresh")
	if n := strings.Count(strings.Join(e.other, ""), "workspace/diagnostic/refresh"); n != 1 {
		t.Errorf("the server asked %d times, want once: %v", n, e.other)
	}
}

// A client that takes them is told of other open files in the answer about one.
func TestRelatedDocuments(t *testing.T) {
	for client, want := range map[string]int{"neovim-0.12": 0, "vscode": 1} {
		m := newMemory(t, v2(files{"projects/x.md": front("X"), "b.md": "x\n"}))
		e := newEditor(t, clientNamed(client))
		x, b := e.openFile(m, "projects/x.md"), e.openFile(m, "b.md")
		e.expect(x, "index-chain")
		e.expect(b, "frontmatter-missing")

		index := uriOf(m.path("projects/MEMORY.md"))
		e.other = nil
		e.didOpen(index, "# P\n\n- [X](x.md)\n")
		e.pull(index)
		if got := e.of(x); len(got) != want {
			t.Errorf("%s shows %q in x.md before it asks again, want %d", client, got, want)
		}
		if !strings.Contains(strings.Join(e.other, ""), "workspace/diagnostic/refresh") {
			e.await("workspace/diagnostic/refresh") // an answer can be lost
		}
		e.expect(x)
		e.expect(b, "frontmatter-missing")
	}
}

func TestPullUnchanged(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "x\n"}))
	e := newEditor(t, vscode)
	uri := e.openFile(m, "b.md")
	e.expect(uri, "frontmatter-missing")
	first := e.results[uri]
	e.expect(uri, "frontmatter-missing") // fails unless "unchanged" names the result
	e.change(uri, "x\ny\n")
	e.expect(uri, "frontmatter-missing")
	e.change(uri, front("B"))
	e.expect(uri, "staged-differs")
	if e.results[uri] == first {
		t.Error("another result has the same id")
	}
	if raw := e.call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": "file:///nowhere/x.md"}}); !strings.Contains(string(raw), `"kind":"full"`) || !strings.Contains(string(raw), `"items":[]`) {
		t.Errorf("the answer about a file that is not open is %s, want an empty report", raw)
	}
}

func TestWorkspaceDiagnostics(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "x\n", "projects/x.md": front("X"), "projects/y.md": "y\n", "skills/s/SKILL.md": "# S\n"}))
	e := newEditorIn(t, vscode, `"workspaceFolders":[{"uri":"`+uriOf(m.dir)+`","name":"m"}]`)
	items := e.pullWorkspace(nil, nil)
	items = slices.DeleteFunc(items, func(i workspaceItem) bool { return i.URI == e.sync })
	want := []string{"b.md frontmatter-missing", "projects/x.md index-chain", "projects/y.md frontmatter-missing", "projects/y.md index-chain", "skills/s/SKILL.md skill-metadata"}
	if got := slices.Compact(rulesOf(m, items)); !slices.Equal(got, want) {
		t.Errorf("reported without an open file:\n%q\nwant\n%q", got, want)
	}

	previous := map[string]string{}
	for _, item := range items {
		previous[item.URI] = item.ResultID
	}
	uri := uriOf(m.path("b.md"))
	e.didOpen(uri, front("B"))
	m.remove("projects/y.md")
	e.event(m.path("projects/y.md"))
	items = slices.DeleteFunc(e.pullWorkspace(previous, nil), func(i workspaceItem) bool { return i.URI == e.sync })
	want = []string{"b.md staged-differs", "projects/x.md unchanged", "projects/y.md full", "skills/s/SKILL.md unchanged"}
	if got := rulesOf(m, items); !slices.Equal(got, want) {
		t.Errorf("reported after the change: %q, want %q", got, want)
	}
	for _, item := range items {
		if open := item.URI == uri; open != (item.Version != nil) {
			t.Errorf("%s has the version %v", item.URI, item.Version)
		}
	}
}

func TestPartialResults(t *testing.T) {
	content := files{}
	for _, name := range strings.Fields(strings.Repeat("x ", partialSize+1)) {
		content[name+strings.Repeat("y", len(content))+".md"] = "x\n"
	}
	m := newMemory(t, v2(content))
	e := newEditorIn(t, vscode, `"workspaceFolders":[{"uri":"`+uriOf(m.dir)+`","name":"m"}]`)
	e.other = nil
	if items := e.pullWorkspace(nil, map[string]any{"partialResultToken": "p"}); len(items) != 0 {
		t.Errorf("the answer has %d items, want all of them before it", len(items))
	}
	n, parts := 0, 0
	for _, raw := range e.other {
		var m struct {
			Method string
			Params struct {
				Token string
				Value struct{ Items []workspaceItem }
			}
		}
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			t.Fatal(err)
		}
		if m.Method == "$/progress" && m.Params.Token == "p" {
			parts++
			n += len(m.Params.Value.Items)
		}
	}
	if parts != 2 || n < partialSize+1 {
		t.Errorf("%d items in %d parts, want more than %d in 2", n, parts, partialSize)
	}
}

func mustDecode(t testing.TB, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}
