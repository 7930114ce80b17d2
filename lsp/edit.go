package lsp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// An editBuilder turns the steps of a fix into an edit that the client can
// apply. What a client announces is believed one operation at a time: several
// announce operations on files without documentChanges, and carry them out.
//
//	create in resourceOperations -> CreateFile and an edit of the new file
//	else documentChanges         -> an edit of a file that does not exist yet
//	else                         -> the same in changes
//
// Clients of the last two kinds make the file when they are told to edit it.
type editBuilder struct {
	sub     *subject
	client  *wire.ClientCapabilities
	enc     wire.PositionEncoding
	changes []wire.DocumentChange
}

// workspaceEdit is the edit for steps. It fails when the client cannot do one
// of them; it is nil when nothing is left to do.
func (sub *subject) workspaceEdit(client *wire.ClientCapabilities, enc wire.PositionEncoding, ops []rules.Op) (*wire.WorkspaceEdit, error) {
	b := &editBuilder{sub: sub, client: client, enc: enc}
	for _, op := range ops {
		if err := b.add(op); err != nil {
			return nil, err
		}
	}
	if len(b.changes) == 0 {
		return nil, nil
	}
	return b.shape(), nil
}

func (b *editBuilder) add(op rules.Op) error {
	if b.addPlaced(op) {
		return nil
	}
	uri, src, err := b.sub.target(op.Path, b.enc)
	if err != nil {
		return err
	}
	switch op.Kind {
	case rules.OpCreate:
		b.create(op, uri)
	case rules.OpEdit:
		b.edit(uri, b.version(op.Path), src.textEdits(op.Edits))
	case rules.OpRename:
		if err := b.need(protocol.RenameResourceOperation); err != nil {
			return err
		}
		to := protocol.DocumentURI(fileuri.FromPath(absolute(b.sub.repo.git, op.To)))
		b.changes = append(b.changes, wire.RenameFile{OldURI: uri, NewURI: to})
	case rules.OpDelete:
		if err := b.need(protocol.DeleteResourceOperation); err != nil {
			return err
		}
		b.changes = append(b.changes, wire.DeleteFile{URI: uri})
	}
	return nil
}

// addPlaced adds the edits of a file that is not open if it is known where they
// stand. Nothing is read: a rename may edit hundreds of files.
func (b *editBuilder) addPlaced(op rules.Op) bool {
	unplaced := func(e rules.Edit) bool { return e.Place == nil }
	open := b.sub.judging.overlay.buffers[op.Path]
	if op.Kind != rules.OpEdit || open != nil && open.file != nil || slices.ContainsFunc(op.Edits, unplaced) {
		return false
	}
	edits := make(wire.TextEdits, 0, len(op.Edits))
	for _, e := range op.Edits {
		edits = append(edits, wire.TextEdit{TextEdit: protocol.TextEdit{Range: rangeAt(e.Place, b.enc), NewText: e.New}})
	}
	b.edit(b.sub.uriOf(op.Path), nil, edits)
	return true
}

func (b *editBuilder) need(op protocol.ResourceOperationKind) error {
	if !b.client.CanEditFiles(op) {
		return fmt.Errorf("the editor cannot %s files", op)
	}
	return nil
}

// create makes a file, or fills the document that is open in its place and
// was never saved.
func (b *editBuilder) create(op rules.Op, uri protocol.DocumentURI) {
	if open := b.sub.judging.overlay.buffers[op.Path]; open != nil {
		all := plainSource(open.doc)
		b.edit(open.doc.uri, &open.doc.version, wire.TextEdits{all.replaceAll(op.Content)})
		return
	}
	if b.client.CanEditFiles(protocol.CreateResourceOperation) {
		// ignoreIfExists: the edit then puts the text before what is there.
		b.changes = append(b.changes, wire.CreateFile{URI: uri, Options: &protocol.CreateFileOptions{IgnoreIfExists: true}})
	}
	edit := protocol.TextEdit{NewText: op.Content}
	if b.client.KeepsEmptyLine() {
		edit.NewText = strings.TrimSuffix(op.Content, "\n")
	}
	b.edit(uri, nil, wire.TextEdits{{TextEdit: edit}})
}

func (b *editBuilder) edit(uri protocol.DocumentURI, version *int32, edits wire.TextEdits) {
	if len(edits) == 0 {
		return
	}
	id := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri}, Version: version}
	b.changes = append(b.changes, wire.TextDocumentEdit{TextDocument: id, Edits: edits})
}

// version is that of an open document, nil for a file that is not open.
func (b *editBuilder) version(path string) *int32 {
	if open := b.sub.judging.overlay.buffers[path]; open != nil && open.file != nil {
		return &open.doc.version
	}
	return nil
}

// shape writes the edit in the form that the client knows.
func (b *editBuilder) shape() *wire.WorkspaceEdit {
	onFiles := false
	byURI := map[protocol.DocumentURI][]protocol.TextEdit{}
	for _, c := range b.changes {
		edit, ok := c.(wire.TextDocumentEdit)
		if !ok {
			onFiles = true
			continue
		}
		for _, e := range edit.Edits {
			byURI[edit.TextDocument.URI] = append(byURI[edit.TextDocument.URI], e.TextEdit)
		}
	}
	if onFiles || b.client.Workspace.WorkspaceEdit.DocumentChanges {
		return &wire.WorkspaceEdit{DocumentChanges: b.changes}
	}
	return &wire.WorkspaceEdit{Changes: byURI}
}

// textEdits converts edits of the staged text to edits of the client's. New
// text gets the line ends of the text around it.
func (s *source) textEdits(edits []rules.Edit) wire.TextEdits {
	if s.opaque {
		return nil
	}
	if after, ok := s.toLF(edits); ok {
		return wire.TextEdits{s.replaceAll(after)}
	}
	list := make(wire.TextEdits, 0, len(edits))
	for _, e := range edits {
		text := e.New
		if s.crlf {
			text = withCRLF(text)
		}
		at := s.rangeOf(e.Span)
		if text == "" && at.Start == at.End {
			continue // it is about bytes that the editor does not show
		}
		list = append(list, wire.TextEdit{TextEdit: protocol.TextEdit{Range: at, NewText: text}})
	}
	return list
}

// toLF returns the whole text after edits that take the carriage returns out
// of it. A position cannot stand between \r and \n, so they are not expressed
// one by one.
func (s *source) toLF(edits []rules.Edit) (after string, ok bool) {
	if !bytes.Contains(s.staged, []byte("\r\n")) {
		return "", false
	}
	text, err := rules.ApplyEdits(s.staged, edits)
	if err != nil || bytes.Contains(text, []byte("\r\n")) {
		return "", false
	}
	return string(text), true
}

func (s *source) replaceAll(text string) wire.TextEdit {
	return wire.TextEdit{TextEdit: protocol.TextEdit{Range: s.rangeOf(rules.Span{End: len(s.staged)}), NewText: text}}
}

func withCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// opsOf are the steps from one tree to another.
func opsOf(changes []rules.FileChange) ([]rules.Op, error) {
	ops := make([]rules.Op, 0, len(changes))
	for _, c := range changes {
		before, err := bytesOf(c.Before)
		if err != nil {
			return nil, err
		}
		after, err := bytesOf(c.After)
		if err != nil {
			return nil, err
		}
		switch {
		case c.Before == nil:
			ops = append(ops, rules.Op{Kind: rules.OpCreate, Path: c.Path, Content: string(after)})
		case c.After == nil:
			ops = append(ops, rules.Op{Kind: rules.OpDelete, Path: c.Path})
		case !bytes.Equal(before, after):
			ops = append(ops, rules.Op{Kind: rules.OpEdit, Path: c.Path, Edits: lineEdits(before, after)})
		}
	}
	return ops, nil
}

func bytesOf(f *tree.File) ([]byte, error) {
	if f == nil {
		return nil, nil
	}
	return f.Bytes()
}
