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
	code := parseDoc(src).Code
	at := 0
	for line := range bytes.Lines(src) {
		start := at
		at += len(line)
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		kept := bytes.TrimRight(text, " \t")
		span := Span{Start: start + len(kept), End: start + len(text)}
		hardBreak := len(kept) > 0 && string(text[len(kept):]) == "  "
		if span.Start == span.End || hardBreak {
			continue
		}
		for len(code) > 0 && code[0].End < span.Start {
			code = code[1:]
		}
		if len(code) > 0 && code[0].Start <= span.Start {
			continue
		}
		spans = append(spans, span)
	}
	return spans
}
