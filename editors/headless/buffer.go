package headless

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
)

type buffer struct {
	version  int32
	text     []byte
	modified bool
}

// Open opens a file as it is on disk; one that does not exist is empty.
func (e *Editor) Open(ctx context.Context, path string) error {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e.setBuffer(path, &buffer{version: 1, text: content})
	return e.server.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": fileuri.FromPath(path), "languageId": "markdown", "version": 1, "text": string(content),
	}})
}

// Edit applies edits that count positions in the present text of an open
// document.
func (e *Editor) Edit(ctx context.Context, path string, edits []protocol.TextEdit) error {
	old := e.buffers[path]
	type change struct {
		Range protocol.Range `json:"range"`
		Text  string         `json:"text"`
	}
	var wireChanges []change
	var changes []wire.ContentChange
	for _, edit := range lastFirst(edits) {
		wireChanges = append(wireChanges, change{edit.Range, edit.NewText})
		changes = append(changes, wire.ContentChange{Range: &edit.Range, Text: edit.NewText})
	}
	b := &buffer{version: old.version + 1, text: text.NewMapper(old.text, e.encoding).Apply(changes), modified: true}
	e.setBuffer(path, b)
	return e.server.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": fileuri.FromPath(path), "version": b.version},
		"contentChanges": wireChanges,
	})
}

// lastFirst orders edits so that none moves the place of one that is still to
// be applied.
func lastFirst(edits []protocol.TextEdit) []protocol.TextEdit {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b protocol.TextEdit) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	slices.Reverse(sorted)
	return sorted
}

func (e *Editor) setBuffer(path string, b *buffer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buffers[path] = b
}

// QuickFix applies the first quick fix that the server has for a diagnostic of
// an open document, and returns its title. Like most editors it leaves the
// changed documents unsaved.
func (e *Editor) QuickFix(ctx context.Context, path string, d wire.Diagnostic) (title string, err error) {
	var actions []json.RawMessage
	err = e.server.Call(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": fileuri.FromPath(path)},
		"range":        d.Range,
		"context":      map[string]any{"diagnostics": []wire.Diagnostic{d}, "only": []string{"quickfix"}},
	}, &actions)
	if err != nil {
		return "", err
	}
	if len(actions) == 0 {
		return "", fmt.Errorf("%s: no quick fix for %q", path, d.Message)
	}
	action, err := decodeAction(actions[0])
	if err != nil {
		return "", err
	}
	if action.Edit == nil {
		if err := e.server.Call(ctx, "codeAction/resolve", actions[0], &action); err != nil {
			return "", err
		}
	}
	if action.Edit == nil {
		return "", fmt.Errorf("the quick fix %q has no edit", action.Title)
	}
	return action.Title, e.apply(ctx, *action.Edit)
}

type codeAction struct {
	Title string
	Edit  *workspaceEdit
}

func decodeAction(raw json.RawMessage) (a codeAction, err error) {
	return a, json.Unmarshal(raw, &a)
}

// A workspaceEdit is read here, and only written by package wire. Files are
// created and documents edited; the fixes shown here need nothing else.
type workspaceEdit struct {
	DocumentChanges []struct {
		Kind         string // "" for an edit
		URI          string
		TextDocument struct{ URI string }
		Edits        []protocol.TextEdit
	}
}

func (e *Editor) apply(ctx context.Context, edit workspaceEdit) error {
	for _, c := range edit.DocumentChanges {
		if c.Kind != "" && c.Kind != "create" {
			return fmt.Errorf("cannot %s %s: not an edit that this editor knows", c.Kind, c.URI)
		}
		path, err := fileuri.Path(cmp.Or(c.URI, c.TextDocument.URI))
		if err != nil {
			return err
		}
		if e.buffers[path] == nil {
			if err := e.Open(ctx, path); err != nil {
				return err
			}
		}
		if len(c.Edits) > 0 {
			if err := e.Edit(ctx, path, c.Edits); err != nil {
				return err
			}
		}
	}
	return nil
}

// SaveAll writes every modified document and returns their paths.
func (e *Editor) SaveAll(ctx context.Context) (paths []string, err error) {
	for path, b := range e.buffers {
		if !b.modified {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, b.text, 0o644); err != nil {
			return nil, err
		}
		b.modified = false
		paths = append(paths, path)
		err := e.server.Notify(ctx, "textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": fileuri.FromPath(path)}})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	return paths, nil
}
