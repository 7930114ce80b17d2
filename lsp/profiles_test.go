package lsp

import (
	"encoding/json"
	"strings"
	"testing"
)

// What editors announce, measured from their initialize requests: the parts
// that matter to what they are sent.
const (
	literals = `"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","source"]}}}`
	allOps   = `"resourceOperations":["create","rename","delete"]`

	vscode = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,` + allOps + `},"workspaceFolders":true,"configuration":true,
		"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true},"diagnostics":{"refreshSupport":true},
		"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}},
		"textDocument":{` + literals + `,"publishDiagnostics":{"relatedInformation":true},"diagnostic":{"dynamicRegistration":true,"relatedDocumentSupport":false},"hover":{"contentFormat":["markdown","plaintext"]}},
		"general":{"positionEncodings":["utf-16"]}}`
	neovim07  = `{"workspace":{"applyEdit":true,"workspaceEdit":{` + allOps + `}},"textDocument":{` + literals + `}}`
	neovim010 = `{"workspace":{"applyEdit":true,"workspaceEdit":{` + allOps + `},"didChangeWatchedFiles":{"dynamicRegistration":false}},
		"textDocument":{` + literals + `,"diagnostic":{}},"general":{"positionEncodings":["utf-16"]}}`
	neovim012 = `{"workspace":{"applyEdit":true,"workspaceEdit":{` + allOps + `},"didChangeWatchedFiles":{"dynamicRegistration":false}},
		"textDocument":{` + literals + `,"diagnostic":{}},"general":{"positionEncodings":["utf-8","utf-16","utf-32"]}}`
	helix = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,` + allOps + `},"didChangeWatchedFiles":{"dynamicRegistration":true}},
		"textDocument":{` + literals + `},"general":{"positionEncodings":["utf-8","utf-32","utf-16"]}}`
	eglot = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true},"didChangeWatchedFiles":{"dynamicRegistration":true}},
		"textDocument":{` + literals + `},"general":{"positionEncodings":["utf-32","utf-8","utf-16"]}}`
	ale  = `{"workspace":{"applyEdit":false},"textDocument":{` + literals + `}}`
	kate = `{"textDocument":{` + literals + `}}`

	// plain is the least that a client with quick fixes announces.
	plain = kate
)

var profiles = []struct {
	name, profile string
	form          string // how it is told to create a file
}{
	{"Visual Studio Code", vscode, "create, edit"},
	{"Neovim 0.7", neovim07, "create, edit"},
	{"Neovim 0.10", neovim010, "create, edit"},
	{"Neovim 0.12", neovim012, "create, edit"},
	{"Helix", helix, "create, edit"},
	{"eglot", eglot, "edit"},
	{"ALE", ale, "changes"},
	{"Kate", kate, "changes"},
}

func TestCreateIndexInEveryEditor(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			m := newMemory(t, v2(files{"projects/x.md": front("X")}))
			e := newEditor(t, p.profile)
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
	e := newEditor(t, `{"workspace":{"applyEdit":true}}`)
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
