package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

func (s *Server) didOpen(ctx context.Context, p *protocol.DidOpenTextDocumentParams) error {
	item := p.TextDocument
	path, k := identify(item.URI)
	s.replace(ctx, opened, document{
		uri: item.URI, path: path, key: k,
		languageID: item.LanguageID, version: item.Version, text: []byte(item.Text),
	})
	return nil
}

func (s *Server) didChange(ctx context.Context, p *wire.DidChangeTextDocumentParams) error {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	next := *d
	next.version = p.TextDocument.Version
	next.text = d.mapper().Apply(p.ContentChanges)
	s.replace(ctx, edited, next)
	return nil
}

func (s *Server) replace(ctx context.Context, how documentChange, d document) {
	s.documents.Store(s.documents.Load().with(d, s.encoding))
	s.hooks.documentChanged(ctx, d.key, how)
}

// didSave tells the engine that the file on disk has changed, too.
func (s *Server) didSave(ctx context.Context, p *protocol.DidSaveTextDocumentParams) error {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	s.hooks.documentChanged(ctx, d.key, saved)
	return nil
}

func (s *Server) didClose(ctx context.Context, p *protocol.DidCloseTextDocumentParams) error {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	s.documents.Store(s.documents.Load().without(d))
	s.hooks.documentChanged(ctx, d.key, closed)
	return nil
}

func (s *Server) open(uri protocol.DocumentURI) (*document, error) {
	if d := s.documents.Load().get(uri); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%s is not open: the client must send didOpen first", uri)
}
