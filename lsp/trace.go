package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"go.lsp.dev/protocol"
)

// A traceLevel is how much of the log the client is sent: what $/setTrace, the
// trace of initialize and the setting memls.trace say.
type traceLevel struct {
	below atomic.Int64 // levels from untraced-below on are sent
	ready atomic.Bool  // the client has said that it is initialized
}

// untraced is above all levels: a client shows what the server writes to
// standard error, too, and would show it twice.
const untraced = slog.LevelError + 1

var traceLevels = map[string]slog.Level{
	"off":      untraced,
	"messages": slog.LevelInfo,
	"verbose":  slog.LevelDebug,
}

// set takes one of off, messages and verbose; anything else changes nothing.
func (t *traceLevel) set(value string) {
	if level, ok := traceLevels[value]; ok {
		t.below.Store(int64(untraced - level))
	}
}

func (t *traceLevel) enabled(level slog.Level) bool {
	return t.ready.Load() && level >= untraced-slog.Level(t.below.Load())
}

func (s *Server) setTrace(_ context.Context, p *protocol.SetTraceParams) error {
	s.trace.set(string(p.Value))
	return nil
}

// clientLog sends the log to the client, too, as window/logMessage, while it
// traces: a person can copy it from the editor into a bug report.
type clientLog struct {
	slog.Handler
	server *Server
	attrs  string
}

// Enabled implements [slog.Handler].
func (h *clientLog) Enabled(ctx context.Context, level slog.Level) bool {
	return h.Handler.Enabled(ctx, level) || h.forClient(level)
}

// forClient reports whether the client is sent entries of a level. Before the
// handshake is over it may not be sent any.
func (h *clientLog) forClient(level slog.Level) bool {
	return h.server.state.Load() == running && h.server.trace.enabled(level)
}

var messageTypes = map[slog.Level]protocol.MessageType{
	slog.LevelDebug: protocol.MessageTypeLog,
	slog.LevelInfo:  protocol.MessageTypeInfo,
	slog.LevelWarn:  protocol.MessageTypeWarning,
	slog.LevelError: protocol.MessageTypeError,
}

// Handle implements [slog.Handler].
func (h *clientLog) Handle(ctx context.Context, r slog.Record) error {
	if h.forClient(r.Level) {
		var b strings.Builder
		b.WriteString(r.Message + h.attrs)
		r.Attrs(func(a slog.Attr) bool { writeAttr(&b, a); return true })
		// What cannot be sent is not logged: that would be sent, too.
		_ = h.server.conn.Notify(protocol.MethodWindowLogMessage, protocol.LogMessageParams{Type: messageTypes[r.Level], Message: b.String()})
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	for _, a := range attrs {
		writeAttr(&b, a)
	}
	return &clientLog{Handler: h.Handler.WithAttrs(attrs), server: h.server, attrs: h.attrs + b.String()}
}

// WithGroup implements [slog.Handler]; the client's lines have no groups.
func (h *clientLog) WithGroup(name string) slog.Handler {
	return &clientLog{Handler: h.Handler.WithGroup(name), server: h.server, attrs: h.attrs}
}

func writeAttr(b *strings.Builder, a slog.Attr) { fmt.Fprintf(b, " %s=%q", a.Key, a.Value.String()) }
