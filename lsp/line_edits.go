package lsp

import (
	"github.com/aymanbagabas/go-udiff"

	"github.com/memls/memls/rules"
)

// lineEdits are small edits that turn a into b, so that an editor keeps
// cursors and folds where they are.
func lineEdits(a, b []byte) []rules.Edit {
	diff := udiff.Bytes(a, b)
	edits := make([]rules.Edit, 0, len(diff))
	for _, d := range diff {
		edits = append(edits, rules.Edit{Span: rules.Span{Start: d.Start, End: d.End}, New: d.New})
	}
	return edits
}
