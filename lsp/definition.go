package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

func announceDefinition(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.DefinitionProvider = true
}

// definition leads from a link to the file or heading that it names, from a
// reference link to its definition as well, and from a heading to itself, by
// which editors know that there is something to find references of.
func (s *Server) definition(ctx context.Context, snap snapshot, p *protocol.DefinitionParams) (any, error) {
	at, err := s.spotAt(ctx, snap, &p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	found := at.definitions(s.encoding)
	switch {
	case len(found) == 0:
		return nil, nil
	case !s.client.Capabilities.TextDocument.Definition.LinkSupport:
		return found, nil
	}
	origin := at.sub.source.rangeOf(at.span)
	links := make([]protocol.LocationLink, 0, len(found))
	for _, l := range found {
		links = append(links, protocol.LocationLink{OriginSelectionRange: &origin, TargetURI: l.URI, TargetRange: l.Range, TargetSelectionRange: l.Range})
	}
	return links, nil
}

func (p *spot) definitions(enc wire.PositionEncoding) (found []protocol.Location) {
	if p.link == nil && p.definition == nil && p.heading == nil {
		return nil
	}
	find := p.sub.locator(enc)
	add := func(path string, span rules.Span) {
		if where, ok := find.at(path, span); ok {
			found = append(found, where)
		}
	}
	if p.heading != nil {
		add(p.sub.path, p.heading.Span)
		return found
	}
	if t, ok := p.target(); ok && t.File != "" {
		var span rules.Span
		if a := p.sub.judging.view.AnchorOf(t); a.Heading != nil {
			span = a.Heading.Span
		}
		add(t.File, span)
	}
	if p.link != nil {
		if d := definitionOf(p.doc, p.link); d != nil {
			add(p.sub.path, d.Span)
		}
	}
	return found
}
