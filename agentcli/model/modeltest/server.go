// Package modeltest is a model server for tests: real HTTP in the wire formats
// of Anthropic's messages and of chat completions, from one scenario for both,
// with the faults and habits that servers were seen to have.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/memls/memls/agentcli/model"
)

// Nowhere is an address at which no server is: one cannot be asked to leave a
// port so that nobody takes it.
const Nowhere = "http://127.0.0.1:1"

// A Format is a wire format.
type Format string

// The wire formats, by the path that they are served at.
const (
	Anthropic Format = "/v1/messages"
	OpenAI    Format = "/v1/chat/completions"
)

// A Reply is what the server does with one request.
type Reply struct {
	// Status other than 0 answers without a stream: with Body, and with Header.
	Status int
	Body   string

	Header   http.Header
	Thinking []string
	Text     []string
	Calls    []Call
	Stop     model.Stop
	Usage    model.Usage
	Quirks   []Quirk
	// Piece is the number of bytes that are sent at once, characters and JSON cut
	// anywhere; 0 sends whole events.
	Piece int
	// End is what happens instead of the rest of the events, After so many of them.
	End   End
	After int
}

// A Call is one in an answer, its input in the pieces in which it comes.
type Call struct {
	ID, Name string
	Input    []string
}

// An End is how a stream ends that does not end well.
type End string

// How a stream ends.
const (
	Well    End = ""
	Cut     End = "cut"     // the connection breaks
	Closed  End = "closed"  // in good order, in the middle
	Failed  End = "failed"  // the server says that it is overloaded
	Silent  End = "silent"  // nothing more comes, until the client goes
	Endless End = "endless" // more of the same, until the client goes
)

// A Quirk is a habit of some servers.
type Quirk string

// Habits of both formats, and of chat completions alone.
const (
	Pings           Quirk = "pings"         // comments and pings between events
	NoLast          Quirk = "no last event" // no message_stop, no [DONE]
	NoIDs           Quirk = "no ids"        // calls have none
	SameIDs         Quirk = "same ids"      // all calls have the same
	NoFinish        Quirk = "no finish reason"
	FinishStop      Quirk = "finish stop"      // though a tool is called
	IndexZero       Quirk = "index zero"       // for every call
	ChunkIDs        Quirk = "chunk ids"        // every chunk has its own
	ObjectArguments Quirk = "object arguments" // whole, and no text
	UsageAlone      Quirk = "usage alone"      // in a chunk without choices, null in the others
	RepeatedNames   Quirk = "repeated names"   // ID and name come with each piece of a call
)

func (r Reply) has(q Quirk) bool { return slices.Contains(r.Quirks, q) }

// A Request is one that the server got.
type Request struct {
	Path   string
	Header http.Header
	Body   string // indented
}

// A Server plays replies in order.
type Server struct {
	URL string // without a path

	format  Format
	mu      sync.Mutex
	replies []Reply
	got     []Request
}

// New starts a server that ends with the test. A request after the last reply
// is refused, and fails the test.
func New(t testing.TB, format Format, replies ...Reply) *Server {
	s := &Server{format: format, replies: replies}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, err := s.take(r)
		if err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		reply.play(w, r, format)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests are those that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

func (s *Server) take(r *http.Request) (Reply, error) {
	var body any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return Reply{}, fmt.Errorf("a request is no JSON: %w", err)
	}
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return Reply{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, Request{Path: r.URL.Path, Header: r.Header, Body: string(text) + "\n"})
	switch {
	case r.URL.Path != string(s.format):
		return Reply{}, fmt.Errorf("asked for %s, not for %s", r.URL.Path, s.format)
	case len(s.got) > len(s.replies):
		return Reply{}, fmt.Errorf("request %d came: there are %d replies", len(s.got), len(s.replies))
	}
	return s.replies[len(s.got)-1], nil
}

func (r Reply) play(w http.ResponseWriter, request *http.Request, format Format) {
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
		io.WriteString(w, r.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &pieces{w: w, size: r.Piece}
	events := r.anthropic()
	if format == OpenAI {
		events = r.openai()
	}
	for i, e := range events {
		if r.End != Well && i == r.After {
			r.end(out, request, format, e)
			return
		}
		if r.has(Pings) {
			out.write(ping(format))
		}
		out.write(e)
	}
}

func (r Reply) end(out *pieces, request *http.Request, format Format, next string) {
	switch r.End {
	case Cut:
		out.write(next[:len(next)/2])
		panic(http.ErrAbortHandler) // as net/http has it
	case Failed:
		out.write(failed(format))
	case Silent:
		<-request.Context().Done()
	case Endless:
		for request.Context().Err() == nil {
			out.write(next)
		}
	}
}

// pieces sends text in pieces of size bytes.
type pieces struct {
	w    http.ResponseWriter
	size int
}

func (p *pieces) write(text string) {
	size := p.size
	if size == 0 {
		size = max(1, len(text))
	}
	for piece := range slices.Chunk([]byte(text), size) {
		p.w.Write(piece)
		p.w.(http.Flusher).Flush()
	}
}

// object is JSON in the making.
type object map[string]any

func (o object) String() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // made of texts and numbers
	}
	return string(b)
}
