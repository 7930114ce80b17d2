package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

const unresolving = `{"capabilities":{"textDocument":{"codeAction":{"resolveSupport":{"properties":[]}}}}}`

// In a list of all actions refactorings are commands, which cost nothing until
// they are chosen, and say why they cannot be done.
func TestRefactorByCommand(t *testing.T) {
	m := newMemory(t, v2(files{"projects/MEMORY.md": "# P\n\n- [X](x.md)\n", "projects/x.md": front("X") + "[a](../a.md)\n", "skills/s/n.md": "## H\n\nText.\n"}))
	e := newEditor(t, merged(t, vscode, unresolving))
	uri := e.openFile(m, "a.md")
	run := func(uri, title string) string {
		t.Helper()
		for _, a := range e.actions(uri, protocol.Range{}) {
			if strings.HasPrefix(a.Title, title) {
				return e.choose(a)
			}
		}
		t.Fatalf("no action %q", title)
		return ""
	}
	if failure := run(uri, "Demote to projects/"); failure != "" {
		t.Fatal(failure)
	}
	if got := m.read("projects/x.md"); !strings.Contains(got, "[a](a.md)") || !strings.Contains(m.read("projects/MEMORY.md"), "(a.md)") {
		t.Errorf("projects/x.md = %q, index %q, want links to a.md beside them", got, m.read("projects/MEMORY.md"))
	}
	skill := e.openFile(m, "skills/s/n.md")
	m.write(files{"skills/s/h.md": "taken\n"})
	e.event(m.path("skills/s/h.md"))
	if failure := run(skill, "Move the section H"); !strings.Contains(failure, "h.md: exists already") {
		t.Errorf("failure = %q, want that the file exists", failure)
	}
	quiet := newEditor(t, ale)
	for _, a := range quiet.actions(quiet.openFile(m, "projects/x.md"), protocol.Range{}) {
		if strings.HasPrefix(string(a.Kind), "refactor") {
			t.Errorf("a client that lets nobody edit is offered %q", a.Title)
		}
	}
}
