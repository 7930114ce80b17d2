package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/facts"
)

func announceHover(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.HoverProvider = true
}

// hover explains the rules that found something at the position; else what the
// link there leads to, or the key there means; elsewhere it tells what the file
// costs.
func (s *Server) hover(ctx context.Context, snap snapshot, p *protocol.HoverParams) (*protocol.Hover, error) {
	sub, err := s.subjectOf(ctx, snap, p.TextDocument.URI)
	if sub == nil || err != nil {
		return nil, err
	}
	found, err := sub.findings()
	sub.repo.complain(err)
	at := sub.source.offsets(protocol.Range{Start: p.Position, End: p.Position}).Start
	var parts []string
	var where *protocol.Range
	for i := range found {
		if f := &found[i]; f.span.Start <= at && at <= f.span.End {
			parts = append(parts, ruleHover(f))
			where = new(sub.source.rangeOf(f.span))
		}
	}
	text, span, err := sub.spotHover(at)
	if err != nil {
		return nil, err
	}
	if text != "" && len(parts) == 0 {
		parts, where = []string{text}, new(sub.source.rangeOf(span))
	}
	if len(parts) == 0 {
		if parts, err = sub.fileHover(); err != nil || parts == nil {
			return nil, err
		}
	}
	parts = slices.Compact(parts)
	return &protocol.Hover{Contents: s.markup(strings.Join(parts, "\n\n---\n\n")), Range: where}, nil
}

// markup is text in a form that the client shows. The text is written so that
// it reads well as plain text, too.
func (s *Server) markup(text string) protocol.MarkupContent {
	if slices.Contains(s.client.Capabilities.TextDocument.Hover.ContentFormat, protocol.Markdown) {
		return protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
	}
	return protocol.MarkupContent{Kind: protocol.PlainText, Value: strings.NewReplacer("**", "", "`", "").Replace(text)}
}

func ruleHover(f *shown) string {
	text := fmt.Sprintf("**%s** — %s\n\n%s", f.rule.ID, f.rule.Summary, f.rule.Doc.Why)
	if f.help != "" {
		text += "\n\nTo do: " + f.help
	}
	return text
}

// fileHover tells the file's tier, size and share of the budgets.
func (sub *subject) fileHover() ([]string, error) {
	if sub.file == nil {
		return nil, nil
	}
	view := sub.judging.view
	n := facts.Characters(sub.source.staged)
	limits := view.Limits()
	size := fmt.Sprintf("%d characters", n)
	if limits != nil && view.Constrained(sub.path) {
		if limit, _, ok := limits.FileLimit(sub.path); ok {
			size += fmt.Sprintf(" of %d (%s)", limit, percent(int64(n), limit))
		}
	}
	// The project's estimate everywhere: four bytes make a token.
	size += fmt.Sprintf(", about %d tokens (estimate)", (len(sub.source.staged)+3)/4)
	lines := []string{fmt.Sprintf("**%s** — %s", rules.Display(sub.path), tierOf(view, sub.path)), size}
	if view.V2 && rules.IsCore(sub.path) {
		used, limit, err := view.CoreBudget()
		if err != nil {
			return nil, err
		}
		if limit >= 0 {
			lines = append(lines, fmt.Sprintf("Core memory: %d of %d characters (%s)", used, limit, percent(used, limit)))
		}
	}
	return []string{strings.Join(lines, "\n\n")}, nil
}

// tierOf says where the file stands in the memory (spec, section 1).
func tierOf(v *rules.View, path string) string {
	switch {
	case path == config.Path:
		return "limits of this memory"
	case v.RoleOf(path) == rules.RoleSkill:
		return "skill; not memory"
	case !v.V2:
		return legacyTier(path)
	case rules.IsCore(path):
		return "core memory: always in the prompt"
	case !v.Projected(path):
		return "not part of the memory: " + rules.Display(v.Gap(path)) + " is missing"
	}
	return "deferred memory: read on demand"
}

func legacyTier(path string) string {
	switch {
	case strings.HasPrefix(strings.TrimPrefix(path, "memory/"), "system/"):
		return "core memory: always in the prompt"
	case rules.IsMarkdown(path):
		return "memory, read on demand"
	}
	return "plain file"
}

func percent(n, of int64) string {
	if of <= 0 {
		return "over budget"
	}
	return fmt.Sprintf("%d %%", n*100/of)
}
