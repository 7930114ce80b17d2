package lsp

import (
	"bytes"
	"context"
	"regexp"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

func announceFormatting(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.DocumentFormattingProvider = true
}

// formatting applies the hygiene rules that the memory's config asks for, and
// nothing else: without them there is nothing to do.
func (s *Server) formatting(ctx context.Context, snap snapshot, p *documentParams) ([]wire.TextEdit, error) {
	edits := []wire.TextEdit{}
	sub, err := s.subjectOf(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil || sub.file == nil {
		return edits, err
	}
	return append(edits, sub.source.textEdits(sub.judging.view.Formatting(sub.path, sub.source.staged))...), nil
}

func announceOnType(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.DocumentOnTypeFormattingProvider = &protocol.DocumentOnTypeFormattingOptions{FirstTriggerCharacter: "\n"}
}

type onTypeParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
	Ch           string                          `json:"ch"`
}

var (
	linkItem  = regexp.MustCompile(`^([ \t]*[-*+][ \t]+)\[.*\]`)
	emptyItem = regexp.MustCompile(`^[ \t]*[-*+][ \t]*$`)
)

// onType goes on with the list of an index: below an item that links, a new
// line gets its bullet; below an empty item, that one goes.
func (s *Server) onType(ctx context.Context, snap snapshot, p *onTypeParams) ([]wire.TextEdit, error) {
	edits := []wire.TextEdit{}
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil || p.Ch != "\n" || !rules.IsIndex(sub.path) {
		return edits, err
	}
	src := sub.source.staged
	line := lineAround(src, sub.source.offsets(protocol.Range{Start: p.Position, End: p.Position}).Start)
	if line.Start == 0 || len(bytes.TrimSpace(src[line.Start:line.End])) > 0 {
		return edits, nil
	}
	above := lineAround(src, line.Start-1)
	switch text := src[above.Start:above.End]; {
	case emptyItem.Match(text):
		return append(edits, sub.source.textEdits([]rules.Edit{{Span: above}})...), nil
	case linkItem.Match(text):
		lead := string(linkItem.FindSubmatch(text)[1])
		return append(edits, sub.source.textEdits([]rules.Edit{{Span: line, New: lead}})...), nil
	}
	return edits, nil
}
