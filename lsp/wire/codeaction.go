package wire

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// MethodCodeActionResolve fills in what a code action left out.
const MethodCodeActionResolve = "codeAction/resolve"

// A CodeAction is also the params of codeAction/resolve, which gives back Data
// as it was sent; Edit is then absent.
type CodeAction struct {
	Title       string                      `json:"title"`
	Kind        protocol.CodeActionKind     `json:"kind,omitempty"`
	Diagnostics []Diagnostic                `json:"diagnostics,omitempty"`
	IsPreferred bool                        `json:"isPreferred,omitempty"`
	Disabled    *protocol.CodeActionDisable `json:"disabled,omitempty"`
	Edit        *WorkspaceEdit              `json:"edit,omitempty"`
	Command     *protocol.Command           `json:"command,omitempty"`
	Data        json.RawMessage             `json:"data,omitempty"`
}

// CodeActionParams asks for the actions of a range.
type CodeActionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
	Context      CodeActionContext               `json:"context"`
}

// CodeActionContext says which actions are wanted.
type CodeActionContext struct {
	Diagnostics []Diagnostic              `json:"diagnostics"`
	Only        []protocol.CodeActionKind `json:"only"`
	TriggerKind CodeActionTriggerKind     `json:"triggerKind"`
}

// CodeActionTriggerKind says why actions were asked for; 0 is not told.
type CodeActionTriggerKind int

// The kinds of triggers.
const (
	CodeActionInvoked   CodeActionTriggerKind = 1
	CodeActionAutomatic CodeActionTriggerKind = 2
)
