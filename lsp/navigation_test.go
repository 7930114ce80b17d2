package lsp

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// linked makes a memory of n files in one directory, with seven links each, and
// one that five hundred lead to.
func linked(t testing.TB, n int) *memory {
	content := files{}
	index := "# Notes\n\n"
	for i := range n {
		text := front(fmt.Sprintf("N %d", i)) + "\n# Part\n\n"
		for k := range 6 {
			text += fmt.Sprintf("- [note](n%05d.md#part)\n", (i*7+k*131+1)%n)
		}
		if i < 500 {
			text += "- [all](target.md)\n"
		}
		content[fmt.Sprintf("notes/n%05d.md", i)] = text
		index += fmt.Sprintf("- [N](n%05d.md)\n", i)
	}
	content["notes/target.md"] = front("Target")
	content["notes/MEMORY.md"] = index + "- [T](target.md)\n"
	m := newMemory(t, v2(nil))
	m.write(content)
	m.git("add", "-A")
	m.git("commit", "-q", "-m", "notes")
	return m
}

// BenchmarkNavigation asks, after each keystroke, through the whole server.
func BenchmarkNavigation(b *testing.B) {
	for _, n := range []int{100, 10000} {
		m := linked(b, n)
		e := newEditor(b, helix)
		uri := e.openFile(m, "notes/n00001.md")
		target := e.openFile(m, "notes/target.md")
		text := e.open[uri].text
		at := func(uri string, line, character int) map[string]any {
			return map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": character},
				"context": map[string]any{"includeDeclaration": false}}
		}
		e.call("textDocument/references", at(target, 0, 0)) // reads all links
		for _, tt := range []struct {
			name, method string
			params       map[string]any
		}{
			{"definition", "textDocument/definition", at(uri, 9, 12)},
			{"references", "textDocument/references", at(uri, 9, 12)},
			{"references500", "textDocument/references", at(target, 0, 0)},
			{"rename500", "workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": target, "newUri": target + "-renamed.md"}}}},
		} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					e.change(uri, fmt.Sprintf("%s%d\n", text, i))
					if raw := e.call(tt.method, tt.params); len(raw) < 10 {
						b.Fatalf("%s", raw)
					}
				}
			})
		}
	}
}

// Where the links of files that are not open stand is told without reading
// them, and is the same as when they are open.
func TestLinksInClosedFiles(t *testing.T) {
	texts := []string{
		"[a](../a.md)", "x😀é [a](../a.md) [[a]]", "\r\n😀 [a](../a.md)\r\n", "lone\r[a](../a.md)", "[a\nb](../a.md)", "\xff [a](../a.md)",
		"[a][r] [😀][r]\n\n[r]: ../a.md\n\n[r2]: ../a.md#x\n[b][r2]", "\n\n> - [a](../a.md)", "é [😀](../a.md) [b](../a.md#é)",
	}
	content := files{"p/MEMORY.md": "# P\n", "p/bom.md": "\xef\xbb\xbf[a](../a.md)"}
	for i, text := range texts {
		content[fmt.Sprintf("p/%d.md", i)] = front("X") + text
	}
	m := newMemory(t, v2(content))
	a := uriOf(m.path("a.md"))
	for _, profile := range []string{vscode, helix} {
		e := newEditor(t, profile)
		ask := func() (references, rename string) {
			references = string(e.call("textDocument/references", map[string]any{"textDocument": map[string]any{"uri": a},
				"position": protocol.Position{}, "context": map[string]any{}}))
			rename = string(e.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": a, "newUri": uriOf(m.path("ä.md"))}}}))
			return references, regexp.MustCompile(`"version":(\d+|null)`).ReplaceAllString(rename, `"version"`)
		}
		e.openFile(m, "a.md")
		closed, closedRename := ask()
		for path := range content {
			uri := uriOf(m.path(path))
			e.didOpen(uri, strings.ToValidUTF8(strings.TrimPrefix(m.read(path), "\xef\xbb\xbf"), "\uFFFD"))
		}
		open, openRename := ask()
		if open != closed || strings.Count(open, "range") != 17 {
			t.Errorf("references are\n%s\nwhile the files are closed, and\n%s\nwhile they are open", closed, open)
		}
		if openRename != closedRename || strings.Count(openRename, "newText") != 14 {
			t.Errorf("a rename edits\n%s\nwhile the files are closed, and\n%s\nwhile they are open", closedRename, openRename)
		}
	}
}
