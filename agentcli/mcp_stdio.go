package agentcli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A stdioTransport speaks MCP line by line. That of the SDK gives up at the
// first line that is no message, cancels what was asked when the input ends,
// and runs all calls at once: a client that writes two changes, and leaves,
// would get neither, or the second before the first.
type stdioTransport struct {
	in  io.Reader
	out io.Writer
}

// Connect begins to read.
func (t *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		out: t.out, lines: make(chan []byte), closed: make(chan struct{}), answered: make(chan struct{}, 1),
		open: map[jsonrpc.ID]bool{},
	}
	go c.scan(t.in) // until the input ends: it cannot be interrupted
	return c, nil
}

// A stdioConn is the connection with the client that started us.
type stdioConn struct {
	out      io.Writer
	lines    chan []byte // closed at the end of the input
	scanErr  error       // to be read after that
	closed   chan struct{}
	close    sync.Once
	answered chan struct{}

	waiting []*jsonrpc.Request // calls, for the one before to be answered; of Read alone

	mu   sync.Mutex          // and of out
	open map[jsonrpc.ID]bool // calls that are not answered; whether others wait for them
}

func (c *stdioConn) scan(in io.Reader) {
	defer close(c.lines)
	s := bufio.NewScanner(in)
	s.Buffer(nil, mcp.DefaultMaxLineLength)
	for s.Scan() {
		select {
		case c.lines <- slices.Clone(s.Bytes()):
		case <-c.closed:
			return
		}
	}
	c.scanErr = s.Err()
}

// Read returns the next message. At the end of the input it waits until all
// that was asked is answered.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	lines := c.lines
	for {
		if next := c.startWaiting(); next != nil {
			return next, nil
		}
		if lines == nil && c.idle() {
			if c.scanErr != nil {
				return nil, c.scanErr
			}
			return nil, io.EOF
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.answered:
		case line, more := <-lines:
			if !more {
				lines = nil
				continue
			}
			if m, err := c.take(line); m != nil || err != nil {
				return m, err
			}
		}
	}
}

// take returns the message of a line, nil for a call that has to wait and for
// what is no message.
func (c *stdioConn) take(line []byte) (jsonrpc.Message, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, c.complain(line, err)
	}
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok, strings.HasPrefix(r.Method, "subscriptions/"): // such a call is open as long as the client likes
	case r.IsCall() && r.Method == "ping":
		c.begun(r.ID, false)
	case r.IsCall():
		c.waiting = append(c.waiting, r)
		return nil, nil
	case r.Method == "notifications/cancelled" && c.forget(r.Params):
		return nil, nil
	}
	return m, nil
}

// startWaiting returns the first call that waits, if none is being answered.
func (c *stdioConn) startWaiting() *jsonrpc.Request {
	c.mu.Lock()
	busy := false
	for _, others := range c.open {
		busy = busy || others
	}
	c.mu.Unlock()
	if busy || len(c.waiting) == 0 {
		return nil
	}
	next := c.waiting[0]
	c.waiting = c.waiting[1:]
	c.begun(next.ID, true)
	return next
}

func (c *stdioConn) begun(id jsonrpc.ID, othersWait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[id] = othersWait
}

func (c *stdioConn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// forget drops a call that waits, when the client does not want it any more.
func (c *stdioConn) forget(params json.RawMessage) bool {
	var in mcp.CancelledParams
	if json.Unmarshal(params, &in) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(in.RequestID)
	at := slices.IndexFunc(c.waiting, func(r *jsonrpc.Request) bool { return r.ID == id })
	if err != nil || at < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, at, at+1)
	return true
}

// complain answers a line that is no message.
func (c *stdioConn) complain(line []byte, err error) error {
	code := jsonrpc.CodeInvalidRequest
	if !json.Valid(line) {
		code = jsonrpc.CodeParseError
	}
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": "this line is no message: " + err.Error()},
	})
	if err != nil {
		return err
	}
	return c.write(text, nil)
}

// Write writes a message.
func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("cannot write to the client: %w", err)
	}
	response, _ := m.(*jsonrpc.Response)
	return c.write(text, response)
}

func (c *stdioConn) write(text []byte, answer *jsonrpc.Response) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	if err != nil {
		_ = c.Close() // nobody hears us
	}
	if answer != nil {
		delete(c.open, answer.ID)
		select {
		case c.answered <- struct{}{}:
		default: // Read knows already
		}
	}
	return err
}

// Close ends reading.
func (c *stdioConn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// SessionID is empty: there is one session.
func (c *stdioConn) SessionID() string { return "" }
