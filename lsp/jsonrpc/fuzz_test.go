package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/lsptest"
)

// serve returns all that a server with one method writes for an input.
func serve(t *testing.T, input string) string {
	var out bytes.Buffer
	methods := jsonrpc.Methods{
		"ping": jsonrpc.InlineRequest(func(context.Context, *any) (string, error) { return "pong", nil }),
	}
	conn := jsonrpc.NewConn(io.NopCloser(strings.NewReader(input)), &out, methods, func(string) error { return nil }, slog.New(slog.DiscardHandler))
	conn.Run(t.Context())
	return out.String()
}

// Any bytes are survived, and what is answered is well-formed.
func FuzzFrames(f *testing.F) {
	f.Add("")
	f.Add(lsptest.Frame(ping))
	f.Add("Content-Length: 3\r\nX:\n\n{}x" + lsptest.Frame(ping))
	f.Add("content-length: 99999999999999999999\r\n\r\n")
	f.Add("Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n[]")
	f.Fuzz(func(t *testing.T, input string) {
		rest := serve(t, input)
		for rest != "" {
			var n int
			if _, err := fmt.Sscanf(rest, "Content-Length: %d\r\n\r\n", &n); err != nil {
				t.Fatalf("output has no header: %q", rest)
			}
			_, body, _ := strings.Cut(rest, "\r\n\r\n")
			if len(body) < n || !json.Valid([]byte(body[:n])) {
				t.Fatalf("output has a bad body: %q", body)
			}
			rest = body[n:]
		}
	})
}

// Any body in a frame leaves the next message readable.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		"", "{", "[]", "null", `{"id":1}`, `{"id":1,"result":null}`, `{"id":null,"method":"ping"}`, `{"id":1e9,"method":"ping"}`,
		`{"id":1,"error":7}`, `{"jsonrpc":"2.0","id":"\ud800","method":"ping","params":[[{"a":"]"}]]}`, "Content-Length: 5\r\n\r\n",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		out := serve(t, lsptest.Frame(body)+lsptest.Frame(ping))
		if !strings.HasSuffix(out, lsptest.Frame(pong)) {
			t.Fatalf("no pong at the end of %q", out)
		}
	})
}
