package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// LSP-16: fixes keep line ends and touch nothing else.
func TestFixesKeepLineEnds(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "---\nname: B\n---\n\nbody\n", "c.md": "---\nname: C\n---\n\nno newline"}))
	m.git("config", "core.autocrlf", "true")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	e := newEditor(t, vscode)
	m.write(files{"b.md": crlf(m.read("b.md"))})
	b := e.openFile(m, "b.md")
	e.expect(b, "frontmatter-required")
	e.fix(b, "Add 'description'")
	got := m.read("b.md")
	if strings.Count(got, "\n") != strings.Count(got, "\r\n") || !strings.HasPrefix(got, "---\r\nname: B\r\ndescription: ") || !strings.HasSuffix(got, "---\r\n\r\nbody\r\n") {
		t.Errorf("b.md = %q, want one new line that ends in CRLF", got)
	}
	e.expect(b, "staged-differs")
	for _, a := range e.actions(b, everything) {
		if a.Title == "Add 'description'" {
			t.Error("the fix can be applied twice")
		}
	}
	c := e.openFile(m, "c.md")
	e.settle()
	e.fix(c, "Add 'description'")
	if got := m.read("c.md"); !strings.HasSuffix(got, "no newline") {
		t.Errorf("c.md = %q, want no newline at its end", got)
	}
}

// FM-08: CRLF is judged as git would store it, and can be converted.
func TestCRLF(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "---\nname: B\ndescription: b\n---\n"}))
	text := "---\r\nname: B\r\ndescription: b\r\nx: y\r\n---\r\nx\r\n"
	e := newEditor(t, vscode)
	uri := uriOf(m.path("b.md"))
	t.Run("converted by git", func(t *testing.T) {
		m.git("config", "core.autocrlf", "true")
		e.didOpen(uri, text)
		e.expect(uri, "frontmatter-key")
		if got := e.of(uri); !strings.HasPrefix(got[0], "3:0-3:1 ") {
			t.Errorf("shown = %q, want the place of the key", got)
		}
		e.didClose(uri)
	})
	t.Run("stored as it is", func(t *testing.T) {
		m.git("config", "core.autocrlf", "false")
		e.didOpen(uri, strings.ReplaceAll(text, "x: y\r\n", ""))
		e.expect(uri, "frontmatter-missing")
		if d := e.shown[uri].Diagnostics[0]; !strings.Contains(d.Message, "CRLF") {
			t.Errorf("message = %q, want the cause named", d.Message)
		}
		e.fix(uri, "Convert line endings to LF")
		if got, want := m.read("b.md"), "---\nname: B\ndescription: b\n---\nx\n"; got != want {
			t.Errorf("b.md = %q, want %q", got, want)
		}
		e.expect(uri)
	})
	t.Run("configured while it is open", func(t *testing.T) {
		a := uriOf(m.path("a.md"))
		e.didOpen(a, strings.ReplaceAll(m.read("a.md"), "\n", "\r\n"))
		e.expect(a, "frontmatter-missing")
		m.git("config", "core.autocrlf", "true")
		e.expect(a)
	})
}

// FM-05: what the text check counts once a line is shown once.
func TestGroups(t *testing.T) {
	m := newMemory(t, v2(nil))
	e := newEditor(t, vscode)
	uri := uriOf(m.path("a.md"))
	e.didOpen(uri, "---\nname: A\ndescription: >\n  first line\n  second: line\n---\n\nText.\n")
	e.expect(uri, "frontmatter-key")
	d := e.shown[uri].Diagnostics[0]
	if got := describe(d); got != "2:13-2:14 frontmatter-key: v2 memory frontmatter is one line per key" {
		t.Errorf("shown = %q", got)
	}
	if len(d.RelatedInformation) != 2 || !strings.Contains(d.RelatedInformation[1].Message, "unknown frontmatter key 'second'") {
		t.Errorf("related = %+v, want both lines", d.RelatedInformation)
	}
	e.fix(uri, "Fold into one quoted line")
	if got := m.read("a.md"); !strings.Contains(got, `description: "first line second: line"`) {
		t.Errorf("a.md = %q", got)
	}
	e.expect(uri)
}

// GIT-06: the buffer counts, and a staged copy that is still broken is told.
func TestStagedAndWorktree(t *testing.T) {
	t.Run("staged well, broken in the buffer", func(t *testing.T) {
		m := newMemory(t, v2(nil))
		m.write(files{"a.md": front("New")})
		m.git("add", "-A")
		m.write(files{"a.md": "broken\n"})
		e := newEditor(t, plain)
		uri := e.openFile(m, "a.md")
		e.settle()
		if got := errorsIn(e, uri); got != 1 {
			t.Errorf("%d errors in %q, want the buffer's", got, e.of(uri))
		}
	})
	t.Run("staged broken, well in the buffer", func(t *testing.T) {
		m := newMemory(t, v2(nil))
		m.write(files{"a.md": "broken\n"})
		m.git("add", "-A")
		m.write(files{"a.md": front("A")})
		e := newEditor(t, vscode)
		uri := e.openFile(m, "a.md")
		e.expect(uri, "staged-differs")
		if errorsIn(e, uri) != 0 {
			t.Errorf("shown = %q, want no error", e.of(uri))
		}
		raw := e.call("workspace/executeCommand", map[string]any{"command": "memls.checkStaged", "arguments": []any{uri}})
		var report stagedReport
		if err := json.Unmarshal(raw, &report); err != nil || report.Errors != 1 || report.Findings[0].Rule != "frontmatter-missing" {
			t.Errorf("staged = %s, want the error of the staged copy", raw)
		}
		m.git("add", "-A")
		e.change(uri, front("A"))
		e.expect(uri)
	})
}

func errorsIn(e *editor, uri string) (n int) {
	for _, d := range e.shown[uri].Diagnostics {
		if d.Severity == protocol.DiagnosticSeverityError {
			n++
		}
	}
	return n
}

// GIT-08: indexes are required from the top down.
func TestRequiredIndexes(t *testing.T) {
	m := newMemory(t, v2(files{
		"projects/MEMORY.md": "# P\n\n- [X](x.md)\n- [A](a/MEMORY.md)\n", "projects/x.md": front("X"),
		"projects/a/MEMORY.md": "# A\n\n- [Y](y.md)\n", "projects/a/y.md": front("Y"), "assets/notes.txt": "x",
	}))
	m.policy("root-marker")
	e := newEditor(t, vscode)
	x, y, a := e.openFile(m, "projects/x.md"), e.openFile(m, "projects/a/y.md"), e.openFile(m, "a.md")
	e.expect(x)
	e.expect(y)
	m.git("rm", "-q", "projects/MEMORY.md")
	e.event(m.path("projects/MEMORY.md"))
	e.settle()
	want := "0:0-0:3 index-chain: missing required index projects/MEMORY.md"
	for _, uri := range []string{x, y} {
		if !slices.Contains(e.of(uri), want) {
			t.Errorf("%s shows %q, want %q", uri, e.of(uri), want)
		}
	}
	m.git("rm", "-q", "MEMORY.md")
	e.event(m.path("MEMORY.md"))
	e.settle()
	want = "0:0-0:3 root-index: MEMORY.md: root memory index is required for MemFS v2"
	for _, uri := range []string{x, y, a} {
		if !slices.Contains(e.of(uri), want) {
			t.Errorf("%s shows %q, want %q", uri, e.of(uri), want)
		}
	}
	e.call("workspace/executeCommand", map[string]any{"command": "memls.createIndexes", "arguments": []any{a}})
	e.settle()
	for _, uri := range []string{x, y, a} {
		if got := fmt.Sprint(e.of(uri)); strings.Contains(got, "index-chain") || strings.Contains(got, "root-index") {
			t.Errorf("%s shows %s after the indexes were created", uri, got)
		}
	}
}

// An index that is only an empty buffer yet is edited, not created.
func TestIndexThatIsAnUnsavedBuffer(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			m := newMemory(t, v2(files{"projects/x.md": front("X")}))
			e := newEditor(t, clientNamed(p.name))
			x, index := e.openFile(m, "projects/x.md"), uriOf(m.path("projects/MEMORY.md"))
			e.didOpen(index, "")
			e.expect(x, "index-unlisted")
			list := e.actions(x, everything, "quickfix")
			if len(list) == 0 {
				t.Fatal("no action")
			}
			if form := formOf(t, list[0].Edit); form != "edit" && form != "changes" {
				t.Errorf("%s is %q, want an edit alone", list[0].Title, form)
			}
			e.apply(list[0].Edit)
			e.expect(x)
			if got := m.read("projects/MEMORY.md"); !strings.Contains(got, "[X](x.md)") {
				t.Errorf("index = %q, want a link to x.md", got)
			}
		})
	}
}
