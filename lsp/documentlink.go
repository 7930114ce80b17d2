package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
)

const methodDocumentLinkResolve = "documentLink/resolve"

func announceDocumentLink(server *wire.ServerCapabilities, client *wire.ClientCapabilities) {
	server.DocumentLinkProvider = &protocol.DocumentLinkOptions{ResolveProvider: client.ResolvesLinks()}
}

// A documentLink is protocol's with data of a known shape.
type documentLink struct {
	Range   protocol.Range       `json:"range"`
	Target  protocol.DocumentURI `json:"target,omitempty"`
	Tooltip string               `json:"tooltip,omitempty"`
	Data    *linkData            `json:"data,omitempty"`
}

// linkData says what a link leads to, for when the user points at it.
type linkData struct {
	URI      protocol.DocumentURI `json:"uri"` // of the document
	File     string               `json:"file"`
	Fragment string               `json:"fragment,omitempty"`
}

// documentLinks lists the links that lead to a file. Where the client resolves
// links, what needs the other file's text is left for then: the line of a
// heading, and what the file calls itself.
func (s *Server) documentLinks(ctx context.Context, snap snapshot, p *protocol.DocumentLinkParams) ([]documentLink, error) {
	sub, err := s.subjectOf(ctx, snap, p.TextDocument.URI)
	if sub == nil || err != nil {
		return nil, err
	}
	doc, err := sub.markdown()
	if doc == nil || err != nil {
		return nil, err
	}
	list := []documentLink{}
	add := func(span rules.Span, dest string, t rules.Target) {
		link := documentLink{Range: sub.source.rangeOf(span)}
		switch {
		case t.Kind == rules.TargetExternal && isWeb(dest):
			link.Target = protocol.DocumentURI(dest)
		case t.File == "":
			return // not there, or not ours
		case s.client.Capabilities.ResolvesLinks():
			link.Data = &linkData{p.TextDocument.URI, t.File, t.Fragment}
		default:
			link.Target = sub.linkTarget(t)
		}
		list = append(list, link)
	}
	tree := sub.judging.view.Tree
	for i := range doc.Links {
		l := &doc.Links[i]
		dest := l.Dest
		if l.HasFragment {
			dest += "#" + l.Fragment
		}
		add(clickable(l), dest, rules.Resolve(tree, sub.path, l))
	}
	for i := range doc.Definitions {
		d := &doc.Definitions[i]
		dest := d.Dest
		if d.HasFragment {
			dest += "#" + d.Fragment
		}
		add(destination(&d.Target), dest, rules.ResolveDefinition(tree, sub.path, d))
	}
	return list, nil
}

func isWeb(dest string) bool {
	scheme, _, _ := strings.Cut(dest, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto":
		return true
	}
	return false
}

// clickable is the part of a link that is underlined: what is written of its
// target, or of a reference the link itself.
func clickable(l *markdown.Link) rules.Span {
	switch {
	case l.Ref:
		return l.Span
	case l.Kind == markdown.Wiki, l.Kind == markdown.Autolink:
		return l.TextSpan
	}
	return destination(&l.Target)
}

// destination is where a target is written, fragment included.
func destination(t *markdown.Target) rules.Span {
	return rules.Span{Start: t.DestSpan.Start, End: max(t.DestSpan.End, t.FragmentSpan.End)}
}

// linkTarget is the address by which an editor opens a target: with the line
// of its heading, which several understand as "#L12".
func (sub *subject) linkTarget(t rules.Target) protocol.DocumentURI {
	uri := fileuri.FromPath(absolute(sub.repo.git, t.File))
	if b := sub.judging.overlay.buffers[t.File]; b != nil && b.file != nil {
		uri = string(b.doc.uri)
	}
	if a := sub.judging.view.AnchorOf(t); a.Heading != nil {
		if src, err := sub.judging.view.Tree.File(t.File).Bytes(); err == nil {
			uri += fmt.Sprintf("#L%d", rules.PositionIn(src, a.Heading.Span.Start).Line)
		}
	}
	return protocol.DocumentURI(uri)
}

// resolveLink fills in where a link leads and what is there.
func (s *Server) resolveLink(ctx context.Context, snap snapshot, link *documentLink) (*documentLink, error) {
	if link.Data == nil {
		return link, nil
	}
	sub, err := s.subjectOf(ctx, snap, link.Data.URI)
	if sub == nil || err != nil {
		return link, err
	}
	t := rules.Target{Kind: rules.TargetFile, Path: link.Data.File, File: link.Data.File, Fragment: link.Data.Fragment}
	f := sub.judging.view.Tree.File(t.File)
	if f == nil {
		return link, nil // it was deleted since
	}
	link.Target = sub.linkTarget(t)
	if rules.IsMarkdown(t.File) {
		if about, err := sub.judging.view.About(f); err == nil {
			link.Tooltip = aboutLine(about)
		}
	}
	return link, nil
}
