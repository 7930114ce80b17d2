package lsp

import (
	"context"
	"fmt"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
)

func announceInlay(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.InlayHintProvider = &wire.InlayHintOptions{}
}

// inlayHints tell, beside each link of an index, how large the memory is that
// it leads to, and when that is over its budget.
func (s *Server) inlayHints(ctx context.Context, snap snapshot, p *wire.InlayHintParams) ([]wire.InlayHint, error) {
	hints := []wire.InlayHint{}
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil || s.settings.Load().noHints || !sub.judging.view.V2 || !rules.IsIndex(sub.path) {
		return hints, err
	}
	doc, err := sub.judging.view.DocOf(sub.file)
	if err != nil {
		return nil, err
	}
	asked := sub.source.offsets(p.Range)
	for i := range doc.Links {
		l := &doc.Links[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.Span.End < asked.Start || asked.End < l.Span.Start || l.Kind == markdown.Image || l.Kind == markdown.Autolink {
			continue
		}
		if label, ok := sub.sizeOf(rules.Resolve(sub.judging.view.Tree, sub.path, l)); ok {
			hints = append(hints, wire.InlayHint{
				Position: sub.source.rangeOf(rules.Span{Start: l.Span.End, End: l.Span.End}).Start, Label: label, PaddingLeft: true,
			})
		}
	}
	return hints, nil
}

// sizeOf is the size of the memory file that a link leads to.
func (sub *subject) sizeOf(target rules.Target) (label string, ok bool) {
	view := sub.judging.view
	f := view.Tree.File(target.File)
	if f == nil || f.Path == sub.path || !f.Mode.IsRegular() || !view.Constrained(f.Path) {
		return "", false
	}
	about, err := view.About(f)
	if err != nil {
		return "", false
	}
	limits := view.Limits()
	if limits != nil {
		if limit, _, limited := limits.FileLimit(f.Path); limited && int64(about.Characters) > limit {
			return fmt.Sprintf("%d of %d characters: over budget", about.Characters, limit), true
		}
	}
	return plural(about.Characters, "character"), true
}
