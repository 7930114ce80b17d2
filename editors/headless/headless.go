// Package headless is an editor without a screen: it starts the real memls,
// talks to it through pipes and applies its edits, for the demonstration and
// the benchmarks. (Package lsptest is for tests of the server itself; it
// replays messages and needs no process.)
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
)

// capabilities are those of an editor that can do everything the quick fixes
// need, and is pushed diagnostics.
const capabilities = `{
	"general": {"positionEncodings": ["utf-8", "utf-16"]},
	"workspace": {
		"applyEdit": true,
		"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]}
	},
	"textDocument": {
		"publishDiagnostics": {"versionSupport": true, "codeDescriptionSupport": true, "dataSupport": true},
		"codeAction": {
			"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "source.fixAll"]}},
			"dataSupport": true,
			"resolveSupport": {"properties": ["edit"]}
		}
	}
}`

// An Editor is a running server and the documents that are open in it. Its
// methods are for one goroutine.
type Editor struct {
	server   *Server
	encoding wire.PositionEncoding

	mu      sync.Mutex
	buffers map[string]*buffer // open documents by path
	shown   map[string]Shown   // the last published set by path
	news    chan struct{}      // closed, and replaced, when shown changes
}

// Shown is what the server published last about a document. Version is that
// of the judged text, 0 for a document that is not open.
type Shown struct {
	Version     int32
	Diagnostics []wire.Diagnostic
}

// Start runs the server binary with dir as its working directory and as the
// only workspace folder, and initializes it. The server ends with ctx.
func Start(ctx context.Context, binary, dir string) (*Editor, error) {
	cmd := exec.CommandContext(ctx, binary)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	e := &Editor{buffers: map[string]*buffer{}, shown: map[string]Shown{}, news: make(chan struct{})}
	var err error
	if e.server, err = Run(ctx, cmd, e.handle); err != nil {
		return nil, err
	}
	var result wire.InitializeResult
	err = e.server.Call(ctx, "initialize", map[string]any{
		"processId":        os.Getpid(),
		"rootUri":          fileuri.FromPath(dir),
		"workspaceFolders": []protocol.WorkspaceFolder{{URI: fileuri.FromPath(dir), Name: "memory"}},
		"capabilities":     json.RawMessage(capabilities),
	}, &result)
	if err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	e.encoding = result.Capabilities.PositionEncoding
	return e, e.server.Notify(ctx, "initialized", struct{}{})
}

// PID is the server's process.
func (e *Editor) PID() int { return e.server.PID() }

// Close ends the server in order and fails when it does not exit with 0.
func (e *Editor) Close(ctx context.Context) error { return e.server.Close(ctx) }

// Await returns the diagnostics of an open document as soon as they are those
// of its newest text and good.
func (e *Editor) Await(ctx context.Context, path string, good func([]wire.Diagnostic) bool) ([]wire.Diagnostic, error) {
	for {
		e.mu.Lock()
		shown, ok := e.shown[path]
		current := ok && shown.Version >= e.buffers[path].version
		news := e.news
		e.mu.Unlock()
		if current && good(shown.Diagnostics) {
			return shown.Diagnostics, nil
		}
		select {
		case <-news:
		case <-e.server.conn.Done():
			return nil, fmt.Errorf("the server ended: %w", e.server.conn.Err())
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: the diagnostics that were waited for did not come; the last are %v: %w", path, shown.Diagnostics, ctx.Err())
		}
	}
}

// Any is for [Editor.Await]: whatever the diagnostics are.
func Any([]wire.Diagnostic) bool { return true }

// handle answers the server. It must not wait, as nothing else is read
// meanwhile.
func (e *Editor) handle(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	switch req.Method() {
	case "textDocument/publishDiagnostics":
		var p wire.PublishDiagnosticsParams
		if err := json.Unmarshal(req.Params(), &p); err != nil {
			return err
		}
		return e.show(p)
	case "workspace/configuration":
		var p struct{ Items []any }
		if err := json.Unmarshal(req.Params(), &p); err != nil {
			return err
		}
		return reply(ctx, make([]any, len(p.Items)), nil)
	}
	return reply(ctx, nil, nil) // nothing else matters here; a notification gets no reply
}

func (e *Editor) show(p wire.PublishDiagnosticsParams) error {
	path, err := fileuri.Path(string(p.URI))
	if err != nil {
		return err
	}
	s := Shown{Diagnostics: p.Diagnostics}
	if p.Version != nil {
		s.Version = *p.Version
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown[path] = s
	close(e.news)
	e.news = make(chan struct{})
	return nil
}
