package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/lsptest"
	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
)

// An editor is a client with open documents: it keeps what the server
// publishes, answers the server's requests and applies its edits.
type editor struct {
	*lsptest.Client
	t      testing.TB
	server *Server
	caps   wire.ClientCapabilities

	initialized json.RawMessage // what the server answered to initialize

	open  map[string]*editorBuffer // by URI
	shown map[string]publishedSet  // the last set of each URI
	log   []publishedSet
	other []string // messages of the server that nobody waited for
	ids   int
	sync  string // URI of the document by which settle waits
	dirty []string

	choice   string            // of what window/showMessageRequest offers
	settings string            // what workspace/configuration answers
	results  map[string]string // ids of what is shown, by URI
}

type editorBuffer struct {
	version int32
	text    string
}

type publishedSet struct {
	URI         string
	Version     *int32
	Diagnostics []wire.Diagnostic
}

// profile is what an editor says of itself, see [clientNamed].
func newEditor(t testing.TB, profile string) *editor {
	t.Helper()
	return newEditorIn(t, profile, `"rootUri":null`)
}

func newEditorIn(t testing.TB, profile, workspace string) *editor {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: t, server: NewServer("test", slog.New(slog.DiscardHandler)), open: map[string]*editorBuffer{}, shown: map[string]publishedSet{}, results: map[string]string{}, settings: "null"}
	e.Client = lsptest.NewClient(t, inW, outR)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.server.Serve(context.Background(), inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); <-ended })
	var who wire.InitializeParams
	if err := json.Unmarshal([]byte(profile), &who); err != nil {
		t.Fatal(err)
	}
	e.caps = who.Capabilities
	e.initialized = e.call("initialize", json.RawMessage(`{"processId":null,`+workspace+`,`+strings.TrimPrefix(strings.TrimSpace(profile), "{")))
	e.notify("initialized", struct{}{})

	quiet := newMemory(t, files{"MEMORY.md": "# Quiet\n"})
	e.sync = uriOf(quiet.path("MEMORY.md"))
	e.didOpen(e.sync, "# Quiet\n")
	e.settle()
	return e
}

func uriOf(path string) string { return fileuri.FromPath(path) }

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.Send(e.message(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}))
}

func (e *editor) message(m map[string]any) string {
	e.t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(raw)
}

// call sends a request and returns its result; an error fails the test.
func (e *editor) call(method string, params any) json.RawMessage {
	e.t.Helper()
	result, err := e.try(method, params)
	if err != "" {
		e.t.Fatalf("%s: %s", method, err)
	}
	return result
}

func (e *editor) try(method string, params any) (result json.RawMessage, failure string) {
	e.t.Helper()
	e.ids++
	id := e.ids
	e.Send(e.message(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
	for {
		m := e.receive()
		if m.Method == "" && string(m.ID) == fmt.Sprint(id) {
			return m.Result, string(m.Error)
		}
	}
}

type incoming struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// receive handles the server's next message.
func (e *editor) receive() incoming {
	e.t.Helper()
	raw := e.Receive()
	var m incoming
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		if e.pulls() {
			e.t.Fatalf("the server pushes to a client that pulls: %s", raw)
		}
		var p publishedSet
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.t.Fatalf("%v in %s", err, raw)
		}
		if p.Diagnostics == nil {
			e.t.Fatalf("diagnostics are no list in %s", raw)
		}
		e.shown[p.URI], e.log = p, append(e.log, p)
	case m.Method == "workspace/applyEdit":
		var p struct{ Edit json.RawMessage }
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.t.Fatal(err)
		}
		e.apply(p.Edit)
		e.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID))
	case m.Method == "workspace/configuration":
		e.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":[%s]}`, m.ID, e.settings))
	case m.Method == "window/showDocument":
		e.other = append(e.other, raw)
		e.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"success":true}}`, m.ID))
	case m.Method == "window/showMessageRequest" && e.choice != "":
		e.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"title":%q}}`, m.ID, e.choice))
	case m.Method != "" && len(m.ID) > 0:
		e.other = append(e.other, raw)
		e.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID))
	case m.Method != "":
		e.other = append(e.other, raw)
	}
	return m
}

func (e *editor) didOpen(uri, text string) {
	e.t.Helper()
	e.open[uri] = &editorBuffer{1, text}
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "markdown", "version": 1, "text": text}})
}

// openFile opens a file with the text that it has on disk.
func (e *editor) openFile(m *memory, name string) (uri string) {
	e.t.Helper()
	uri = uriOf(m.path(name))
	e.didOpen(uri, m.read(name))
	return uri
}

func (e *editor) change(uri, text string) {
	e.t.Helper()
	b := e.open[uri]
	b.version++
	b.text = text
	e.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": b.version},
		"contentChanges": []any{map[string]any{"text": text}}})
}

func (e *editor) didSave(uri string) {
	e.t.Helper()
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

func (e *editor) didClose(uri string) {
	e.t.Helper()
	delete(e.open, uri)
	if e.pulls() { // what a document was answered goes with it
		delete(e.shown, uri)
		delete(e.results, uri)
	}
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// event tells the server of changes on disk.
func (e *editor) event(paths ...string) {
	e.t.Helper()
	changes := []any{}
	for _, path := range paths {
		changes = append(changes, map[string]any{"uri": uriOf(path), "type": 2})
	}
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// settle waits until the server has published what follows from everything
// that was sent. The newest version of a document is always answered, but
// others may follow in the same round: so the document is changed twice.
func (e *editor) settle() {
	e.t.Helper()
	if e.pulls() {
		for _, uri := range slices.Sorted(maps.Keys(e.open)) {
			e.pull(uri)
		}
		return
	}
	for range 2 {
		e.change(e.sync, e.open[e.sync].text)
		want := e.open[e.sync].version
		for {
			p, ok := e.shown[e.sync]
			if ok && p.Version != nil && *p.Version == want {
				break
			}
			e.receive()
		}
	}
}

// pulls reports whether the editor asks for diagnostics.
func (e *editor) pulls() bool { return pullsDiagnostics(&e.caps) }

// pull asks for the diagnostics of a document, as editors do after each change
// of it and when they are asked to.
func (e *editor) pull(uri string) {
	e.t.Helper()
	raw := e.call("textDocument/diagnostic", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "identifier": diagnosticSource, "previousResultId": e.results[uri]})
	type documentReport struct {
		Kind, ResultID string
		Items          []wire.Diagnostic
	}
	var report struct {
		documentReport
		RelatedDocuments map[string]documentReport
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	set := e.shown[uri]
	set.URI = uri
	if report.Kind == "full" {
		if report.Items == nil {
			e.t.Fatalf("items are no list in %s", raw)
		}
		set.Diagnostics, e.results[uri] = report.Items, report.ResultID
	} else if report.ResultID != e.results[uri] || report.ResultID == "" {
		e.t.Fatalf("%s is no answer to the result %q", raw, e.results[uri])
	}
	if b := e.open[uri]; b != nil {
		set.Version = new(b.version)
	}
	e.shown[uri], e.log = set, append(e.log, set)
	for other, report := range report.RelatedDocuments {
		set := e.shown[other]
		set.Diagnostics, e.results[other] = report.Items, report.ResultID
		e.shown[other] = set
	}
}

// of returns what is shown of a document, as "line:character-line:character
// severity rule: message" with 0-based positions, settled. The help is left
// out.
func (e *editor) of(uri string) []string {
	e.t.Helper()
	list := []string{}
	for _, d := range e.shown[uri].Diagnostics {
		list = append(list, describe(d))
	}
	return list
}

func describe(d wire.Diagnostic) string {
	message, _, _ := strings.Cut(d.Message, "\n")
	r := d.Range
	return fmt.Sprintf("%d:%d-%d:%d %s: %s", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character, d.Code, message)
}

// expect settles and fails unless the rules found in the document, in order
// and with duplicates, are these.
func (e *editor) expect(uri string, rules ...string) {
	e.t.Helper()
	e.settle()
	got := []string{}
	for _, d := range e.shown[uri].Diagnostics {
		got = append(got, fmt.Sprint(d.Code))
	}
	slices.Sort(got)
	slices.Sort(rules)
	if !slices.Equal(got, rules) {
		e.t.Fatalf("%s shows %q, want the rules %q", uri, e.of(uri), rules)
	}
	if b := e.open[uri]; b != nil && len(got) > 0 {
		if v := e.shown[uri].Version; v == nil || *v != b.version {
			e.t.Fatalf("%s shows version %v, want %d", uri, v, b.version)
		}
	}
}

var everything = protocol.Range{End: protocol.Position{Line: 1 << 20}}

// applyText applies text edits to a text.
func (e *editor) applyText(old string, edits []protocol.TextEdit) string {
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return int(b.Range.Start.Line) - int(a.Range.Start.Line)
		}
		return int(b.Range.Start.Character) - int(a.Range.Start.Character)
	})
	var changes []wire.ContentChange
	for _, edit := range edits {
		changes = append(changes, wire.ContentChange{Range: &edit.Range, Text: edit.NewText})
	}
	return string(text.NewMapper([]byte(old), e.caps.Negotiate()).Apply(changes))
}
