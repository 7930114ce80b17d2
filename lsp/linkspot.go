package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
)

// A spot is what stands at a position of a Markdown document: at most one of
// link, definition and heading is set.
type spot struct {
	sub        *subject
	at         int // the position
	doc        *markdown.Doc
	link       *markdown.Link
	definition *markdown.Definition
	heading    *markdown.Heading
	// label says that the position is in a reference label, where span is.
	label bool
	span  rules.Span
	// top says that the position stands for the file as a whole: its first
	// line, its frontmatter, and in an index whatever is nothing else.
	top bool
}

// spotAt is the spot at a position in a document, nil when the document is
// none of ours or no Markdown.
func (s *Server) spotAt(ctx context.Context, snap snapshot, at *protocol.TextDocumentPositionParams) (*spot, error) {
	sub, err := s.subjectOf(ctx, snap, at.TextDocument.URI)
	if sub == nil || err != nil {
		return nil, err
	}
	return sub.spotAt(sub.source.offsets(protocol.Range{Start: at.Position, End: at.Position}).Start)
}

func (sub *subject) spotAt(at int) (*spot, error) {
	doc, err := sub.markdown()
	if doc == nil || err != nil {
		return nil, err
	}
	p := &spot{sub: sub, at: at, doc: doc}
	front, err := sub.judging.view.Front(sub.file)
	if err != nil {
		return nil, err
	}
	p.top = at < front.Body || at <= firstLine(sub.source.staged).End
	for i := range doc.Links {
		// Of an image inside a link the image counts, it comes later.
		if l := &doc.Links[i]; holds(l.Span, at) {
			p.link, p.span = l, l.Span
		}
	}
	if p.link != nil {
		if label := rules.LabelSpan(p.link); p.link.Ref && holds(label, at) {
			p.label, p.span = true, label
		}
		return p, nil
	}
	for i := range doc.Definitions {
		if d := &doc.Definitions[i]; holds(d.Span, at) {
			p.definition, p.span = d, d.Span
			if label := rules.LabelSpans(doc, d)[0]; holds(label, at) {
				p.label, p.span = true, label
			}
			return p, nil
		}
	}
	for i := range doc.Headings {
		if h := &doc.Headings[i]; holds(h.Span, at) {
			p.heading, p.span = h, h.TextSpan
			return p, nil
		}
	}
	p.top = p.top || rules.IsIndex(sub.path)
	return p, nil
}

// markdown is the Markdown of the document, nil when it has none that positions can
// be told of.
func (sub *subject) markdown() (*markdown.Doc, error) {
	if sub.file == nil || !rules.IsMarkdown(sub.path) || sub.source.opaque {
		return nil, nil
	}
	return sub.judging.view.DocOf(sub.file)
}

func holds(s rules.Span, at int) bool { return s.Start <= at && at <= s.End }

// definitionOf is the definition that a reference link takes its target from.
func definitionOf(doc *markdown.Doc, l *markdown.Link) *markdown.Definition {
	for i := range doc.Definitions {
		if d := &doc.Definitions[i]; l.Ref && d.DestSpan == l.DestSpan {
			return d
		}
	}
	return nil
}

// target is what the spot leads to; ok is false where it leads nowhere in the
// repository. A heading leads to itself, the top of a file to the file.
func (p *spot) target() (t rules.Target, ok bool) {
	tree, path := p.sub.judging.view.Tree, p.sub.path
	self := rules.Target{Kind: rules.TargetSelf, Path: path, File: path}
	switch {
	case p.link != nil:
		t = rules.Resolve(tree, path, p.link)
	case p.definition != nil:
		t = rules.ResolveDefinition(tree, path, p.definition)
	case p.heading != nil && !p.top:
		self.Fragment = p.heading.Slug
		return self, true
	case p.top:
		return self, true
	default:
		return t, false
	}
	switch t.Kind {
	case rules.TargetFile, rules.TargetDir, rules.TargetSelf, rules.TargetMissing:
		return t, true
	}
	return t, false
}

// A locator finds places in the files of one repository. It keeps the text of
// the last file, since places are asked for file by file.
type locator struct {
	sub  *subject
	enc  wire.PositionEncoding
	path string
	uri  protocol.DocumentURI
	last *source
}

func (sub *subject) locator(enc wire.PositionEncoding) *locator { return &locator{sub: sub, enc: enc} }

// at is a place in a file of the repository; ok is false where the file cannot
// be read or is no text.
func (l *locator) at(path string, span rules.Span) (where protocol.Location, ok bool) {
	if l.last == nil || l.path != path {
		l.path = path
		if l.uri, l.last, ok = l.text(path); !ok {
			l.last = nil
			return where, false
		}
	}
	if l.last.opaque {
		return where, false
	}
	return protocol.Location{URI: l.uri, Range: l.last.rangeOf(span)}, true
}

// of is where a link stands. Of files that are not open the graph mostly knows,
// so that the links to a file can be listed without reading all that have one.
func (l *locator) of(ref *rules.Ref) (where protocol.Location, ok bool) {
	path := ref.From.Path
	if b := l.sub.judging.overlay.buffers[path]; ref.Place == nil || b != nil && b.file != nil {
		return l.at(path, ref.Link.Span)
	}
	return protocol.Location{URI: protocol.DocumentURI(fileuri.FromPath(absolute(l.sub.repo.git, path))), Range: rangeAt(ref.Place, l.enc)}, true
}

// rangeAt is a place in the positions of the client.
func rangeAt(p *rules.Place, enc wire.PositionEncoding) protocol.Range {
	line, start, end := uint32(p.Line), p.Start, p.End
	if enc != wire.UTF8 {
		start, end = p.Start16, p.End16
	}
	return protocol.Range{Start: protocol.Position{Line: line, Character: uint32(start)}, End: protocol.Position{Line: line, Character: uint32(end)}}
}

func (l *locator) text(path string) (protocol.DocumentURI, *source, bool) {
	j := l.sub.judging
	if b := j.overlay.buffers[path]; b != nil && b.file != nil {
		return b.doc.uri, b.source, true
	}
	uri := protocol.DocumentURI(fileuri.FromPath(absolute(l.sub.repo.git, path)))
	f := j.view.Tree.File(path)
	if f == nil || !rules.IsMarkdown(path) {
		return uri, newSource(nil, false, l.enc), f != nil
	}
	staged, err := f.Bytes()
	if err != nil {
		return uri, nil, false
	}
	return uri, newSource(staged, false, l.enc), true
}
