package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// A stream is a [jsonrpc2.Stream] on a pair of pipes. Unlike the library's own
// it outlives malformed messages, which it answers itself, and a context that
// was cancelled does not make it drop a message.
type stream struct {
	in     io.ReadCloser
	frames *frameReader
	log    *slog.Logger

	// alive ends, with the reason as its cause, when the input ends, the
	// output breaks or the connection is closed.
	alive context.Context
	end   context.CancelCauseFunc

	writeMu sync.Mutex // the read side writes, too
	out     io.Writer

	waitingMu sync.Mutex
	waiting   map[jsonrpc2.ID]bool // our calls that have no answer yet
}

var _ jsonrpc2.Stream = (*stream)(nil)

func newStream(in io.ReadCloser, out io.Writer, log *slog.Logger) *stream {
	s := &stream{in: in, frames: newFrameReader(in), out: out, log: log, waiting: map[jsonrpc2.ID]bool{}}
	s.alive, s.end = context.WithCancelCause(context.Background())
	return s
}

// Read returns the next well-formed message; the error is final.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		msg, size, err := s.readOne()
		if err == nil {
			if r, ok := msg.(*jsonrpc2.Response); ok && !s.expected(r.ID()) {
				s.log.Warn("response to no request was dropped", "id", string(formatID(r.ID())))
				continue
			}
			return msg, size, nil
		}
		bad, ok := errors.AsType[*badMessage](err)
		if !ok {
			s.end(err)
			return nil, 0, err
		}
		s.log.Warn("bad message", "error", bad.text)
		if !bad.silent {
			if err := s.write(bad.response()); err != nil {
				return nil, 0, err
			}
		}
	}
}

func (s *stream) readOne() (jsonrpc2.Message, int64, error) {
	if s.alive.Err() != nil {
		return nil, 0, io.EOF // closed: what is still buffered must not be handled
	}
	body, err := s.frames.next()
	if err != nil {
		return nil, 0, err
	}
	msg, err := decode(body)
	return msg, int64(len(body)), err
}

// Write sends a message in a single write.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := encode(msg)
	if err != nil {
		return 0, err
	}
	if call, ok := msg.(*jsonrpc2.Call); ok {
		s.waitingMu.Lock()
		s.waiting[call.ID()] = true
		s.waitingMu.Unlock()
	}
	return int64(len(body)), s.write(body)
}

// respond answers a call. The library's replier would read all of the result again.
func (s *stream) respond(id jsonrpc2.ID, result json.RawMessage, err error) error {
	answer := field{"result", orNull(result)}
	if err != nil {
		answer = field{"error", mustJSON(toWire(err))}
	}
	return s.write(envelope(field{"id", formatID(id)}, answer))
}

func (s *stream) write(body []byte) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if _, err := s.out.Write(frame(body)); err != nil {
		s.end(err)
		return err
	}
	return nil
}

// expected reports, once, that id is a call of ours. [jsonrpc2.Conn] would
// block for ever on a second response to the same call.
func (s *stream) expected(id jsonrpc2.ID) bool {
	s.waitingMu.Lock()
	defer s.waitingMu.Unlock()
	ok := s.waiting[id]
	delete(s.waiting, id)
	return ok
}

// Close ends reading. Replies that are still owed can be written.
func (s *stream) Close() error {
	s.end(errClosed)
	return s.in.Close()
}

var errClosed = errors.New("connection closed by the server")
