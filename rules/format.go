package rules

import "bytes"

// Formatting returns the edits that bring a file in line with the hygiene
// rules of the config, nil when there are none or nothing is to be done. It is
// what the fixes of the three formatting rules and an editor's formatter share.
func (v *View) Formatting(path string, src []byte) []Edit {
	var edits []Edit
	flags := v.formatFlags(path)
	if flags&cleanLF != 0 {
		edits = append(edits, carriageReturns(src)...)
	}
	if flags&cleanTrailing != 0 {
		for _, span := range trailingWhitespace(src) {
			edits = append(edits, Edit{Span: span})
		}
	}
	if flags&cleanFinalNewline != 0 && lacksFinalNewline(src) {
		edits = append(edits, Edit{Span: Span{Start: len(src), End: len(src)}, New: "\n"})
	}
	return edits
}

// carriageReturns are the edits that take the \r from each \r\n.
func carriageReturns(src []byte) []Edit {
	var edits []Edit
	for i := 0; ; {
		n := bytes.Index(src[i:], []byte("\r\n"))
		if n < 0 {
			return edits
		}
		edits = append(edits, Edit{Span: Span{Start: i + n, End: i + n + 1}})
		i += n + 2
	}
}

func lacksFinalNewline(src []byte) bool { return len(src) > 0 && src[len(src)-1] != '\n' }

// trailingWhitespace are the ranges of white space at line ends that is
// neither in a code block nor a hard break (two spaces after text).
func trailingWhitespace(src []byte) []Span {
	var spans []Span
	code := codeLines{}
	at := 0
	for line := range bytes.Lines(src) {
		start := at
		at += len(line)
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		kept := bytes.TrimRight(text, " \t")
		inCode := code.next(text)
		hardBreak := len(kept) > 0 && string(text[len(kept):]) == "  "
		if len(kept) == len(text) || hardBreak || inCode {
			continue
		}
		spans = append(spans, Span{Start: start + len(kept), End: start + len(text)})
	}
	return spans
}

// codeLines tells which lines are code. It knows no more of Markdown than
// fences and indentation, which is what the config's contract speaks of, so
// that the hook can do without a Markdown library; where nesting makes it
// doubtful it takes a line for code, and leaves it alone.
type codeLines struct {
	fence    []byte // the fence that is open
	indented bool   // the last line was indented code, or blank after it
	text     bool   // the last line was text that an indented line continues
}

// next takes the next line, without its line end, and reports whether it is
// code.
func (c *codeLines) next(line []byte) bool {
	trimmed := bytes.TrimLeft(line, " \t>")
	mark := fenceMark(trimmed)
	switch {
	case c.fence != nil:
		closing := len(mark) >= len(c.fence) && mark[0] == c.fence[0] && len(bytes.TrimSpace(trimmed[len(mark):])) == 0
		if closing {
			c.fence = nil
		}
		return true
	case mark != nil:
		c.fence, c.indented, c.text = bytes.Clone(mark), false, false
		return true
	case len(bytes.TrimSpace(line)) == 0:
		c.text = false
		return c.indented
	}
	deep := bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
	c.indented = deep && !c.text
	c.text = !c.indented
	return c.indented
}

// fenceMark is the run of at least three backticks or tildes that a fence
// starts with; one of backticks has none after it on its line.
func fenceMark(line []byte) []byte {
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	n := len(line) - len(bytes.TrimLeft(line, string(line[:1])))
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return nil
	}
	return line[:n]
}
