package lsp

import (
	"context"
	"path"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
)

func announceRename(server *wire.ServerCapabilities, client *wire.ClientCapabilities) {
	if client.TextDocument.Rename.PrepareSupport {
		server.RenameProvider = &protocol.RenameOptions{PrepareProvider: true}
		return
	}
	server.RenameProvider = true
}

// A renaming is something in a document that has a name which can be changed.
type renaming struct {
	span rules.Span // of the name in the document
	name string     // what the user edits
	// ops are the steps that give it another name.
	ops func(ctx context.Context, name string) ([]rules.Op, error)
}

// renaming is what the spot names; the error tells the user why it is nothing
// that can be renamed.
func (p *spot) renaming() (*renaming, error) {
	switch {
	case p.label:
		return p.labelRenaming(), nil
	case p.heading != nil:
		return p.headingRenaming(p.sub.path, p.heading, p.heading.TextSpan), nil
	case p.link == nil && p.definition == nil:
		return nil, jsonrpc.RequestFailed("only files by links to them, headings and reference labels can be renamed")
	}
	t, ok := p.target()
	switch {
	case !ok:
		return nil, jsonrpc.RequestFailed("the link does not lead to a file of this memory")
	case t.Kind == rules.TargetMissing:
		return nil, jsonrpc.RequestFailed("%s does not exist", rules.Display(t.Path))
	}
	if a := p.sub.judging.view.AnchorOf(t); a.Heading != nil && (t.Kind == rules.TargetSelf || holds(p.written().FragmentSpan, p.at)) {
		span := p.written().FragmentSpan
		if p.link != nil && p.link.Ref {
			span = p.link.Span // the fragment is written elsewhere
		}
		return p.headingRenaming(t.File, a.Heading, span), nil
	}
	if t.Kind == rules.TargetSelf {
		return nil, jsonrpc.RequestFailed("the link does not lead to another file or a heading")
	}
	return p.fileRenaming(t), nil
}

// written is the target that is written at the spot: for a reference link that
// of its definition.
func (p *spot) written() *markdown.Target {
	if p.definition != nil {
		return &p.definition.Target
	}
	return &p.link.Target
}

func (p *spot) labelRenaming() *renaming {
	definition := p.definition
	if definition == nil {
		definition = definitionOf(p.doc, p.link)
	}
	return &renaming{p.span, string(p.sub.source.staged[p.span.Start:p.span.End]), func(_ context.Context, name string) ([]rules.Op, error) {
		return p.sub.judging.view.RenameLabel(p.sub.path, definition, name)
	}}
}

// headingRenaming renames a heading of the file at path; span is where the
// document names it.
func (p *spot) headingRenaming(path string, h *markdown.Heading, span rules.Span) *renaming {
	view := p.sub.judging.view
	name := h.Text
	if src, err := view.Tree.File(path).Bytes(); err == nil {
		name = string(src[h.TextSpan.Start:h.TextSpan.End])
	}
	return &renaming{span, name, func(ctx context.Context, name string) ([]rules.Op, error) {
		return view.RenameHeading(ctx, p.sub.repo.graph, path, h, name)
	}}
}

// fileRenaming renames the file, or the directory, that a link leads to. The
// name is the path as links say it: relative to the document or from the root.
func (p *spot) fileRenaming(t rules.Target) *renaming {
	span := p.written().DestSpan
	if p.link != nil && p.link.Ref {
		span = p.link.Span // the target is written elsewhere
	}
	name, wiki := "", p.link != nil && p.link.Kind == markdown.Wiki
	switch {
	case wiki:
		name = p.link.Dest
	case strings.HasPrefix(p.written().Dest, "/"):
		name = "/" + t.Path
	default:
		name = rules.RelativePath(p.sub.path, t.Path)
	}
	return &renaming{span, name, func(_ context.Context, name string) ([]rules.Op, error) {
		return p.sub.judging.view.Move(t.Path, p.newPath(t, name, wiki))
	}}
}

// newPath is the path that the user means by a new name. Markdown stays
// Markdown; a wiki link's name without directories stays where it is.
func (p *spot) newPath(t rules.Target, name string, wiki bool) string {
	dir := parentOf(p.sub.path)
	switch {
	case wiki && !strings.Contains(name, "/"):
		dir = parentOf(t.Path)
	case strings.HasPrefix(name, "/"), wiki && !strings.HasPrefix(name, "."):
		dir = ""
	}
	to := strings.TrimPrefix(path.Join(dir, name), "/")
	if rules.IsMarkdown(t.Path) && !rules.IsMarkdown(to) {
		to += ".md"
	}
	return to
}

// prepareRename tells what would be renamed.
func (s *Server) prepareRename(ctx context.Context, snap snapshot, p *protocol.PrepareRenameParams) (*wire.PrepareRenameResult, error) {
	at, err := s.spotAt(ctx, snap, &p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	r, err := at.renaming()
	if err != nil {
		return nil, err
	}
	return &wire.PrepareRenameResult{Range: at.sub.source.rangeOf(r.span), Placeholder: r.name}, nil
}

// rename renames a file, heading or label with everything that names it.
func (s *Server) rename(ctx context.Context, snap snapshot, p *protocol.RenameParams) (*wire.WorkspaceEdit, error) {
	at, err := s.spotAt(ctx, snap, &p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	r, err := at.renaming()
	if err != nil {
		return nil, err
	}
	if p.NewName == r.name {
		return nil, nil
	}
	ops, err := r.ops(ctx, p.NewName)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, jsonrpc.RequestFailed("%v", err)
	}
	edit, err := at.sub.workspaceEdit(&s.client.Capabilities, s.encoding, ops)
	if err != nil {
		return nil, jsonrpc.RequestFailed("%v; use agentcli mv instead", err)
	}
	return edit, nil
}
