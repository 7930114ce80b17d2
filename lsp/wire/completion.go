package wire

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// CompletionParams asks for completions at a position.
type CompletionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
}

// A CompletionList is [] on the wire when it has no items.
type CompletionList struct {
	IsIncomplete bool            `json:"isIncomplete"`
	Items        CompletionItems `json:"items"`
}

// CompletionItems is a list that is [] on the wire when it is nil.
type CompletionItems []CompletionItem

// MarshalJSON implements [json.Marshaler].
func (c CompletionItems) MarshalJSON() ([]byte, error) { return list(c) }

// A CompletionItem is protocol's with the edit that LSP 3.16 has, and data
// that is kept as the server wrote it.
type CompletionItem struct {
	Label            string                      `json:"label"`
	Kind             protocol.CompletionItemKind `json:"kind,omitempty"`
	Detail           string                      `json:"detail,omitempty"`
	Documentation    *protocol.MarkupContent     `json:"documentation,omitempty"`
	SortText         string                      `json:"sortText,omitempty"`
	FilterText       string                      `json:"filterText,omitempty"`
	InsertTextFormat protocol.InsertTextFormat   `json:"insertTextFormat,omitempty"`
	TextEdit         *CompletionEdit             `json:"textEdit,omitempty"`
	Data             json.RawMessage             `json:"data,omitempty"`
}

// A CompletionEdit is a TextEdit, or an InsertReplaceEdit when Insert is set:
// for clients with insertReplaceSupport. Both ranges start at one place, lie in
// one line and hold the position that was asked about.
type CompletionEdit struct {
	NewText string          `json:"newText"`
	Range   *protocol.Range `json:"range,omitempty"`
	Insert  *protocol.Range `json:"insert,omitempty"`
	Replace *protocol.Range `json:"replace,omitempty"`
}
