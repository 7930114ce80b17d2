package lsp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
)

// editOnWire is a workspace edit as a client reads it.
type editOnWire struct {
	Changes         map[string][]protocol.TextEdit
	DocumentChanges []struct {
		Kind           string
		URI            string
		OldURI, NewURI string
		TextDocument   struct {
			URI     string
			Version *int32
		}
		Edits []protocol.TextEdit
	}
}

// apply carries out a workspace edit and saves the result. An edit in a form
// that the editor has not announced fails the test: real ones do nothing then,
// or worse.
func (e *editor) apply(raw json.RawMessage) {
	e.t.Helper()
	var edit editOnWire
	if err := json.Unmarshal(raw, &edit); err != nil {
		e.t.Fatalf("%v in %s", err, raw)
	}
	if len(edit.Changes) > 0 && len(edit.DocumentChanges) > 0 {
		e.t.Fatalf("an edit has changes and documentChanges: %s", raw)
	}
	for uri, edits := range edit.Changes {
		e.editFile(uri, edits)
	}
	ws := e.caps.Workspace.WorkspaceEdit
	for _, c := range edit.DocumentChanges {
		if c.Kind != "" && !e.caps.CanEditFiles(protocol.ResourceOperationKind(c.Kind)) {
			e.t.Fatalf("the editor did not announce %q: %s", c.Kind, raw)
		}
		if !ws.DocumentChanges && len(ws.ResourceOperations) == 0 {
			e.t.Fatalf("the editor knows no documentChanges: %s", raw)
		}
		path := e.pathOf(c.URI)
		var err error
		switch c.Kind {
		case "create":
			if _, statErr := os.Stat(path); statErr == nil {
				e.t.Fatalf("%s is created and exists", path)
			}
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(e.newDocument()), 0o644))
		case "rename":
			err = e.move(c.OldURI, c.NewURI)
		case "delete":
			if e.open[c.URI] != nil {
				e.didClose(c.URI)
			}
			err = os.Remove(path)
		default:
			b := e.open[c.TextDocument.URI]
			if v := c.TextDocument.Version; (b == nil) != (v == nil) || b != nil && *v != b.version {
				e.t.Fatalf("edit of version %v of %s, which has %+v", v, c.TextDocument.URI, b)
			}
			e.editFile(c.TextDocument.URI, c.Edits)
		}
		if err != nil {
			e.t.Fatal(err)
		}
	}
	e.event(e.dirty...)
	e.dirty = nil
}

// move moves a file, or a directory, and the documents that are open in it.
func (e *editor) move(from, to string) error {
	e.t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(e.pathOf(to)), 0o755), os.Rename(e.pathOf(from), e.pathOf(to)))
	for uri, b := range maps.Clone(e.open) {
		if rest, ok := strings.CutPrefix(uri, from); ok && (rest == "" || rest[0] == '/') {
			e.didClose(uri)
			e.didOpen(to+rest, b.text)
		}
	}
	return err
}

func (e *editor) pathOf(uri string) string {
	path, err := fileuri.Path(uri)
	if uri != "" && err != nil {
		e.t.Fatal(err)
	}
	e.dirty = append(e.dirty, path)
	return path
}

// newDocument is what the editor has of a file that is not on disk.
func (e *editor) newDocument() string {
	if e.caps.KeepsEmptyLine() {
		return "\n"
	}
	return ""
}

// editFile changes a buffer, or a file that is not open, and saves it.
func (e *editor) editFile(uri string, edits []protocol.TextEdit) {
	e.t.Helper()
	path := e.pathOf(uri)
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(e.newDocument()), nil
	}
	if err != nil {
		e.t.Fatal(err)
	}
	if b := e.open[uri]; b != nil {
		old = []byte(b.text)
	}
	text := e.applyText(string(old), edits)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		e.t.Fatal(err)
	}
	if e.open[uri] != nil {
		e.change(uri, text)
		e.didSave(uri)
	}
}
