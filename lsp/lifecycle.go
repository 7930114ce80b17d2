package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/parent"
	"github.com/memls/memls/lsp/wire"
)

// The states of a connection, in order.
const (
	uninitialized = iota
	running
	shutDown
)

// none is the type of params that are not read, whatever the client sends.
type none = json.RawMessage

// gate refuses what the state does not allow (LSP 3.17, "Server lifecycle").
func (s *Server) gate(method string) error {
	state := s.state.Load()
	switch {
	case method == protocol.MethodExit:
		return nil
	case state == uninitialized && method != protocol.MethodInitialize:
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s before initialize", method)
	case state == running && method == protocol.MethodInitialize:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize was already sent")
	case state == shutDown:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s after shutdown", method)
	}
	return nil
}

func (s *Server) initialize(ctx context.Context, p *wire.InitializeParams) (*wire.InitializeResult, error) {
	s.client = *p
	s.encoding = p.Capabilities.Negotiate()
	s.folders.add(rootsOf(p))
	s.trace.set(p.Trace)
	s.configure(p.InitializationOptions)
	s.state.Store(running)
	if p.ProcessID != nil && *p.ProcessID > 0 {
		go s.endWith(ctx, int(*p.ProcessID))
	}
	return &wire.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   &protocol.ServerInfo{Name: "memls", Version: s.version},
	}, nil
}

func (s *Server) capabilities() wire.ServerCapabilities {
	c := wire.ServerCapabilities{PositionEncoding: s.encoding}
	c.TextDocumentSync = &protocol.TextDocumentSyncOptions{
		OpenClose: true,
		Change:    protocol.TextDocumentSyncKindIncremental,
		Save:      &protocol.SaveOptions{},
	}
	for _, f := range s.features {
		if f.announce != nil {
			f.announce(&c, &s.client.Capabilities)
		}
	}
	return c
}

// endWith ends the connection when the client's process does.
func (s *Server) endWith(ctx context.Context, pid int) {
	if err := parent.Wait(ctx, pid); err != nil {
		return // the connection ended first
	}
	s.log.Info("the client's process is gone", "pid", pid)
	s.conn.Close()
}

func (s *Server) initialized(ctx context.Context, _ *none) error {
	s.trace.ready.Store(true)
	s.hooks.initialized(ctx)
	return nil
}

func (s *Server) shutdown(context.Context, *none) (any, error) {
	s.state.Store(shutDown)
	return nil, nil
}

func (s *Server) exit(context.Context, *none) error {
	s.conn.Close()
	return nil
}
