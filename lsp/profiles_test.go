package lsp

import (
	"embed"
	"encoding/json"
	"strings"
	"testing"
)

// testdata/clients holds what editors say of themselves: clientInfo and
// capabilities of their initialize requests, written down as they sent them.
//
//go:embed testdata/clients/*.json
var clientFiles embed.FS

// A profile is such a file: a JSON object with fields of the initialize request.
var (
	vscode = clientNamed("vscode")
	helix  = clientNamed("helix")
	ale    = clientNamed("ale")
	kate   = clientNamed("kate")

	neovim010 = clientNamed("neovim-0.10")
)

// plain is the least that a client with quick fixes announces.
const plain = `{"capabilities":{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}}`

func clientNamed(name string) string {
	raw, err := clientFiles.ReadFile("testdata/clients/" + name + ".json")
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// profiles are all of them.
var profiles = []struct {
	name string
	form string // how it is told to create a file
}{
	{"ale", "changes"},
	{"eglot-1.9", "edit"},
	{"eglot-1.17", "edit"},
	{"helix", "create, edit"},
	{"kate", "changes"},
	{"lsp-mode-8", "create, edit"},
	{"lsp-mode-9", "create, edit"},
	{"neovim-0.7", "create, edit"},
	{"neovim-0.10", "create, edit"},
	{"neovim-0.12", "create, edit"},
	{"vscode", "create, edit"},
	{"ycm", "edit"},
}

func TestCreateIndexInEveryEditor(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			m := newMemory(t, v2(files{"projects/x.md": front("X")}))
			e := newEditor(t, clientNamed(p.name))
			uri := e.openFile(m, "projects/x.md")
			e.expect(uri, "index-chain")
			for _, a := range e.actions(uri, everything) {
				if a.Title == "Create projects/MEMORY.md" {
					if form := formOf(t, a.Edit); form != p.form {
						t.Errorf("the edit is %q, want %q: %s", form, p.form, a.Edit)
					}
					if !a.IsPreferred || a.Kind != "quickfix" || len(a.Diagnostics) != 1 || a.Diagnostics[0].Code != "index-chain" {
						t.Errorf("action = %+v, want a preferred quickfix of the diagnostic", a)
					}
				}
			}
			e.fix(uri, "Create projects/MEMORY.md")
			if got, want := m.read("projects/MEMORY.md"), "# Projects\n\n- [X](x.md) — About X\n"; got != want {
				t.Errorf("index = %q, want %q", got, want)
			}
			e.expect(uri)
		})
	}
}

func formOf(t *testing.T, raw json.RawMessage) string {
	var edit editOnWire
	if err := json.Unmarshal(raw, &edit); err != nil {
		t.Fatal(err)
	}
	if len(edit.Changes) > 0 {
		return "changes"
	}
	var forms []string
	for _, c := range edit.DocumentChanges {
		if c.Kind == "" {
			c.Kind = "edit"
		}
		forms = append(forms, c.Kind)
	}
	return strings.Join(forms, ", ")
}

// Clients that know no actions get commands, and the edit as a request.
func TestCommandsInsteadOfActions(t *testing.T) {
	m := newMemory(t, v2(files{"projects/x.md": front("X")}))
	e := newEditor(t, `{"capabilities":{"workspace":{"applyEdit":true}}}`)
	uri := e.openFile(m, "projects/x.md")
	e.expect(uri, "index-chain")
	raw := e.rawActions(uri, everything)
	var commands []struct {
		Title, Command string
		Arguments      json.RawMessage
	}
	if err := json.Unmarshal(raw, &commands); err != nil || len(commands) == 0 || commands[0].Title != "Create projects/MEMORY.md" {
		t.Fatalf("actions = %s, %v, want commands", raw, err)
	}
	e.call("workspace/executeCommand", map[string]any{"command": commands[0].Command, "arguments": commands[0].Arguments})
	e.expect(uri)
}
