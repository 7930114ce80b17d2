package lsp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

func (e *editor) hover(uri string, line, character uint32) string {
	e.t.Helper()
	raw := e.call("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "position": protocol.Position{Line: line, Character: character}})
	var h protocol.Hover
	if err := json.Unmarshal(raw, &h); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	return h.Contents.Value
}

func TestHover(t *testing.T) {
	m := newMemory(t, v2(files{
		"projects/MEMORY.md": "# P\n\n- [X](x.md)\n", "projects/x.md": front("X"), "gap/y.md": front("Y"),
		"skills/s/SKILL.md": "---\nname: s\ndescription: This skill should be used when testing.\n---\n", "b.md": "---\nname: B\n---\n",
		".memfs.config.json": `{"version":1,"maxFileCharacters":100,"maxCoreMemoryCharacters":1000}`,
	}))
	e := newEditor(t, vscode)
	for _, tt := range []struct {
		path string
		line uint32
		want []string
	}{
		{"a.md", 5, []string{"**a.md** — core memory", "49 characters of 100 (49 %)", "13 tokens (estimate)", "Core memory: ", " of 1000 characters"}},
		{"projects/x.md", 5, []string{"deferred memory", "49 characters of 100"}},
		{"gap/y.md", 5, []string{"not part of the memory: gap/MEMORY.md is missing"}},
		{"skills/s/SKILL.md", 3, []string{"skill; not memory"}},
		{".memfs.config.json", 0, []string{"limits of this memory"}},
		{"b.md", 0, []string{"**frontmatter-required** — ", "To do: "}},
	} {
		uri := e.openFile(m, tt.path)
		got := e.hover(uri, tt.line, 0)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("hover on %s = %q, want %q in it", tt.path, got, want)
			}
		}
	}
	simple := newEditor(t, plain)
	uri := simple.openFile(m, "a.md")
	if got := simple.hover(uri, 5, 0); !strings.Contains(got, "a.md — core memory") || strings.ContainsAny(got, "*`") {
		t.Errorf("hover = %q, want plain text", got)
	}
}

func TestFixAll(t *testing.T) {
	text := "---\nName: B\ndescription: >\n  one\n  two\n---\n\nText.\n"
	fixed := "---\nname: B\ndescription: \"one two\"\n---\n\nText.\n"
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			m := newMemory(t, v2(files{"b.md": text, "other.md": text}))
			e := newEditor(t, clientNamed(p.name))
			uri := e.openFile(m, "b.md")
			e.settle()
			for _, only := range []string{"quickfix", "refactor", "source.organizeImports"} {
				for _, a := range e.actions(uri, everything, only) {
					if string(a.Kind) != only {
						t.Errorf("asked for %s, got %+v", only, a)
					}
				}
			}
			list := e.actions(uri, protocol.Range{}, "source")
			if len(list) != 1 || list[0].Kind != kindFixAll {
				t.Fatalf("actions = %+v, want one that fixes all", list)
			}
			if failure := e.choose(list[0]); failure != "" {
				t.Fatal(failure)
			}
			if got := m.read("b.md"); got != fixed {
				t.Errorf("b.md = %q, want %q", got, fixed)
			}
			if m.read("other.md") != text {
				t.Error("another file was changed")
			}
			if list := e.actions(uri, protocol.Range{}, "source.fixAll"); len(list) != 0 {
				t.Errorf("actions = %+v, want none when all is fixed", list)
			}
		})
	}
	t.Run("as a command", func(t *testing.T) {
		m := newMemory(t, v2(files{"b.md": text}))
		e := newEditor(t, merged(t, vscode, unresolving))
		uri := e.openFile(m, "b.md")
		for _, a := range e.actions(uri, protocol.Range{}) {
			if a.Kind == kindFixAll {
				if a.Command == nil || e.choose(a) != "" {
					t.Errorf("%+v is no command that can be run", a)
				}
			}
		}
		if got := m.read("b.md"); got != fixed {
			t.Errorf("b.md = %q, want %q", got, fixed)
		}
	})
}

// A fix of several findings is offered once, for all of them, and only where
// the range touches one.
func TestActionsOfARange(t *testing.T) {
	m := newMemory(t, v2(nil))
	e := newEditor(t, vscode)
	uri := uriOf(m.path("a.md"))
	e.didOpen(uri, "---\nname: A\ndescription: d\nx: 1\ny: 2\n---\n")
	at := func(line uint32) protocol.Range {
		p := protocol.Position{Line: line, Character: 1}
		return protocol.Range{Start: p, End: p}
	}
	for line, want := range map[uint32]string{1: "", 3: "Delete key 'x'", 4: "Delete key 'y'"} {
		var titles []string
		for _, a := range e.actions(uri, at(line), "quickfix") {
			titles = append(titles, a.Title)
		}
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("actions in line %d = %q, want %q", line, got, want)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	m := newMemory(t, v2(files{"p/x.md": front("X")}))
	e := newEditor(t, kate)
	uri := e.openFile(m, "p/x.md")
	for _, tt := range []struct {
		command string
		args    []any
		want    string
	}{
		{"memls.nope", nil, "unknown command"},
		{"memls.fixAll", nil, "needs the URI"},
		{"memls.fixAll", []any{"file:///nowhere.md"}, "not open, or not in a memory repository"},
		{"memls.createIndexes", []any{uri}, "does not let a server edit files"},
		{"memls.applyFix", []any{map[string]any{"uri": uri, "key": "old"}}, "no longer needed"},
	} {
		_, failure := e.try("workspace/executeCommand", map[string]any{"command": tt.command, "arguments": tt.args})
		if !strings.Contains(failure, tt.want) {
			t.Errorf("%s%v = %s, want an error with %q", tt.command, tt.args, failure, tt.want)
		}
	}
}

// A byte order mark is not in the editor's text, but is there when it saves.
func TestByteOrderMark(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "\xef\xbb\xbf" + front("B"), "MEMORY.md": "# M\n"}))
	e := newEditor(t, vscode)
	uri := uriOf(m.path("b.md"))
	e.didOpen(uri, "---\nname: B\nx: y\n---\n")
	e.settle()
	got := e.of(uri)
	if len(got) == 0 || !strings.HasPrefix(got[0], "0:0-0:3 frontmatter-missing") {
		t.Errorf("shown = %q, want the missing frontmatter at the first line", got)
	}
}

// What the editor decoded is judged as it is on disk.
func TestOtherEncodings(t *testing.T) {
	utf16 := "\xff\xfe"
	for _, c := range front("B") {
		utf16 += string([]byte{byte(c), 0})
	}
	m := newMemory(t, v2(files{"b.md": utf16, "c.md": front("C") + "caf\xe9\n"}))
	e := newEditor(t, vscode)
	for _, tt := range []struct{ path, text, want string }{
		{"b.md", front("B"), "0:0-0:1 text-encoding: UTF-16 (BOM FF FE): save as UTF-8"},
		{"c.md", front("C") + "caf\uFFFD\n", "6:3-6:4 text-encoding: bytes that are not UTF-8 (E9)"},
	} {
		uri := uriOf(m.path(tt.path))
		e.didOpen(uri, tt.text)
		e.settle()
		if got := e.of(uri); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s shows %q, want %q", tt.path, got, tt.want)
		}
		if actions := e.actions(uri, everything, "quickfix"); len(actions) != 0 {
			t.Errorf("%s has actions %+v, which no text edit can do", tt.path, actions)
		}
	}
}

// Without git, or with a damaged repository, the user is told.
func TestNotJudged(t *testing.T) {
	m := newMemory(t, v2(nil))
	if err := os.WriteFile(m.path(".git/index"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, vscode)
	uri := e.openFile(m, "a.md")
	e.settle()
	if list := e.shown[uri].Diagnostics; len(list) != 1 || !strings.Contains(list[0].Message, "not judged: cannot read the index") {
		t.Errorf("shown = %+v, want that the index cannot be read", list)
	}
	m.remove(".git/index")
	m.git("reset", "-q")
	e.expect(uri)

	// Another server, since this one may still know the repository.
	e = newEditor(t, vscode)
	t.Setenv("PATH", t.TempDir())
	e.openFile(m, "a.md")
	e.await("window/showMessage")
	e.settle()
	e.change(uri, "x\n")
	e.settle()
	if n := strings.Count(strings.Join(e.other, "\n"), "git is not on PATH"); n != 1 {
		t.Errorf("messages = %q, want one", e.other)
	}
}
