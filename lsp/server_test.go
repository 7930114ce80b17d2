package lsp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/lsptest"
	"github.com/memls/memls/lsp/wire"
)

type connection struct {
	*lsptest.Client
	server *Server
	exit   chan int
}

// start serves a client. setup may add features and hooks.
func start(t *testing.T, setup func(*Server)) *connection {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &connection{server: NewServer("v0.0.0-test", slog.New(slog.DiscardHandler)), exit: make(chan int, 1)}
	// The tests of this file are about the layer below the features. test/text
	// is a request that answers with a document as its snapshot has it.
	s.server.features = []feature{{"test/text", jsonrpc.Request(s.server.snapshot, documentText), nil}}
	if setup != nil {
		setup(s.server)
	}
	s.Client = lsptest.NewClient(t, inW, outR)
	go func() {
		code := s.server.Serve(context.Background(), inR, outW)
		outW.Close()
		s.exit <- code
	}()
	return s
}

func documentText(_ context.Context, snap snapshot, p *protocol.TextDocumentIdentifier) (string, error) {
	d := snap.documents.get(p.URI)
	if d == nil {
		return "", jsonrpc.RequestFailed("%s is not open", p.URI)
	}
	return string(d.text), nil
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`

func (s *connection) initialize() {
	s.Play("> " + initialize + `
		< {"jsonrpc":"2.0","id":0,"result":"*"}
		> {"jsonrpc":"2.0","method":"initialized","params":{}}`)
}

// The cases of LSP-12 and the rules of "Server lifecycle" in LSP 3.17.
func TestLifecycle(t *testing.T) {
	tests := []struct {
		name, script string
		exit         int
	}{
		{"the whole life, with nothing known of the client", `
			> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"workspaceFolders":null,"capabilities":{}}}
			< {"jsonrpc":"2.0","id":0,"result":{"capabilities":{"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":2,"save":{}}},"serverInfo":{"name":"memls","version":"v0.0.0-test"}}}
			> {"jsonrpc":"2.0","method":"initialized","params":{}}
			> {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///nowhere/a.md","languageId":"markdown","version":1,"text":"x"}}}
			> {"jsonrpc":"2.0","id":1,"method":"test/text","params":{"uri":"file:///nowhere/a.md"}}
			< {"jsonrpc":"2.0","id":1,"result":"x"}
			> {"jsonrpc":"2.0","id":2,"method":"shutdown"}
			< {"jsonrpc":"2.0","id":2,"result":null}
			> {"jsonrpc":"2.0","method":"exit"}
		`, 0},
		{"utf-8 where the client offers it", `
			> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"general":{"positionEncodings":["utf-16","utf-8"]}},"workspaceFolders":[]}}
			< {"jsonrpc":"2.0","id":0,"result":{"capabilities":{"positionEncoding":"utf-8","textDocumentSync":"*"},"serverInfo":"*"}}
			> {"jsonrpc":"2.0","method":"exit"}
		`, 1},
		{"before initialize", `
			> {"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"*"}}
			> {"jsonrpc":"2.0","id":2,"method":"shutdown"}
			< {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"*"}}
			> {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.md","version":1,"text":"early"}}}
			> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":3,"result":"*"}
			> {"jsonrpc":"2.0","id":4,"method":"test/text","params":{"uri":"file:///a.md"}}
			< {"jsonrpc":"2.0","id":4,"error":{"code":-32803,"message":"*"}}
			> {"jsonrpc":"2.0","method":"exit"}
		`, 1},
		{"initialize with bad params may be tried again, but done only once", `
			> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":"x"}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*"}}
			> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":2,"result":"*"}
			> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"*"}}
			> {"jsonrpc":"2.0","method":"exit"}
		`, 1},
		{"after shutdown", `
			> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":0,"result":"*"}
			> {"jsonrpc":"2.0","id":1,"method":"shutdown","params":{}}
			< {"jsonrpc":"2.0","id":1,"result":null}
			> {"jsonrpc":"2.0","id":2,"method":"test/text","params":{"uri":"file:///a.md"}}
			< {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"*"}}
			> {"jsonrpc":"2.0","id":3,"method":"shutdown"}
			< {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"*"}}
			> {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"*"}}
			> {"jsonrpc":"2.0","method":"exit","params":null}
		`, 0},
		{"unknown methods, trace and documents that are not open", `
			> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}
			< {"jsonrpc":"2.0","id":0,"result":"*"}
			> {"jsonrpc":"2.0","id":1,"method":"textDocument/nothing","params":{}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}}
			> {"jsonrpc":"2.0","method":"workspace/nothing","params":{}}
			> {"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"verbose"}}
			> {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.md","version":2},"contentChanges":[{"text":"x"}]}}
			> {"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a.md"}}}
			> {"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"untitled:a"}}}
			> {"jsonrpc":"2.0","method":"textDocument/didOpen"}
			> {"jsonrpc":"2.0","id":2,"method":"shutdown"}
			< {"jsonrpc":"2.0","id":2,"result":null}
			> {"jsonrpc":"2.0","method":"exit"}
		`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, nil)
			s.Play(tt.script)
			s.ExpectEnd()
			if code := <-s.exit; code != tt.exit {
				t.Errorf("exit code = %d, want %d", code, tt.exit)
			}
		})
	}
}

func TestInputEnds(t *testing.T) {
	s := start(t, nil)
	s.initialize()
	s.CloseInput()
	if code := <-s.exit; code != 1 {
		t.Errorf("exit code = %d, want 1", code)
	}
}

func TestClientProcessEnds(t *testing.T) {
	editor := exec.Command(os.Args[0], "-test.run=^$") // ends at once
	if err := editor.Run(); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	params, err := json.Marshal(map[string]any{"processId": editor.Process.Pid})
	if err != nil {
		t.Fatal(err)
	}
	s.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + string(params) + `}`)
	if code := <-s.exit; code != 1 {
		t.Errorf("exit code = %d, want 1", code)
	}
}

// A feature is announced by its line in the table.
func TestAnnounce(t *testing.T) {
	s := start(t, func(s *Server) {
		s.features = append(s.features, feature{
			protocol.MethodTextDocumentHover,
			jsonrpc.Request(s.snapshot, documentText),
			func(c *wire.ServerCapabilities, _ *wire.ClientCapabilities) { c.HoverProvider = true },
		})
	})
	s.Play("> " + initialize + `
		< {"jsonrpc":"2.0","id":0,"result":{"capabilities":{"hoverProvider":true,"positionEncoding":"*","textDocumentSync":"*"},"serverInfo":"*"}}`)
}

// A request sees the text as it was when the client sent it, though it runs
// after the edit that follows.
func TestRequestsSeeTheTextBeforeTheEdit(t *testing.T) {
	release := make(chan bool)
	s := start(t, func(s *Server) {
		s.features = append(s.features,
			feature{"test/slow", jsonrpc.Request(s.snapshot, func(ctx context.Context, snap snapshot, p *protocol.TextDocumentIdentifier) (string, error) {
				<-release
				return documentText(ctx, snap, p)
			}), nil},
			feature{"test/release", jsonrpc.Notification(func(context.Context, *none) error { close(release); return nil }), nil})
	})
	s.initialize()
	s.Play(`
		> {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.md","languageId":"markdown","version":1,"text":"old\n"}}}
		> {"jsonrpc":"2.0","id":1,"method":"test/slow","params":{"uri":"file:///a.md"}}
		> {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.md","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"text":"new"}]}}
		> {"jsonrpc":"2.0","id":2,"method":"test/text","params":{"uri":"file:///a.md"}}
		< {"jsonrpc":"2.0","id":2,"result":"new\n"}
		> {"jsonrpc":"2.0","method":"test/release"}
		< {"jsonrpc":"2.0","id":1,"result":"old\n"}
	`)
}

// recorder notes the calls of hooks.
type recorder chan key

func (recorder) initialized(context.Context)                                  {}
func (r recorder) documentChanged(_ context.Context, k key, _ documentChange) { r <- k }

// LSP-09: the spellings of one file are one document, and the client's own
// spelling is kept.
func TestDocumentIdentity(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(real, "w s+x", "é")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(real, "link")); err != nil {
		t.Fatal(err)
	}
	var (
		file    = filepath.Join(dir, "a-b.md") // not written yet
		escaped = protocol.DocumentURI(fileuri.FromPath(file))
		raw     = protocol.DocumentURI("file://" + file)
		hyphen  = protocol.DocumentURI("file://" + filepath.Join(dir, "a%2Db.md"))
		linked  = protocol.DocumentURI("file://" + filepath.Join(real, "link", "a-b.md"))
		other   = protocol.DocumentURI("untitled:Untitled-1")
	)

	_, want := identify(escaped)
	if want != key(file) {
		t.Errorf("key = %q, want %q", want, file)
	}
	open := func(ds *documents, uri protocol.DocumentURI, text string) *documents {
		path, k := identify(uri)
		return ds.with(document{uri: uri, path: path, key: k, text: []byte(text)}, wire.UTF16)
	}
	empty := &documents{}
	one := open(empty, escaped, "1")
	for _, spelling := range []protocol.DocumentURI{escaped, raw, hyphen, linked} {
		if d := one.get(spelling); d == nil || d.uri != escaped {
			t.Errorf("document of %s = %v, want the one opened as %s", spelling, d, escaped)
		}
	}
	if d := empty.get(escaped); d != nil {
		t.Errorf("an older set has %v", d)
	}
	if path, _ := identify(linked); path != filepath.Join(real, "link", "a-b.md") {
		t.Errorf("path of the link = %q, want the client's", path)
	}

	two := open(open(one, linked, "2"), other, "3")
	type view struct{ Escaped, Linked, Raw, Other, Key string }
	see := func(ds *documents) view {
		text := func(d *document) string {
			if d == nil {
				return ""
			}
			return string(d.text)
		}
		return view{text(ds.get(escaped)), text(ds.get(linked)), text(ds.get(raw)), text(ds.get(other)), text(ds.at(want))}
	}
	steps := []struct {
		name string
		set  *documents
		want view
	}{
		{"the buffer that changed last speaks for the file", two, view{"1", "2", "2", "3", "2"}},
		{"the other one changed", open(two, escaped, "4"), view{"4", "2", "4", "3", "4"}},
		{"the last one is closed", two.without(two.get(linked)), view{"1", "1", "1", "3", "1"}},
		{"both are closed", two.without(two.get(linked)).without(two.get(escaped)), view{"", "", "", "3", ""}},
		{"nothing changed in the old set", two, view{"1", "2", "2", "3", "2"}},
	}
	for _, step := range steps {
		if diff := cmp.Diff(step.want, see(step.set)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestSync(t *testing.T) {
	changes := make(recorder, 10)
	s := start(t, func(s *Server) { s.hooks = changes })
	s.initialize()
	did := func(method, params string) {
		t.Helper()
		s.Send(`{"jsonrpc":"2.0","method":"textDocument/` + method + `","params":` + params + `}`)
		if k := <-changes; k != "untitled:a" {
			t.Fatalf("%s changed %q, want untitled:a", method, k)
		}
	}
	expect := func(version int32, text string) {
		t.Helper()
		d := s.server.documents.Load().get("untitled:a")
		if d == nil || d.version != version || string(d.text) != text || d.languageID != "markdown" || d.path != "" {
			t.Fatalf("document = %+v, want version %d with %q", d, version, text)
		}
	}

	did("didOpen", `{"textDocument":{"uri":"untitled:a","languageId":"markdown","version":1,"text":"日本 a\r\n"}}`)
	expect(1, "日本 a\r\n")
	did("didChange", `{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[
		{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":4}},"text":"b"},
		{"range":{"start":{"line":1,"character":0},"end":{"line":-1,"character":0}},"text":""},
		{"range":{"start":{"line":99,"character":0},"end":{"line":99,"character":0}},"text":"end"}]}`)
	expect(2, "end")
	did("didChange", `{"textDocument":{"uri":"untitled:a","version":3},"contentChanges":[]}`)
	expect(3, "end")
	did("didChange", `{"textDocument":{"uri":"untitled:a","version":4},"contentChanges":[{"text":"new"}]}`)
	expect(4, "new")
	did("didSave", `{"textDocument":{"uri":"untitled:a"}}`)
	expect(4, "new")
	did("didOpen", `{"textDocument":{"uri":"untitled:a","languageId":"markdown","version":1,"text":"again"}}`)
	expect(1, "again")
	if got := s.server.documents.Load().get("untitled:a").mapper().Position(5); got != (protocol.Position{Character: 5}) {
		t.Errorf("end of the text = %v, want 0:5", got)
	}
	did("didClose", `{"textDocument":{"uri":"untitled:a"}}`)
	if d := s.server.documents.Load().get("untitled:a"); d != nil {
		t.Errorf("a closed document is open: %+v", d)
	}
}
