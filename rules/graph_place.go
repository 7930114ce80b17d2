package rules

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// A Place is where a link stands in a text of lines, as editors count: lines
// and columns from 0, columns in bytes and in UTF-16 code units.
type Place struct {
	Line           int
	Start, End     int
	Start16, End16 int
}

// packedPlace is a Place beside a span: the columns in code units are those in
// bytes without what is surplus.
type packedPlace struct {
	line, column uint32
	surplus      uint16 // before the start
	surplusEnd   uint16
}

// nowhere marks links whose place is not kept: those of several lines, or in
// a text that not everybody divides in lines alike.
const nowhere = math.MaxUint32

// A placer finds the places of links in source order.
type placer struct {
	src   []byte
	at    int // the start of a line
	line  uint32
	known bool
}

func newPlacer(src []byte) *placer {
	odd := bytes.HasPrefix(src, []byte("\uFEFF")) ||
		bytes.IndexByte(src, '\r') >= 0 && bytes.Count(src, []byte("\r")) != bytes.Count(src, []byte("\r\n"))
	return &placer{src: src, known: !odd}
}

func (p *placer) place(s Span) packedPlace {
	if !p.known || s.Start < p.at || s.End > len(p.src) || bytes.IndexByte(p.src[s.Start:s.End], '\n') >= 0 {
		return packedPlace{line: nowhere}
	}
	if i := bytes.LastIndexByte(p.src[p.at:s.Start], '\n'); i >= 0 {
		p.line += uint32(bytes.Count(p.src[p.at:s.Start], []byte("\n")))
		p.at += i + 1
	}
	before, after := surplus(p.src[p.at:s.Start]), surplus(p.src[p.at:s.End])
	if after > math.MaxUint16 {
		return packedPlace{line: nowhere}
	}
	return packedPlace{line: p.line, column: uint32(s.Start - p.at), surplus: uint16(before), surplusEnd: uint16(after)}
}

// surplus is how many bytes more than UTF-16 code units a text has.
func surplus(s []byte) (n int) {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, w := utf8.DecodeRune(s[i:])
		i += w
		n += w - 1
		if r >= 0x10000 {
			n--
		}
	}
	return n
}

// placeOf is where a part of the link stands, nil where only the text can tell.
func (r *Ref) placeOf(part Span) *Place {
	p := r.Place
	if p == nil || p.Start-p.Start16 != p.End-p.End16 {
		return nil // columns in code units differ inside the link, too
	}
	start, end := part.Start-r.Link.Span.Start, part.End-r.Link.Span.Start
	return &Place{Line: p.Line, Start: p.Start + start, End: p.Start + end, Start16: p.Start16 + start, End16: p.Start16 + end}
}

// place unpacks; nil where it is not kept.
func (k *packedLink) place() *Place {
	p := &k.where
	if p.line == nowhere {
		return nil
	}
	start, end := int(p.column), int(p.column)+int(k.span.end-k.span.start)
	return &Place{Line: int(p.line), Start: start, End: end, Start16: start - int(p.surplus), End16: end - int(p.surplusEnd)}
}
