package rules

import "github.com/aymanbagabas/go-udiff"

// LineEdits are small edits that turn a into b, so that an editor keeps
// cursors and folds where they are.
func LineEdits(a, b []byte) []Edit {
	diff := udiff.Bytes(a, b)
	edits := make([]Edit, 0, len(diff))
	for _, d := range diff {
		edits = append(edits, Edit{Span: Span{Start: d.Start, End: d.End}, New: d.New})
	}
	return edits
}
