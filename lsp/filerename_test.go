package lsp

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
)

// Clients that do not ask before they rename are told what to change after it.
func TestDidRenameFiles(t *testing.T) {
	content := v2(files{"b.md": front("B") + "[a](a.md)\n", "projects/MEMORY.md": "# P\n\n- [X](x.md)\n", "projects/x.md": front("X") + "[a](../a.md)\n"})
	for _, tt := range []struct {
		name, from, to string
		open           []string
		want           files
	}{
		{"a file", "a.md", "z.md", []string{"b.md"}, files{"b.md": "[a](z.md)", "projects/x.md": "[a](../z.md)", "MEMORY.md": "(z.md)"}},
		{"an open file", "b.md", "projects/b.md", []string{"b.md", "projects/x.md"}, files{"projects/b.md": "[a](../a.md)", "projects/MEMORY.md": "[b.md](b.md)"}},
		{"a directory", "projects", "work", []string{"projects/x.md"}, files{"MEMORY.md": "(work/MEMORY.md)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory(t, content)
			e := newEditor(t, merged(t, helix, `{"capabilities":{"workspace":{"fileOperations":{"willRename":false}}}}`))
			for _, path := range tt.open {
				e.openFile(m, path)
			}
			e.settle()
			if err := e.move(uriOf(m.path(tt.from)), uriOf(m.path(tt.to))); err != nil {
				t.Fatal(err)
			}
			e.notify("workspace/didRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": uriOf(m.path(tt.from)), "newUri": uriOf(m.path(tt.to))}}})
			for e.receive().Method != "workspace/applyEdit" {
			}
			for path, want := range tt.want {
				if got := m.read(path); !strings.Contains(got, want) {
					t.Errorf("%s = %q, want %q in it", path, got, want)
				}
			}
		})
	}
}

// A client may open the file under its new path before it tells of the rename:
// links follow from what was before both.
func TestDidRenameFilesSeenTwice(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": front("B") + "[a](a.md)\n", "projects/MEMORY.md": "# P\n"}))
	e := newEditor(t, merged(t, helix, `{"capabilities":{"workspace":{"fileOperations":{"willRename":false}}}}`))
	from, to := uriOf(m.path("b.md")), uriOf(m.path("projects/b.md"))
	e.didOpen(to, m.read("b.md"))
	e.settle()
	if err := e.move(from, to); err != nil {
		t.Fatal(err)
	}
	e.notify("workspace/didRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": from, "newUri": to}}})
	for e.receive().Method != "workspace/applyEdit" {
	}
	if got := m.read("projects/MEMORY.md"); !strings.Contains(got, "(b.md)") {
		t.Errorf("the index is %q, want the file in it", got)
	}
}

// A deleted and a created file are noticed by what the client tells of them.
func TestFilesCreatedAndDeleted(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": front("B") + "[a](a.md) [c](c.md)\n"}))
	e := newEditor(t, merged(t, helix, `{"capabilities":{"workspace":{"fileOperations":{"didCreate":true,"didDelete":true}}}}`))
	uri := e.openFile(m, "b.md")
	e.expect(uri, "link-broken")
	m.write(files{"c.md": front("C")})
	e.notify("workspace/didCreateFiles", map[string]any{"files": []any{map[string]any{"uri": uriOf(m.path("c.md"))}}})
	e.expect(uri)
	m.remove("a.md")
	e.notify("workspace/didDeleteFiles", map[string]any{"files": []any{map[string]any{"uri": uriOf(m.path("a.md"))}}})
	e.expect(uri, "link-broken")
}

// Clients are asked for no more than they offer.
func TestFileOperationsAnnounced(t *testing.T) {
	for profile, want := range map[string]string{
		`{"workspace":{"fileOperations":{"willRename":true}}}`: `{"willRename":{"filters":[` +
			`{"scheme":"file","pattern":{"glob":"**/*.md","matches":"file","options":{}}},` +
			`{"scheme":"file","pattern":{"glob":"**","matches":"folder","options":{}}}]}}`,
		`{}`: `{}`,
	} {
		s := NewServer("test", slog.New(slog.DiscardHandler))
		if err := json.Unmarshal([]byte(profile), &s.client.Capabilities); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(s.capabilities().Workspace.FileOperations)
		if err != nil || string(got) != want {
			t.Errorf("announced = %s, %v, want %s", got, err, want)
		}
	}
}
