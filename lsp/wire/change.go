package wire

import (
	"encoding/json"
	"math"

	"go.lsp.dev/protocol"
)

// DidChangeTextDocumentParams tells edits of one document, to be applied in
// order.
type DidChangeTextDocumentParams struct {
	TextDocument   protocol.VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                          `json:"contentChanges"`
}

// A ContentChange replaces Range by Text, or the whole document when Range is
// nil. (protocol's range is not a pointer: it cannot tell a new document from
// an insertion at its start.)
type ContentChange struct {
	Range *protocol.Range
	Text  string
}

// UnmarshalJSON implements [json.Unmarshaler]. Positions are clamped to
// uint32: some clients write -1 or the largest integer for "the end", and a
// change that is not applied leaves server and client with different texts.
func (c *ContentChange) UnmarshalJSON(raw []byte) error {
	type position struct {
		Line      float64 `json:"line"`
		Character float64 `json:"character"`
	}
	var wire struct {
		Range *struct {
			Start position `json:"start"`
			End   position `json:"end"`
		} `json:"range"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	*c = ContentChange{Text: wire.Text}
	if r := wire.Range; r != nil {
		clamp := func(p position) protocol.Position {
			return protocol.Position{Line: clampUint32(p.Line), Character: clampUint32(p.Character)}
		}
		c.Range = &protocol.Range{Start: clamp(r.Start), End: clamp(r.End)}
	}
	return nil
}

func clampUint32(f float64) uint32 {
	return uint32(max(0, min(f, math.MaxUint32)))
}
