package lsp

import (
	"bytes"
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
)

func announceSymbols(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.DocumentSymbolProvider = true
}

// documentSymbols is the outline: the frontmatter with its keys, and the
// headings, each with what stands below it.
func (s *Server) documentSymbols(ctx context.Context, snap snapshot, p *protocol.DocumentSymbolParams) (any, error) {
	symbols := []protocol.DocumentSymbol{}
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil {
		return symbols, err
	}
	doc, err := sub.judging.view.DocOf(sub.file)
	if err != nil {
		return nil, err
	}
	if front, ok := sub.frontSymbol(); ok {
		symbols = append(symbols, front)
	}
	symbols = append(symbols, sub.headingSymbols(doc.Headings, len(sub.source.staged))...)
	if s.client.Capabilities.TextDocument.DocumentSymbol.HierarchicalDocumentSymbolSupport {
		return symbols, nil
	}
	return flatSymbols([]protocol.SymbolInformation{}, symbols, p.TextDocument.URI, ""), nil
}

// textSubject is subjectOf for features that need the text of a Markdown file;
// nil for anything else.
func (s *Server) textSubject(ctx context.Context, snap snapshot, uri protocol.DocumentURI) (*subject, error) {
	sub, err := s.subjectOf(ctx, snap, uri)
	if err != nil || sub == nil || sub.file == nil || sub.source.opaque || !rules.IsMarkdown(sub.path) {
		return nil, err
	}
	return sub, nil
}

// A frontBlock is frontmatter as people see it: also where the text check does
// not, since a line ends in CRLF or a blank follows a fence.
type frontBlock struct {
	whole rules.Span // with its fences
	text  rules.Span // between them
	body  int        // where the Markdown starts
}

func frontOf(src []byte) (frontBlock, bool) {
	y := facts.SplitYAML(src)
	if y.State != facts.FrontClosed {
		return frontBlock{}, false
	}
	start := len(src) - len(bytes.TrimPrefix(src, byteOrderMark))
	return frontBlock{rules.Span{Start: start, End: trimmedEnd(src, start, y.Body)}, y.Text, y.Body}, true
}

func (sub *subject) frontSymbol() (protocol.DocumentSymbol, bool) {
	src := sub.source.staged
	front, ok := frontOf(src)
	if !ok {
		return protocol.DocumentSymbol{}, false
	}
	s := protocol.DocumentSymbol{
		Name: "frontmatter", Kind: protocol.SymbolKindNamespace,
		Range:          sub.source.rangeOf(front.whole),
		SelectionRange: sub.source.rangeOf(rules.Span{Start: front.whole.Start, End: trimmedEnd(src, front.whole.Start, front.text.Start)}),
	}
	for _, l := range facts.LinesIn(src, front.text) {
		if l.Colon && !l.Indented && l.Key != "" {
			s.Children = append(s.Children, protocol.DocumentSymbol{
				Name: facts.Decode(l.Key), Detail: facts.Decode(l.Value), Kind: protocol.SymbolKindProperty,
				Range: sub.source.rangeOf(l.Span), SelectionRange: sub.source.rangeOf(l.KeySpan),
			})
		}
	}
	return s, true
}

// headingSymbols are the symbols of headings, each with the deeper ones that
// follow it inside. end is where the last section ends.
func (sub *subject) headingSymbols(headings []markdown.Heading, end int) (symbols []protocol.DocumentSymbol) {
	for n := 0; n < len(headings); {
		h := &headings[n]
		inside := 1
		for n+inside < len(headings) && headings[n+inside].Level > h.Level {
			inside++
		}
		sectionEnd := end
		if n+inside < len(headings) {
			sectionEnd = headings[n+inside].Span.Start
		}
		name := h.Text
		if strings.TrimSpace(name) == "" {
			name = strings.Repeat("#", h.Level) // editors refuse a symbol without a name
		}
		children := sub.headingSymbols(headings[n+1:n+inside], sectionEnd)
		symbols = append(symbols, protocol.DocumentSymbol{
			Name: name, Kind: protocol.SymbolKindString, Children: children,
			Range:          sub.source.rangeOf(rules.Span{Start: h.Span.Start, End: trimmedEnd(sub.source.staged, h.Span.End, sectionEnd)}),
			SelectionRange: sub.source.rangeOf(h.Span),
		})
		n += inside
	}
	return symbols
}

// trimmedEnd is the end of the text between two offsets without the blank
// lines after it.
func trimmedEnd(src []byte, start, end int) int {
	return start + len(strings.TrimRight(string(src[start:end]), " \t\r\n"))
}

func flatSymbols(list []protocol.SymbolInformation, symbols []protocol.DocumentSymbol, uri protocol.DocumentURI, container string) []protocol.SymbolInformation {
	for _, s := range symbols {
		list = append(list, protocol.SymbolInformation{
			Name: s.Name, Kind: s.Kind, ContainerName: container, Location: protocol.Location{URI: uri, Range: s.Range},
		})
		list = flatSymbols(list, s.Children, uri, s.Name)
	}
	return list
}
