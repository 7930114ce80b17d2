package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// offered is an action as a client reads it, with the edit as it is on the wire.
type offered struct {
	wire.CodeAction
	Edit json.RawMessage `json:"edit"`
}

// actions asks for the actions of a range.
func (e *editor) actions(uri string, r protocol.Range, only ...string) (list []offered) {
	e.t.Helper()
	raw := e.rawActions(uri, r, only...)
	if err := json.Unmarshal(raw, &list); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	return list
}

// choose is what an editor does with an action that a person chooses: it has
// the edit worked out if there is none yet, applies it and runs the command.
func (e *editor) choose(a offered) (failure string) {
	e.t.Helper()
	edit, failure := e.editOf(a)
	if failure != "" {
		return failure
	}
	if edit != nil {
		e.apply(edit)
	}
	if a.Command != nil {
		_, failure = e.try("workspace/executeCommand", map[string]any{"command": a.Command.Command, "arguments": a.Command.Arguments})
	}
	return failure
}

// editOf is the edit of an action.
func (e *editor) editOf(a offered) (edit json.RawMessage, failure string) {
	e.t.Helper()
	if a.Edit != nil || a.Command != nil {
		return a.Edit, ""
	}
	if !e.caps.ResolvesActions() {
		e.t.Fatalf("%q has no edit, and the editor does not resolve actions", a.Title)
	}
	raw, failure := e.try("codeAction/resolve", a.CodeAction)
	if failure != "" {
		return nil, failure
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	return a.Edit, ""
}

func (e *editor) rawActions(uri string, r protocol.Range, only ...string) json.RawMessage {
	e.t.Helper()
	context := map[string]any{"diagnostics": []any{}}
	if only != nil {
		context["only"] = only
	}
	return e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "range": r, "context": context})
}

// fix applies the action of that title to the document.
func (e *editor) fix(uri, title string) {
	e.t.Helper()
	var titles []string
	for _, a := range e.actions(uri, everything) {
		if a.Title == title {
			if failure := e.choose(a); failure != "" {
				e.t.Fatal(failure)
			}
			return
		}
		titles = append(titles, a.Title)
	}
	e.t.Fatalf("no action %q among %q", title, titles)
}
