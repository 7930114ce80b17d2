package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

func announceReferences(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.ReferencesProvider = true
}

// references lists the links that lead where the spot leads: to the file,
// whatever the heading, when it names none.
func (s *Server) references(ctx context.Context, snap snapshot, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	at, err := s.spotAt(ctx, snap, &p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	find, found := at.sub.locator(s.encoding), []protocol.Location{}
	add := func(path string, span rules.Span) {
		if where, ok := find.at(path, span); ok {
			found = append(found, where)
		}
	}
	if at.label {
		for _, span := range at.labels(p.Context.IncludeDeclaration) {
			add(at.sub.path, span)
		}
		return found, nil
	}
	target, ok := at.target()
	if !ok {
		return nil, nil
	}
	refs, err := at.refs(ctx, target)
	if err != nil {
		return nil, err
	}
	if p.Context.IncludeDeclaration && target.File != "" {
		var span rules.Span
		if a := at.sub.judging.view.AnchorOf(target); a.Heading != nil {
			span = a.Heading.Span
		}
		add(target.File, span)
	}
	for i := range refs {
		if where, ok := find.of(&refs[i]); ok {
			found = append(found, where)
		}
	}
	return found, nil
}

// refs are the links to a target, definitions included.
func (p *spot) refs(ctx context.Context, target rules.Target) ([]rules.Ref, error) {
	path := target.File
	if path == "" {
		path = target.Path
	}
	refs, err := p.sub.repo.graph.To(ctx, p.sub.judging.view.Tree, path)
	if err != nil {
		return nil, err
	}
	view := p.sub.judging.view
	anchor := view.AnchorOf(target)
	if anchor == (rules.Anchor{}) {
		return refs, nil
	}
	same := refs[:0]
	for i := range refs {
		if refs[i].Target.Fragment != "" && view.AnchorOf(refs[i].Target) == anchor {
			same = append(same, refs[i])
		}
	}
	return same, nil
}

// labels are the places of the spot's label in its file.
func (p *spot) labels(declaration bool) (spans []rules.Span) {
	definition := p.definition
	if definition == nil {
		definition = definitionOf(p.doc, p.link)
	}
	if definition == nil {
		return nil
	}
	spans = rules.LabelSpans(p.doc, definition)
	if !declaration {
		spans = spans[1:]
	}
	return spans
}

func announceHighlight(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.DocumentHighlightProvider = true
}

// highlight marks what in the document leads where the spot leads.
func (s *Server) highlight(ctx context.Context, snap snapshot, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	at, err := s.spotAt(ctx, snap, &p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	found := []protocol.DocumentHighlight{}
	for _, span := range at.alike() {
		found = append(found, protocol.DocumentHighlight{Range: at.sub.source.rangeOf(span), Kind: protocol.DocumentHighlightKindText})
	}
	return found, nil
}

// alike are the places in the document that are the same as the spot: the
// labels of one definition, the links to one place and its heading, the links
// to one address.
func (p *spot) alike() (spans []rules.Span) {
	view, path := p.sub.judging.view, p.sub.path
	switch {
	case p.label:
		return p.labels(true)
	case p.link == nil && p.definition == nil && p.heading == nil:
		return nil
	case p.heading != nil:
		p.top = false // it is the heading that is marked, not the file
	}
	target, ok := p.target()
	anchor := view.AnchorOf(target)
	if anchor.Heading != nil && target.File == path {
		spans = append(spans, anchor.Heading.TextSpan)
	}
	add := func(span rules.Span, dest string, t rules.Target) {
		if ok && t.Kind != rules.TargetExternal && t.Path == target.Path && t.File == target.File && view.AnchorOf(t) == anchor ||
			!ok && t.Kind == target.Kind && dest == p.dest() {
			spans = append(spans, span)
		}
	}
	for i := range p.doc.Links {
		l := &p.doc.Links[i]
		add(l.Span, l.Dest, rules.Resolve(view.Tree, path, l))
	}
	for i := range p.doc.Definitions {
		d := &p.doc.Definitions[i]
		add(d.Span, d.Dest, rules.ResolveDefinition(view.Tree, path, d))
	}
	return spans
}

func (p *spot) dest() string {
	switch {
	case p.link != nil:
		return p.link.Dest
	case p.definition != nil:
		return p.definition.Dest
	}
	return ""
}
