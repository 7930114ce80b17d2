package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

const (
	// maxCompletions bounds an answer; the client asks again when more is
	// typed.
	maxCompletions = 500
	// maxDescribed is how many files an answer describes. Others are read when
	// the client resolves them.
	maxDescribed = 200
)

func announceCompletion(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.CompletionProvider = &protocol.CompletionOptions{
		ResolveProvider:   true,
		TriggerCharacters: []string{"(", "[", "<", "/", "#", `"`},
	}
}

// completion offers what can stand at the position: the target of a link, an
// anchor, a key or value of frontmatter or of the config.
func (s *Server) completion(ctx context.Context, snap snapshot, p *wire.CompletionParams) (*wire.CompletionList, error) {
	none := &wire.CompletionList{}
	sub, err := s.subjectOf(ctx, snap, p.TextDocument.URI)
	if sub == nil || err != nil || sub.file == nil || sub.source.opaque {
		return none, err
	}
	c := &completer{
		ctx: ctx, sub: sub, view: sub.judging.view, src: sub.source.staged,
		at:       sub.source.offsets(protocol.Range{Start: p.Position, End: p.Position}).Start,
		snippets: s.client.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport,
		both:     s.client.Capabilities.TextDocument.Completion.CompletionItem.InsertReplaceSupport,
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	return &wire.CompletionList{IsIncomplete: c.incomplete, Items: c.items}, nil
}

// completer gathers the items of one answer.
type completer struct {
	ctx  context.Context
	sub  *subject
	view *rules.View
	src  []byte
	at   int // the cursor

	snippets, both bool

	items      wire.CompletionItems
	incomplete bool
}

func (c *completer) complete() error {
	if c.sub.path == config.Path {
		c.config()
		return nil
	}
	if c.frontmatter() {
		return nil
	}
	doc, err := c.view.DocOf(c.sub.file)
	if err != nil {
		return err
	}
	for _, spans := range [][]rules.Span{doc.Code, doc.HTML} {
		if _, inside := slices.BinarySearchFunc(spans, c.at, compareInside); inside {
			return nil
		}
	}
	link, ok := linkBefore(c.src, c.at)
	if !ok {
		return nil
	}
	if link.anchor {
		return c.anchors(link, doc)
	}
	return c.targets(link)
}

// compareInside orders a span and an offset; they are equal when the offset
// lies in the span and not at one of its ends.
func compareInside(span rules.Span, at int) int {
	switch {
	case span.End <= at:
		return -1
	case span.Start >= at:
		return 1
	}
	return 0
}

// add adds an item that replaces the span, which the cursor is in, by text.
// Items are shown in the order in which they are added.
func (c *completer) add(item wire.CompletionItem, span rules.Span, text string) {
	item.TextEdit = &wire.CompletionEdit{NewText: text}
	whole := c.sub.source.rangeOf(span)
	if c.both {
		item.TextEdit.Insert, item.TextEdit.Replace = new(c.sub.source.rangeOf(rules.Span{Start: span.Start, End: c.at})), &whole
	} else {
		item.TextEdit.Range = &whole
	}
	item.SortText = fmt.Sprintf("%05d", len(c.items))
	c.items = append(c.items, item)
}

// completionData is what resolve needs to find a file again.
type completionData struct {
	URI  protocol.DocumentURI `json:"uri"` // of the document that was completed
	Path string               `json:"path"`
}

func (c *completer) data(path string) json.RawMessage {
	raw, _ := json.Marshal(completionData{c.sub.doc.uri, path}) // strings always have a JSON form
	return raw
}

// resolveCompletion adds the documentation of an item.
func (s *Server) resolveCompletion(ctx context.Context, snap snapshot, item *wire.CompletionItem) (*wire.CompletionItem, error) {
	var data completionData
	if len(item.Data) == 0 || json.Unmarshal(item.Data, &data) != nil {
		return item, nil
	}
	sub, err := s.subjectOf(ctx, snap, data.URI)
	if err != nil || sub == nil {
		return item, err
	}
	f := sub.judging.view.Tree.File(data.Path)
	if f == nil || !f.Mode.IsRegular() {
		return item, nil
	}
	about, err := sub.judging.view.About(f)
	if err != nil {
		return item, nil // it can be completed all the same
	}
	lines := []string{fmt.Sprintf("**%s** — %s", about.Name, tierOf(sub.judging.view, data.Path))}
	if about.Description != "" {
		lines = append(lines, about.Description)
	}
	lines = append(lines, fmt.Sprintf("`%s`, %d characters, about %d tokens (estimate)", rules.Display(data.Path), about.Characters, (about.Bytes+3)/4))
	item.Documentation = s.documentation(strings.Join(lines, "\n\n"))
	return item, nil
}

// documentation is markup in a form that the client shows with a completion.
func (s *Server) documentation(text string) *protocol.MarkupContent {
	if slices.Contains(s.client.Capabilities.TextDocument.Completion.CompletionItem.DocumentationFormat, protocol.Markdown) {
		return &protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.PlainText, Value: strings.NewReplacer("**", "", "`", "").Replace(text)}
}

// subsequence reports whether the letters of typed occur in text in their
// order, in any case: how editors filter what they are offered.
func subsequence(typed, text string) bool {
	rest := []rune(strings.ToLower(typed))
	for _, r := range strings.ToLower(text) {
		if len(rest) == 0 {
			return true
		}
		if r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
