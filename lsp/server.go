// Package lsp is memls, the language server. This file and its neighbours
// lifecycle.go, sync.go and documents.go are the layer below the features: the
// handshake, the open documents and the end of the process.
//
// Only cmd imports this package.
package lsp

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/wire"
)

// A Server serves one client.
type Server struct {
	version  string
	log      *slog.Logger
	features []feature
	hooks    hooks

	// conn is set by Serve, client and encoding by initialize; all before
	// anything that reads them can run.
	conn     *jsonrpc.Conn
	client   wire.InitializeParams
	encoding wire.PositionEncoding

	state atomic.Int32 // a state, written on the read loop

	// documents is replaced, never modified, on the read loop.
	documents atomic.Pointer[documents]

	engine  *engine
	folders folders

	settings atomic.Pointer[settings]
	trace    traceLevel

	progresses progresses

	hookInstaller HookInstaller // nil: there is none
}

// hooks is what the engine hears from this layer. The methods run on the read
// loop, so in the order of the client's messages: they must return quickly and
// must not wait for the client. ctx lasts as long as the connection.
type hooks interface {
	// initialized tells that the handshake is over: client and encoding are
	// known, and the server may send requests (from another goroutine).
	initialized(ctx context.Context)

	// documentChanged tells what happened to a document. The new state is in
	// Server.documents.
	documentChanged(ctx context.Context, changed key, how documentChange)
}

// documentChange is what a client did to a document.
type documentChange int

const (
	opened documentChange = iota
	edited
	saved
	closed
)

// NewServer returns a server that calls itself version and logs to log, which
// must not write to the stream that Serve writes to.
func NewServer(version string, log *slog.Logger) *Server {
	s := &Server{version: version}
	s.log = slog.New(&clientLog{Handler: log.Handler(), server: s})
	s.settings.Store(&settings{})
	s.engine = newEngine(s)
	s.hooks = s.engine
	s.features = s.allFeatures()
	s.documents.Store(&documents{})
	return s
}

// Serve talks to the client until it sends exit or goes away: in ends, out
// breaks, the process that the client named as its own ends, or ctx is
// cancelled. The result is the process's exit code: 0 when the client asked
// for the shutdown first, else 1 (LSP 3.17, "Exit Notification").
//
// Nothing else may write to out; when that is os.Stdout, the caller redirects
// the variable. A read that is not interrupted by closing in is left behind.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) (exitCode int) {
	s.conn = jsonrpc.NewConn(in, out, s.methods(), s.gate, s.log)
	if err := s.conn.Run(ctx); err != nil {
		s.log.Info("connection ended", "error", err)
	}
	if s.state.Load() == shutDown {
		return 0
	}
	return 1
}

// A snapshot is the state after exactly those messages that the client sent
// before a request. It is immutable.
type snapshot struct {
	documents *documents
	client    *wire.ClientCapabilities
	encoding  wire.PositionEncoding
}

func (s *Server) snapshot() snapshot {
	return snapshot{documents: s.documents.Load(), client: &s.client.Capabilities, encoding: s.encoding}
}

// A feature is one method that is offered to clients.
type feature struct {
	method  string
	handler jsonrpc.Method

	// announce adds the feature to what the server says it can do; nil when
	// another feature's announcement covers it.
	announce func(server *wire.ServerCapabilities, client *wire.ClientCapabilities)
}

// allFeatures is the table of features, one line each. A line's handler is a
// method of Server in a file of its own:
//
//	{protocol.MethodTextDocumentHover, jsonrpc.Request(s.snapshot, s.hover), announceHover},
//
//	func (s *Server) hover(ctx context.Context, snap snapshot, p *protocol.HoverParams) (*protocol.Hover, error)
func (s *Server) allFeatures() []feature {
	return []feature{
		{protocol.MethodTextDocumentCodeAction, jsonrpc.Request(s.snapshot, s.codeAction), announceCodeAction},
		{wire.MethodCodeActionResolve, jsonrpc.Request(s.snapshot, s.resolveAction), nil},
		{protocol.MethodTextDocumentDefinition, jsonrpc.Request(s.snapshot, s.definition), announceDefinition},
		{protocol.MethodTextDocumentReferences, jsonrpc.Request(s.snapshot, s.references), announceReferences},
		{protocol.MethodTextDocumentDocumentHighlight, jsonrpc.Request(s.snapshot, s.highlight), announceHighlight},
		{protocol.MethodTextDocumentDocumentLink, jsonrpc.Request(s.snapshot, s.documentLinks), announceDocumentLink},
		{methodDocumentLinkResolve, jsonrpc.Request(s.snapshot, s.resolveLink), nil},
		{protocol.MethodTextDocumentPrepareRename, jsonrpc.Request(s.snapshot, s.prepareRename), nil},
		{protocol.MethodTextDocumentRename, jsonrpc.Request(s.snapshot, s.rename), announceRename},
		{protocol.MethodWillRenameFiles, jsonrpc.Request(s.snapshot, s.willRenameFiles), announceFiles},
		{protocol.MethodDidRenameFiles, jsonrpc.Notification(s.didRenameFiles), nil},
		{protocol.MethodDidCreateFiles, jsonrpc.Notification(s.didCreateFiles), nil},
		{protocol.MethodDidDeleteFiles, jsonrpc.Notification(s.didDeleteFiles), nil},
		{protocol.MethodTextDocumentHover, jsonrpc.Request(s.snapshot, s.hover), announceHover},
		{protocol.MethodWorkspaceExecuteCommand, jsonrpc.Request(s.snapshot, s.executeCommand), announceCommands},
		{protocol.MethodTextDocumentCompletion, jsonrpc.Request(s.snapshot, s.completion), announceCompletion},
		{protocol.MethodCompletionItemResolve, jsonrpc.Request(s.snapshot, s.resolveCompletion), nil},
		{protocol.MethodTextDocumentDocumentSymbol, jsonrpc.Request(s.snapshot, s.documentSymbols), announceSymbols},
		{protocol.MethodWorkspaceSymbol, jsonrpc.Request(s.snapshot, s.workspaceSymbols), announceWorkspaceSymbols},
		{protocol.MethodTextDocumentFoldingRange, jsonrpc.Request(s.snapshot, s.foldingRanges), announceFolding},
		{wire.MethodTextDocumentSelectionRange, jsonrpc.Request(s.snapshot, s.selectionRanges), announceSelection},
		{protocol.MethodTextDocumentCodeLens, jsonrpc.Request(s.snapshot, s.codeLens), announceCodeLens},
		{protocol.MethodCodeLensResolve, jsonrpc.Request(s.snapshot, s.resolveLens), nil},
		{wire.MethodTextDocumentInlayHint, jsonrpc.Request(s.snapshot, s.inlayHints), announceInlay},
		{protocol.MethodTextDocumentFormatting, jsonrpc.Request(s.snapshot, s.formatting), announceFormatting},
		{protocol.MethodTextDocumentOnTypeFormatting, jsonrpc.Request(s.snapshot, s.onType), announceOnType},
		{wire.MethodTextDocumentDiagnostic, jsonrpc.Request(s.snapshot, s.documentDiagnostic), announcePull},
		{wire.MethodWorkspaceDiagnostic, jsonrpc.Request(s.snapshot, s.workspaceDiagnostic), nil},
		{protocol.MethodWorkDoneProgressCancel, jsonrpc.Notification(s.cancelProgress), nil},
		{protocol.MethodWorkspaceDidChangeConfiguration, jsonrpc.Notification(s.didChangeConfiguration), nil},
		{protocol.MethodWorkspaceDidChangeWatchedFiles, jsonrpc.Notification(s.didChangeWatchedFiles), nil},
		{protocol.MethodWorkspaceDidChangeWorkspaceFolders, jsonrpc.Notification(s.didChangeWorkspaceFolders), announceFolders},
	}
}

// methods is every method that the server handles.
func (s *Server) methods() jsonrpc.Methods {
	m := jsonrpc.Methods{
		protocol.MethodInitialize:            jsonrpc.InlineRequest(s.initialize),
		protocol.MethodInitialized:           jsonrpc.Notification(s.initialized),
		protocol.MethodShutdown:              jsonrpc.InlineRequest(s.shutdown),
		protocol.MethodExit:                  jsonrpc.Notification(s.exit),
		protocol.MethodSetTrace:              jsonrpc.Notification(s.setTrace),
		protocol.MethodTextDocumentDidOpen:   jsonrpc.Notification(s.didOpen),
		protocol.MethodTextDocumentDidChange: jsonrpc.Notification(s.didChange),
		protocol.MethodTextDocumentDidSave:   jsonrpc.Notification(s.didSave),
		protocol.MethodTextDocumentDidClose:  jsonrpc.Notification(s.didClose),
	}
	for _, f := range s.features {
		m[f.method] = f.handler
	}
	return m
}
