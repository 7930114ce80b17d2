package lsp

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
)

func announceSelection(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.SelectionRangeProvider = true
}

type selectionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Positions    []protocol.Position             `json:"positions"`
}

// selectionRanges are, for each position, what a person may want to select
// around it: the word, the parts of a link, the line, the paragraph, the
// sections, all.
func (s *Server) selectionRanges(ctx context.Context, snap snapshot, p *selectionParams) ([]*protocol.SelectionRange, error) {
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil {
		return nil, err
	}
	doc, err := sub.judging.view.DocOf(sub.file)
	if err != nil {
		return nil, err
	}
	list := []*protocol.SelectionRange{}
	for _, position := range p.Positions {
		at := sub.source.offsets(protocol.Range{Start: position, End: position}).Start
		spans := spansAround(sub.source.staged, doc, at)
		var inner *protocol.SelectionRange
		for _, span := range slices.Backward(spans) { // the largest first
			inner = &protocol.SelectionRange{Range: sub.source.rangeOf(span), Parent: inner}
		}
		list = append(list, inner)
	}
	return list, nil
}

// spansAround are spans that hold an offset, each inside the next.
func spansAround(src []byte, doc *markdown.Doc, at int) []rules.Span {
	line := lineAround(src, at)
	spans := []rules.Span{wordAround(src, at), line, paragraphAround(src, line), {Start: 0, End: len(src)}}
	if front, ok := frontOf(src); ok {
		spans = append(spans, front.whole, rules.Span{Start: front.body, End: len(src)})
		for _, l := range facts.LinesIn(src, front.text) {
			spans = append(spans, l.KeySpan, l.ValueSpan)
		}
	}
	for i := range doc.Links {
		l := &doc.Links[i]
		spans = append(spans, l.Span, l.TextSpan)
		if !l.Ref {
			spans = append(spans, l.DestSpan, l.FragmentSpan)
			if l.HasFragment {
				spans = append(spans, rules.Span{Start: l.DestSpan.Start, End: l.FragmentSpan.End})
			}
		}
	}
	spans = append(spans, doc.Code...)
	for i, h := range doc.Headings {
		end := len(src)
		for _, next := range doc.Headings[i+1:] {
			if next.Level <= h.Level {
				end = next.Span.Start
				break
			}
		}
		spans = append(spans, h.TextSpan, rules.Span{Start: h.Span.Start, End: trimmedEnd(src, h.Span.End, end)})
	}
	spans = slices.DeleteFunc(spans, func(s rules.Span) bool { return at < s.Start || s.End < at })
	slices.SortFunc(spans, func(a, b rules.Span) int {
		return cmp.Or((a.End-a.Start)-(b.End-b.Start), a.Start-b.Start)
	})
	nested := spans[:0]
	for _, s := range spans {
		if n := len(nested); n == 0 || s != nested[n-1] && s.Start <= nested[n-1].Start && nested[n-1].End <= s.End {
			nested = append(nested, s)
		}
	}
	return nested
}

func wordAround(src []byte, at int) rules.Span {
	span := rules.Span{Start: at, End: at}
	for span.Start > 0 {
		r, n := utf8.DecodeLastRune(src[:span.Start])
		if !inWord(r) {
			break
		}
		span.Start -= n
	}
	for span.End < len(src) {
		r, n := utf8.DecodeRune(src[span.End:])
		if !inWord(r) {
			break
		}
		span.End += n
	}
	return span
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '_')
}

// paragraphAround is the lines around a line up to blank ones.
func paragraphAround(src []byte, line rules.Span) rules.Span {
	span := line
	for span.Start > 0 {
		above := lineAround(src, span.Start-1)
		if len(bytes.TrimSpace(src[above.Start:above.End])) == 0 {
			break
		}
		span.Start = above.Start
	}
	for span.End < len(src) {
		next := span.End + bytes.IndexByte(src[span.End:], '\n') + 1
		if next <= span.End || next >= len(src) {
			break
		}
		below := lineAround(src, next)
		if len(bytes.TrimSpace(src[below.Start:below.End])) == 0 {
			break
		}
		span.End = below.End
	}
	return span
}
