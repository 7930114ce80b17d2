package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/lsptest"
	"go.lsp.dev/jsonrpc2"
)

type server struct {
	*lsptest.Client
	conn  *jsonrpc.Conn
	ended chan error // Run's result
	log   *bytes.Buffer
}

func start(t *testing.T, methods jsonrpc.Methods) *server {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &server{ended: make(chan error, 1), log: new(bytes.Buffer)}
	gate := func(method string) error {
		if method == "closed" {
			return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the gate is closed")
		}
		return nil
	}
	methods["ping"] = jsonrpc.InlineRequest(func(context.Context, *any) (string, error) { return "pong", nil })
	s.conn = jsonrpc.NewConn(inR, outW, methods, gate, slog.New(slog.NewTextHandler(s.log, nil)))
	s.Client = lsptest.NewClient(t, inW, outR)
	go func() {
		err := s.conn.Run(context.Background())
		outW.Close()
		s.ended <- err
	}()
	return s
}

const (
	ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":"p","result":"pong"}`
)

// Whatever arrives, the server answers what can be answered and goes on.
func TestBadMessages(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	failed := func(id string, code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"*"}}`, id, code)
	}
	body := lsptest.Frame
	tests := []struct {
		name, raw string
		want      string // "" for no answer
	}{
		{"malformed JSON", body(`{"jsonrpc":"2.0","id":1,`), failed("null", -32700)},
		{"empty body", body(``), failed("null", -32700)},
		{"invalid UTF-8 that is no JSON", body("\xff\xfe"), failed("null", -32700)},
		{"batch", body(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`), failed("null", -32600)},
		{"not an object", body(`"ping"`), failed("null", -32600)},
		{"no method", body(`{"jsonrpc":"2.0","id":1}`), failed("1", -32600)},
		{"method that is no string", body(`{"jsonrpc":"2.0","id":1,"method":7}`), failed("1", -32600)},
		{"another version", body(`{"jsonrpc":"1.0","id":1,"method":"ping"}`), failed("1", -32600)},
		{"id of another type", body(`{"jsonrpc":"2.0","id":{},"method":"ping"}`), failed("null", -32600)},
		{"deep nesting", body(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`), failed("null", -32600)},
		{"deep nesting that never ends", body(strings.Repeat(`{"a":[`, 50_000)), failed("null", -32600)},
		{"brackets in a string are not nesting", body(`{"jsonrpc":"2.0","method":"x","params":{"text":"\"` + deep + `"}}`), ""},
		{"length that is no number", "Content-Length: ten\r\n\r\n" + `{"method":"x"}`, failed("null", -32700)},
		{"negative length", "Content-Length: -1\r\n\r\n", failed("null", -32700)},
		{"body over the limit", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 64<<20+1, strings.Repeat(" ", 64<<20+1)), failed("null", -32600)},
		{"no length", "Content-Type: x\r\n\r\n", ""},
		{"garbage", "hello\r\n" + strings.Repeat("x", 200_000) + "\n", ""},
		{"response to nothing", body(`{"jsonrpc":"2.0","id":9,"result":1}`), ""},
		{"response with a bad id", body(`{"jsonrpc":"2.0","id":[],"result":1}`), ""},
		{"unknown notification", body(`{"jsonrpc":"2.0","method":"x/y"}`), ""},
		{"unknown $/ notification", body(`{"jsonrpc":"2.0","method":"$/x"}`), ""},
		{"cancel of nothing", body(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}`), ""},
		{"cancel without params", body(`{"jsonrpc":"2.0","method":"$/cancelRequest"}`), ""},
		{"unknown request", body(`{"jsonrpc":"2.0","id":1,"method":"x/y"}`), failed("1", -32601)},
		{"unknown $/ request", body(`{"jsonrpc":"2.0","id":1,"method":"$/x"}`), failed("1", -32601)},
		{"refused request", body(`{"jsonrpc":"2.0","id":1,"method":"closed"}`), failed("1", -32600)},
		{"refused notification", body(`{"jsonrpc":"2.0","method":"closed"}`), ""},
		{"params of another type", body(`{"jsonrpc":"2.0","id":1,"method":"typed","params":{"n":"x"}}`), failed("1", -32602)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, jsonrpc.Methods{
				"typed": jsonrpc.InlineRequest(func(_ context.Context, p *struct{ N int }) (int, error) { return p.N, nil }),
			})
			s.Write(tt.raw)
			if tt.want != "" {
				s.Expect(tt.want)
			}
			s.Send(ping)
			s.Expect(pong)
		})
	}
}

func TestHeaders(t *testing.T) {
	for _, header := range []string{
		"content-length: %d\r\n\r\n",
		"CONTENT-LENGTH:%d\r\n\r\n",
		"Content-Length : %d \r\n\r\n",
		"Content-Length: %d \r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Length: %d\nX: y\n\n",
		"\r\n\r\nContent-Length: %d\r\n\r\n",
	} {
		t.Run(header, func(t *testing.T) {
			s := start(t, jsonrpc.Methods{})
			s.Write(fmt.Sprintf(header, len(ping)) + ping)
			s.Expect(pong)
		})
	}
}

func TestIDs(t *testing.T) {
	for _, id := range []string{`0`, `1`, `-1`, `2147483647`, `3000000000`, `12345678901234567890`, `1.0`, `1e3`, `"x"`, `""`, `"1"`, `"\u0000json:1"`} {
		t.Run(id, func(t *testing.T) {
			s := start(t, jsonrpc.Methods{})
			s.Send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
			s.Expect(`{"jsonrpc":"2.0","id":` + id + `,"result":"pong"}`)
		})
	}
}

func TestCancel(t *testing.T) {
	for _, id := range []string{`7`, `"seven"`, `3000000000`} {
		t.Run(id, func(t *testing.T) {
			s := start(t, jsonrpc.Methods{
				"block": jsonrpc.Request(func() int { return 0 }, func(ctx context.Context, _ int, _ *any) (any, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}),
			})
			s.Send(`{"jsonrpc":"2.0","id":` + id + `,"method":"block"}`)
			s.Send(ping)
			s.Expect(pong) // a request that runs blocks nothing
			s.Send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
			s.Expect(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32800,"message":"*"}}`)
		})
	}
}

// A request sees the state after the notifications before it and before the
// ones after it, however late it runs.
func TestOrder(t *testing.T) {
	state := 0
	release := make(chan bool)
	s := start(t, jsonrpc.Methods{
		"set": jsonrpc.Notification(func(_ context.Context, n *int) error { state = *n; return nil }),
		"get": jsonrpc.Request(func() int { return state }, func(_ context.Context, n int, _ *any) (int, error) {
			if n == 1 {
				<-release
			}
			return n, nil
		}),
		"release": jsonrpc.Notification(func(context.Context, *any) error { close(release); return nil }),
	})
	s.Play(`
		> {"jsonrpc":"2.0","method":"set","params":1}
		> {"jsonrpc":"2.0","id":1,"method":"get"}
		> {"jsonrpc":"2.0","method":"set","params":2}
		> {"jsonrpc":"2.0","id":2,"method":"get"}
		< {"jsonrpc":"2.0","id":2,"result":2}
		> {"jsonrpc":"2.0","method":"release"}
		< {"jsonrpc":"2.0","id":1,"result":1}
	`)
}

func TestHandlerFailures(t *testing.T) {
	type request = func(context.Context, int, *any) (any, error)
	method := func(f request) jsonrpc.Method { return jsonrpc.Request(func() int { return 0 }, f) }
	s := start(t, jsonrpc.Methods{
		"panic":       method(func(context.Context, int, *any) (any, error) { panic("boom") }),
		"plain":       method(func(context.Context, int, *any) (any, error) { return nil, errors.New("plain") }),
		"refused":     method(func(context.Context, int, *any) (any, error) { return nil, jsonrpc.RequestFailed("no %s", "file") }),
		"unencodable": method(func(context.Context, int, *any) (any, error) { return func() {}, nil }),
		"snapshot": jsonrpc.Request(func() int { panic("boom") }, func(context.Context, int, *any) (any, error) {
			return nil, nil
		}),
		"note": jsonrpc.Notification(func(context.Context, *any) error { panic("boom") }),
	})
	s.Play(`
		> {"jsonrpc":"2.0","id":1,"method":"panic"}
		< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"*"}}
		> {"jsonrpc":"2.0","id":2,"method":"plain"}
		< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"plain"}}
		> {"jsonrpc":"2.0","id":3,"method":"refused"}
		< {"jsonrpc":"2.0","id":3,"error":{"code":-32803,"message":"no file"}}
		> {"jsonrpc":"2.0","id":4,"method":"unencodable"}
		< {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"*"}}
		> {"jsonrpc":"2.0","id":5,"method":"snapshot"}
		< {"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"*"}}
		> {"jsonrpc":"2.0","method":"note"}
		> {"jsonrpc":"2.0","id":6,"method":"ping"}
		< {"jsonrpc":"2.0","id":6,"result":"pong"}
	`)
	s.CloseInput()
	<-s.ended
	if log := s.log.String(); strings.Count(log, "conn_test.go") < 3 {
		t.Errorf("the log has no stack for each of 3 panics:\n%s", log)
	}
}

func TestCall(t *testing.T) {
	s := start(t, jsonrpc.Methods{})
	type answer struct {
		N   int
		err error
	}
	call := func() chan answer {
		answers := make(chan answer, 1)
		go func() {
			var a answer
			a.err = s.conn.Call(context.Background(), "client/ask", nil, &a)
			answers <- a
		}()
		return answers
	}

	first := call()
	s.Play(`
		< {"jsonrpc":"2.0","id":1,"method":"client/ask"}
		> {"jsonrpc":"2.0","id":1,"result":{"N":7}}
		> {"jsonrpc":"2.0","id":1,"result":{"N":8}}
	`)
	if a := <-first; a.err != nil || a.N != 7 {
		t.Errorf("answer = %+v, want 7", a)
	}

	second := call()
	s.Play(`
		< {"jsonrpc":"2.0","id":2,"method":"client/ask"}
		> {"jsonrpc":"2.0","id":2,"error":{"code":-5,"message":"no"}}
	`)
	a := <-second
	if wire, ok := errors.AsType[*jsonrpc2.Error](a.err); !ok || wire.Code != -5 || wire.Message != "no" {
		t.Errorf("error = %#v, want the client's", a.err)
	}

	third := call()
	s.Expect(`{"jsonrpc":"2.0","id":3,"method":"client/ask"}`)
	s.CloseInput()
	if a := <-third; a.err == nil {
		t.Error("Call returned no error when the client went away")
	}
}

func TestNotify(t *testing.T) {
	s := start(t, jsonrpc.Methods{})
	go s.conn.Notify("note", map[string]string{"text": "<é> \u2028"})
	s.Expect(`{"jsonrpc":"2.0","method":"note","params":{"text":"<é> \u2028"}}`)
}

func TestEnd(t *testing.T) {
	t.Run("input ends: answers that are owed are sent", func(t *testing.T) {
		begun, release := make(chan bool), make(chan bool)
		s := start(t, jsonrpc.Methods{
			"slow": jsonrpc.Request(func() int { close(begun); return 7 }, func(_ context.Context, n int, _ *any) (int, error) {
				<-release
				return n, nil
			}),
		})
		s.Send(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
		<-begun
		s.CloseInput()
		close(release)
		s.Expect(`{"jsonrpc":"2.0","id":1,"result":7}`)
		s.ExpectEnd()
		if err := <-s.ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
	t.Run("input ends within a message", func(t *testing.T) {
		s := start(t, jsonrpc.Methods{})
		s.Write("Content-Length: 100\r\n\r\n{")
		s.CloseInput()
		if err := <-s.ended; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Run = %v, want %v", err, io.ErrUnexpectedEOF)
		}
	})
	t.Run("output breaks", func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		outR.Close()
		methods := jsonrpc.Methods{}
		conn := jsonrpc.NewConn(inR, outW, methods, func(string) error { return nil }, slog.New(slog.DiscardHandler))
		go io.WriteString(inW, lsptest.Frame(ping))
		if err := conn.Run(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Run = %v, want %v", err, io.ErrClosedPipe)
		}
	})
	t.Run("context ends", func(t *testing.T) {
		inR, _ := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		conn := jsonrpc.NewConn(inR, io.Discard, jsonrpc.Methods{}, nil, slog.New(slog.DiscardHandler))
		if err := conn.Run(ctx); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}
