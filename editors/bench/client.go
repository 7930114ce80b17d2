package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"

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

// A client speaks LSP with any server. Package headless is an editor for
// memls: it is pushed diagnostics, and cannot answer what other servers ask.
type client struct {
	conn    jsonrpc2.Conn
	server  *exec.Cmd
	answers map[string]answer // by method; nothing else is answered but null
	can     serverCapabilities
	kill    context.CancelFunc
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
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(life, argv[0], argv[1:]...)
	cmd.Dir = dir
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		kill()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	c := &client{conn: jsonrpc2.NewConn(jsonrpc2.NewStream(pipes{out, in})), server: cmd, answers: answers, kill: kill}
	c.conn.Go(life, c.handle)
	var result struct{ Capabilities serverCapabilities }
	folder := fileuri.FromPath(dir)
	limited, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	err := c.call(limited, "initialize", map[string]any{
		"processId":             os.Getpid(),
		"rootUri":               folder,
		"workspaceFolders":      []any{map[string]any{"uri": folder, "name": "memory"}},
		"capabilities":          json.RawMessage(clientCapabilities),
		"initializationOptions": map[string]any{"markdownFileExtensions": []string{"md"}},
	}, &result)
	if err == nil {
		c.can = result.Capabilities
		err = c.notify(ctx, "initialized", struct{}{})
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// close ends the server at once: it may be one that hangs, and nothing that
// it does at its end is measured.
func (c *client) close() {
	c.kill()
	c.conn.Close()
	_ = c.server.Wait() // it was killed, which is no news
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

// call sends a request and decodes the result, if the caller wants it. It
// fails when the server ends before it answers.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.conn.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var answer json.RawMessage
	if _, err := c.conn.Call(ctx, method, json.RawMessage(raw), &answer); err != nil {
		if ended := c.conn.Err(); ended != nil {
			return fmt.Errorf("%s: the server ended: %w", method, ended)
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil || len(answer) == 0 {
		return nil
	}
	return json.Unmarshal(answer, result)
}

func (c *client) notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.conn.Notify(ctx, method, json.RawMessage(raw))
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
