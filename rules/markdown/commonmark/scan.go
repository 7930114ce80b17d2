package commonmark

import (
	"unicode/utf8"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxLabel is CommonMark's limit on the characters of a link label.
	maxLabel = 999
	// maxParens is how deep parentheses may nest in a destination; CommonMark lets
	// implementations choose, and cmark has the same number.
	maxParens = 32
)

// A cursor walks over the text of one block, line by line, without the markers of
// the blocks around it. It is a value: a copy is a place to come back to.
type cursor struct {
	src   []byte
	lines *text.Segments
	line  int // index in lines
	off   int // offset in src
	stop  int // end of the line
}

func newCursor(src []byte, lines *text.Segments, line, off int) cursor {
	return cursor{src, lines, line, off, lines.At(line).Stop}
}

// fill moves to the next line at the end of one. It is false at the end of the block.
func (c *cursor) fill() bool {
	for c.off >= c.stop {
		if c.line+1 >= c.lines.Len() {
			return false
		}
		c.line++
		seg := c.lines.At(c.line)
		c.off, c.stop = seg.Start, seg.Stop
	}
	return true
}

// byte is the byte at the cursor, or a line feed at the end of the line.
func (c *cursor) byte() byte {
	if c.off >= c.stop {
		return '\n'
	}
	return c.src[c.off]
}

// skipSpace moves over white space and line endings. It reports whether there was any.
func (c *cursor) skipSpace() bool {
	before := c.off
	for c.fill() && isSpace(c.src[c.off]) {
		c.off++
	}
	return c.off != before
}

// restIsBlank reports whether only white space follows on the line.
func (c *cursor) restIsBlank() bool { return util.IsBlank(c.src[c.off:c.stop]) }

// escaped reports whether a backslash escape is at the cursor.
func (c *cursor) escaped() bool {
	return c.src[c.off] == '\\' && c.off+1 < c.stop && util.IsPunct(c.src[c.off+1])
}

// A destination is a link destination with its title, as offsets into the body.
type destination struct {
	start, end int
	angle      bool
	verbatim   bool // no escapes and character references
	title      string
}

// inlineTail reads (destination "title") with the cursor on the parenthesis.
func (c *cursor) inlineTail() (destination, bool) {
	c.off++
	c.skipSpace()
	if c.byte() == ')' {
		c.off++
		return destination{start: c.off - 1, end: c.off - 1}, true
	}
	d, ok := c.destination()
	if !ok {
		return d, false
	}
	spaced := c.skipSpace()
	if spaced && c.byte() != ')' {
		if d.title, ok = c.title(); !ok {
			return d, false
		}
		c.skipSpace()
	}
	if c.byte() != ')' {
		return d, false
	}
	c.off++
	return d, true
}

// destination reads a link destination, which does not cross a line ending.
func (c *cursor) destination() (destination, bool) {
	if !c.fill() {
		return destination{}, false
	}
	if c.src[c.off] == '<' {
		return c.angleDestination()
	}
	d := destination{start: c.off}
	depth := 0
scan:
	for c.off < c.stop {
		if c.escaped() {
			c.off += 2
			continue
		}
		switch b := c.src[c.off]; {
		case b <= ' ' || b == 0x7f:
			break scan
		case b == '(':
			if depth++; depth > maxParens {
				return d, false
			}
		case b == ')':
			if depth == 0 {
				break scan
			}
			depth--
		}
		c.off++
	}
	d.end = c.off
	return d, depth == 0 && d.end > d.start
}

func (c *cursor) angleDestination() (destination, bool) {
	c.off++
	d := destination{start: c.off, angle: true}
	for c.off < c.stop {
		if c.escaped() {
			c.off += 2
			continue
		}
		switch c.src[c.off] {
		case '<', '\n':
			return d, false
		case '>':
			d.end = c.off
			c.off++
			return d, true
		}
		c.off++
	}
	return d, false
}

// title reads a link title in any of its three kinds of quotes, across lines.
func (c *cursor) title() (string, bool) {
	opener := c.byte()
	closer := opener
	switch opener {
	case '"', '\'':
	case '(':
		closer = ')'
	default:
		return "", false
	}
	c.off++
	raw, ok := c.until(closer, opener, len(c.src))
	if !ok {
		return "", false
	}
	return unescape(raw), true
}

// label reads [label] and returns it as written, its lines joined.
func (c *cursor) label() (string, bool) {
	c.off++
	raw, ok := c.until(']', '[', maxLabel*utf8.UTFMax)
	if !ok || len(raw) > maxLabel && utf8.RuneCount(raw) > maxLabel {
		return "", false
	}
	return string(raw), true
}

// until reads up to and including closer and returns what is before it. It fails
// at a forbidden byte, at the end of the block and after limit bytes.
func (c *cursor) until(closer, forbidden byte, limit int) ([]byte, bool) {
	var joined []byte // the lines before the current one
	start := c.off
	for {
		if c.off >= c.stop {
			joined = append(joined, c.src[start:c.stop]...)
			if !c.fill() || len(joined) > limit {
				return nil, false
			}
			start = c.off
			continue
		}
		switch b := c.src[c.off]; {
		case c.escaped():
			c.off++
		case b == closer:
			raw := c.src[start:c.off]
			c.off++
			if joined != nil {
				raw = append(joined, raw...)
			}
			return raw, true
		case b == forbidden:
			return nil, false
		}
		if c.off++; c.off-start > limit {
			return nil, false
		}
	}
}

// isSpace reports ASCII white space, line endings included.
func isSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
