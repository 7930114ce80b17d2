package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/memls/memls/editors/example"
	"github.com/memls/memls/lsp/fileuri"
)

// A measure is a row of the table.
type measure struct {
	what string
	// once is for what a session has only one of; else it is measured many
	// times, each after a keystroke
	once bool
	// run returns what is measured unless it is the time that run takes, and
	// [errNotOffered] or [errIncomplete] when the server's answer is not worth
	// a number.
	run func(*peerSession, context.Context) (value float64, err error)
}

// measures are in the order in which they are taken.
var measures = []measure{
	{"start and `initialize` to first diagnostics", true, (*peerSession).start},
	{fmt.Sprintf("then, to all %d references", hubLinks), true, (*peerSession).allReferences},
	{"keystroke to diagnostics", false, (*peerSession).diagnostics},
	{"definition", false, (*peerSession).definition},
	{fmt.Sprintf("references, %d", hubLinks), false, (*peerSession).references},
	{"workspace symbol", false, (*peerSession).symbols},
	{fmt.Sprintf("rename of a file with %d links in", hubLinks), false, (*peerSession).rename},
	{"resident memory, MB", true, (*peerSession).memory},
}

var (
	errNotOffered = errors.New("not offered")
	errIncomplete = errors.New("incomplete")
)

// A peerSession is one run of a server, with one note open.
type peerSession struct {
	peer    peer
	options options
	argv    []string
	answers map[string]answer
	repo    *example.Repo
	client  *client // nil before it is started

	note    string // absolute path
	text    []byte
	version int
	rested  bool // see rest
}

// measure takes one measure and adds it to the results.
func (s *peerSession) measure(ctx context.Context, m measure, r results) error {
	times := s.options.keys
	if m.once {
		times = 1
	}
	if !m.once && !s.rested {
		if err := s.rest(ctx); err != nil {
			return err
		}
		s.rested = true
	}
	var values []float64
	for range times {
		if !m.once {
			if err := s.key(ctx); err != nil {
				return err
			}
		}
		limited, cancel := context.WithTimeout(ctx, s.options.patience)
		began := time.Now()
		value, err := m.run(s, limited)
		took := time.Since(began)
		cancel()
		if err != nil {
			return err
		}
		if value == 0 {
			value = float64(took) / float64(time.Millisecond)
		}
		values = append(values, value)
	}
	r.add(m.what, median(values, func(v float64) float64 { return v }))
	return nil
}

// rest waits until the server does nothing for half a second, but no longer than
// the patience: what it goes on with when it has found all references takes time
// from what follows, and memory.
func (s *peerSession) rest(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.options.patience)
	defer cancel()
	for before := time.Duration(-1); ; {
		now, err := cpuTime(s.client.PID())
		if err != nil || now == before {
			return err
		}
		before = now
		select {
		case <-limited.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (s *peerSession) end() {
	if s.client != nil {
		s.client.Kill()
	}
}

func (s *peerSession) start(ctx context.Context) (_ float64, err error) {
	if s.text, err = os.ReadFile(s.note); err != nil {
		return 0, err
	}
	s.text = append(s.text, "\nSee [its heading](../../"+hubHeading+").\n"...)
	if s.client, err = startClient(ctx, s.argv, s.repo.Dir, s.answers); err != nil {
		return 0, err
	}
	if s.peer.settings != "" {
		if err := s.client.Notify(ctx, "workspace/didChangeConfiguration", json.RawMessage(s.peer.settings)); err != nil {
			return 0, err
		}
	}
	err = s.client.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": fileuri.FromPath(s.note), "languageId": "markdown", "version": s.version, "text": string(s.text),
	}})
	if err != nil {
		return 0, err
	}
	return s.diagnostics(ctx)
}

// key types one letter into the heading of the note.
func (s *peerSession) key(ctx context.Context) error {
	before, _, ok := bytes.Cut(s.text, []byte("\n# Note"))
	if !ok {
		return fmt.Errorf("%s has no heading", s.note)
	}
	at := len(before) + len("\n# Note")
	s.text = slices.Insert(s.text, at, 's')
	s.version++
	change := map[string]any{"text": string(s.text)}
	if !s.client.can.takesWholeText() {
		end := position(s.text, at)
		change = map[string]any{"range": map[string]any{"start": end, "end": end}, "text": "s"}
	}
	return s.client.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": fileuri.FromPath(s.note), "version": s.version},
		"contentChanges": []any{change},
	})
}

// position is that of an offset; its line is ASCII.
func position(text []byte, at int) map[string]int {
	return map[string]int{
		"line":      bytes.Count(text[:at], []byte("\n")),
		"character": at - 1 - bytes.LastIndexByte(text[:at], '\n'),
	}
}

func (s *peerSession) document() map[string]any {
	return map[string]any{"uri": fileuri.FromPath(s.note)}
}

// hubHeading is where the link leads whose definition is asked for:
// vscode-markdown-languageserver answers for headings alone.
const hubHeading = hub + "#hub"

// linkTo are the parameters of a request about the first link with a target.
func (s *peerSession) linkTo(target string) map[string]any {
	return map[string]any{
		"textDocument": s.document(),
		"position":     position(s.text, bytes.Index(s.text, []byte(target))),
		"context":      map[string]any{"includeDeclaration": true}, // of references
	}
}

func (s *peerSession) diagnostics(ctx context.Context) (float64, error) {
	if s.client.can.DiagnosticProvider == nil {
		return 0, errNotOffered
	}
	return 0, s.client.Call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": s.document()}, nil)
}

func (s *peerSession) definition(ctx context.Context) (float64, error) {
	if s.client.can.DefinitionProvider == nil {
		return 0, errNotOffered
	}
	var found json.RawMessage
	if err := s.client.Call(ctx, "textDocument/definition", s.linkTo(hubHeading), &found); err != nil {
		return 0, err
	}
	if !bytes.Contains(found, []byte("/"+hub)) {
		return 0, fmt.Errorf("%w: the answer is %s", errIncomplete, found)
	}
	return 0, nil
}

func (s *peerSession) references(ctx context.Context) (float64, error) {
	if s.client.can.ReferencesProvider == nil {
		return 0, errNotOffered
	}
	var found []json.RawMessage
	if err := s.client.Call(ctx, "textDocument/references", s.linkTo(hub), &found); err != nil {
		return 0, err
	}
	return 0, all(len(found), hubLinks)
}

// allReferences asks until the server, which may still be reading files,
// knows all.
func (s *peerSession) allReferences(ctx context.Context) (float64, error) {
	for {
		_, err := s.references(ctx)
		if !errors.Is(err, errIncomplete) || ctx.Err() != nil {
			return 0, err
		}
	}
}

func all(found, want int) error {
	if found < want {
		return fmt.Errorf("%w: %d of %d", errIncomplete, found, want)
	}
	return nil
}

func (s *peerSession) symbols(ctx context.Context) (float64, error) {
	if s.client.can.WorkspaceSymbolProvider == nil {
		return 0, errNotOffered
	}
	var found []json.RawMessage
	if err := s.client.Call(ctx, "workspace/symbol", map[string]any{"query": "Note 42"}, &found); err != nil {
		return 0, err
	}
	return 0, all(len(found), 1)
}

// rename asks for the edits that go with a rename, which is not carried out.
func (s *peerSession) rename(ctx context.Context) (float64, error) {
	old := s.repo.Path(hub)
	files := []any{map[string]any{"oldUri": fileuri.FromPath(old), "newUri": fileuri.FromPath(strings.TrimSuffix(old, ".md") + "-renamed.md")}}
	method, params := s.peer.rename, any([]any{files}) // the only parameter
	if method == "" {
		if s.client.can.Workspace.FileOperations.WillRename == nil {
			return 0, errNotOffered
		}
		method, params = "workspace/willRenameFiles", map[string]any{"files": files}
	}
	var found struct {
		workspaceChanges
		Edit workspaceChanges // in the answer of vscode-markdown-languageserver
	}
	if err := s.client.Call(ctx, method, params, &found); err != nil {
		return 0, err
	}
	return 0, all(found.edits()+found.Edit.edits(), hubLinks)
}

// workspaceChanges count the edits of a WorkspaceEdit.
type workspaceChanges struct {
	Changes         map[string][]json.RawMessage
	DocumentChanges []struct{ Edits []json.RawMessage }
}

func (w workspaceChanges) edits() (n int) {
	for _, edits := range w.Changes {
		n += len(edits)
	}
	for _, c := range w.DocumentChanges {
		n += len(c.Edits)
	}
	return n
}

func (s *peerSession) memory(context.Context) (float64, error) {
	bytes, err := memory(s.client.PID(), resident)
	if err == nil && bytes == 0 {
		err = errNotOffered
	}
	return float64(bytes) / 1e6, err
}
