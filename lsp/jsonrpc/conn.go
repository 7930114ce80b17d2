// Package jsonrpc is the transport of the language server: JSON-RPC 2.0 in the
// LSP base protocol's frames, on a pair of pipes.
//
// It uses go.lsp.dev/jsonrpc2 for the connection and replaces the parts which
// end the process on bad input or lose the order of messages (see [stream],
// [decode] and [router]). The order it keeps: messages that change state are
// handled one by one on the read loop; a request captures its snapshot there
// and then runs concurrently.
//
// It knows nothing of documents or of memory, and imports no other package of
// this module.
package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// drainTime is how long the end of a connection waits for requests that were
// received before it. It only bounds a handler that is stuck.
const drainTime = 500 * time.Millisecond

// A Conn is the server's end of a connection to a client. Its methods can be
// called from any goroutine.
type Conn struct {
	rpc    jsonrpc2.Conn
	stream *stream
	router *router
}

// NewConn makes a connection which reads from in and writes to out, one write
// per message. Nothing is read before [Conn.Run].
func NewConn(in io.ReadCloser, out io.Writer, methods Methods, gate Gate, log *slog.Logger) *Conn {
	s := newStream(in, out, log)
	return &Conn{
		rpc:    jsonrpc2.NewConn(s),
		stream: s,
		router: &router{methods: methods, gate: gate, respond: s.respond, log: log, idle: make(chan func()), running: map[jsonrpc2.ID]*running{}},
	}
}

// Run handles messages until the connection is over: the input ended, the
// output broke, [Conn.Close] was called (nil for all of these, except that a
// failed read or write is returned), or ctx was cancelled. It does not wait
// for a read that a pipe does not interrupt.
func (c *Conn) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.rpc.Go(ctx, c.router.handle)
	select {
	case <-c.stream.alive.Done():
	case <-ctx.Done():
	}
	c.router.drain(drainTime)
	c.Close()
	switch err := context.Cause(c.stream.alive); {
	case errors.Is(err, io.EOF), errors.Is(err, errClosed):
		return nil
	default:
		return err
	}
}

// Close ends [Conn.Run]. It is safe to call it more than once.
func (c *Conn) Close() {
	if err := c.stream.Close(); err != nil {
		c.router.log.Debug("closing the input", "error", err)
	}
}

// Notify sends a notification; nil params are left out.
func (c *Conn) Notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return c.rpc.Notify(context.Background(), method, json.RawMessage(raw))
}

// Call sends a request and waits for its answer, which is decoded into result
// unless that is nil. The client's error is a [*jsonrpc2.Error]. Call also
// returns when ctx or the connection ends.
//
// Call must not run on the read loop, so not in a [Notification] or an
// [InlineRequest]: that loop is what reads the answer. Start a goroutine there.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	rawParams, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	// The library leaves calls waiting when the connection ends.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.stream.alive, cancel)()

	var rawResult json.RawMessage
	if _, err := c.rpc.Call(ctx, method, json.RawMessage(rawParams), &rawResult); err != nil {
		return err
	}
	if result == nil || isNull(rawResult) {
		return nil
	}
	if err := json.Unmarshal(rawResult, result); err != nil {
		return fmt.Errorf("answer to %s: %w", method, err)
	}
	return nil
}
