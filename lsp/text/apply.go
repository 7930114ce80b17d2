package text

import (
	"slices"

	"github.com/memls/memls/lsp/wire"
)

// Apply returns the text after the changes, each of which counts positions in the
// text that the one before it left. Places outside the text are clamped as in
// [Mapper.Offset]. The text itself is not modified.
func (m *Mapper) Apply(changes []wire.ContentChange) []byte {
	src := m.src
	for i, c := range changes {
		if c.Range == nil {
			src = []byte(c.Text)
			continue
		}
		if i > 0 {
			m = NewMapper(src, m.enc)
		}
		start, end := m.Offsets(*c.Range)
		src = slices.Concat(src[:start], []byte(c.Text), src[end:])
	}
	return src
}
