package lsp

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

func announceFolding(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.FoldingRangeProvider = true
}

type documentParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

// foldingRanges are the frontmatter, the sections below headings, code blocks
// and HTML comments. Whole lines are folded, which every client can.
func (s *Server) foldingRanges(ctx context.Context, snap snapshot, p *documentParams) ([]protocol.FoldingRange, error) {
	ranges := []protocol.FoldingRange{}
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil {
		return ranges, err
	}
	doc, err := sub.judging.view.DocOf(sub.file)
	if err != nil {
		return nil, err
	}
	src := sub.source.staged
	add := func(span rules.Span, kind protocol.FoldingRangeKind) {
		if r := sub.source.rangeOf(span); r.Start.Line < r.End.Line {
			ranges = append(ranges, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line, Kind: kind})
		}
	}
	if front, ok := frontOf(src); ok {
		add(front.whole, protocol.RegionFoldingRange)
	}
	for i, h := range doc.Headings {
		end := len(src)
		for _, next := range doc.Headings[i+1:] {
			if next.Level <= h.Level {
				end = next.Span.Start
				break
			}
		}
		add(rules.Span{Start: h.Span.Start, End: trimmedEnd(src, h.Span.End, end)}, "")
	}
	for _, span := range doc.Code {
		add(span, "")
	}
	for _, span := range doc.HTML {
		if bytes.HasPrefix(src[span.Start:span.End], []byte("<!--")) {
			add(span, protocol.CommentFoldingRange)
		}
	}
	slices.SortFunc(ranges, func(a, b protocol.FoldingRange) int {
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(b.EndLine, a.EndLine))
	})
	return ranges, nil
}
