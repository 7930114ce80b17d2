package text

import (
	"slices"

	"github.com/memls/memls/lsp/wire"
)

// Apply returns src after the changes, each of which counts positions in the
// text that the one before it left. Places outside the text are clamped as in
// [Mapper.Offset]. src is not modified.
func Apply(src []byte, enc wire.PositionEncoding, changes []wire.ContentChange) []byte {
	for _, c := range changes {
		if c.Range == nil {
			src = []byte(c.Text)
			continue
		}
		start, end := NewMapper(src, enc).Offsets(*c.Range)
		src = slices.Concat(src[:start], []byte(c.Text), src[end:])
	}
	return src
}
