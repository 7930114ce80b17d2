package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/memls/memls/editors/headless"
	"github.com/memls/memls/lsp/fileuri"
)

// clientCapabilities are those of an editor that pulls diagnostics, which all
// the compared servers can be asked for, and renames files with their links.
const clientCapabilities = `{
	"workspace": {
		"workspaceFolders": true,
		"configuration": true,
		"didChangeWatchedFiles": {"dynamicRegistration": true},
		"diagnostics": {"refreshSupport": true},
		"symbol": {},
		"fileOperations": {"willRename": true, "didRename": true},
		"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]}
	},
	"textDocument": {
		"synchronization": {},
		"diagnostic": {},
		"definition": {},
		"references": {}
	}
}`

// An answer is what a client says to a request of the server.
type answer func(params json.RawMessage) (any, error)

// A client speaks LSP with any server. [headless.Editor] is one for memls: it
// is pushed diagnostics, and cannot answer what other servers ask.
type client struct {
	*headless.Server
	answers map[string]answer // by method; nothing else is answered but null
	can     serverCapabilities
}

// serverCapabilities are the ones that decide how a server is asked.
type serverCapabilities struct {
	TextDocumentSync        json.RawMessage // a number, or an object that has it
	DefinitionProvider      any
	ReferencesProvider      any
	WorkspaceSymbolProvider any
	DiagnosticProvider      any
	Workspace               struct {
		FileOperations struct{ WillRename any }
	}
}

// startPatience is how long a server may take to answer that it is there.
const startPatience = 20 * time.Second

// startClient runs a server in dir, its only workspace folder, and
// initializes it.
func startClient(ctx context.Context, argv []string, dir string, answers map[string]answer) (*client, error) {
	life := context.WithoutCancel(ctx) // it is killed at the end of its session
	cmd := exec.CommandContext(life, argv[0], argv[1:]...)
	cmd.Dir = dir
	c := &client{answers: answers}
	var err error
	if c.Server, err = headless.Run(life, cmd, c.handle); err != nil {
		return nil, err
	}
	var result struct{ Capabilities serverCapabilities }
	folder := fileuri.FromPath(dir)
	limited, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	err = c.Call(limited, "initialize", map[string]any{
		"processId":             os.Getpid(),
		"rootUri":               folder,
		"workspaceFolders":      []any{map[string]any{"uri": folder, "name": "memory"}},
		"capabilities":          json.RawMessage(clientCapabilities),
		"initializationOptions": map[string]any{"markdownFileExtensions": []string{"md"}},
	}, &result)
	if err == nil {
		c.can = result.Capabilities
		err = c.Notify(ctx, "initialized", struct{}{})
	}
	if err != nil {
		c.Kill()
		return nil, err
	}
	return c, nil
}

// handle answers the server beside what is read meanwhile: an answer may take
// long, as that of a Markdown parser.
func (c *client) handle(ctx context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	answer := c.answers[req.Method()]
	if req.Method() == "workspace/configuration" {
		answer = noSettings
	}
	if answer == nil {
		return reply(ctx, nil, nil) // a notification gets no reply
	}
	params := slices.Clone(json.RawMessage(req.Params()))
	go func() {
		result, err := answer(params)
		raw, jsonErr := json.Marshal(result)
		_ = reply(ctx, json.RawMessage(raw), errors.Join(err, jsonErr)) // fails when the server has ended, as a call will tell
	}()
	return nil
}

// noSettings leaves everything at the server's defaults.
func noSettings(params json.RawMessage) (any, error) {
	var p struct{ Items []any }
	err := json.Unmarshal(params, &p)
	return make([]any, len(p.Items)), err
}

// takesWholeText reports whether a change has to be sent as the whole text.
func (s *serverCapabilities) takesWholeText() bool {
	const full = 1 // TextDocumentSyncKind.Full
	var kind int
	if json.Unmarshal(s.TextDocumentSync, &kind) == nil {
		return kind == full
	}
	var options struct{ Change int }
	return json.Unmarshal(s.TextDocumentSync, &options) == nil && options.Change == full
}
