package wire

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// A WorkspaceEdit changes documents and files, through Changes or
// DocumentChanges, never both.
type WorkspaceEdit struct {
	Changes           map[protocol.DocumentURI][]protocol.TextEdit                      `json:"changes,omitempty"`
	DocumentChanges   []DocumentChange                                                  `json:"documentChanges,omitempty"`
	ChangeAnnotations map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation `json:"changeAnnotations,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler] by reading nothing: the server
// only writes edits, and a client that sends an action back with its edit must
// not make the request fail.
func (*WorkspaceEdit) UnmarshalJSON([]byte) error { return nil }

// A DocumentChange is a [TextDocumentEdit], [CreateFile], [RenameFile] or
// [DeleteFile]. (protocol's list holds text edits only.)
type DocumentChange interface{ documentChange() }

// CreateFile creates a file.
type CreateFile struct {
	URI          protocol.DocumentURI                `json:"uri"`
	Options      *protocol.CreateFileOptions         `json:"options,omitempty"`
	AnnotationID protocol.ChangeAnnotationIdentifier `json:"annotationId,omitempty"`
}

// RenameFile moves a file or a directory.
type RenameFile struct {
	OldURI       protocol.DocumentURI                `json:"oldUri"`
	NewURI       protocol.DocumentURI                `json:"newUri"`
	Options      *protocol.RenameFileOptions         `json:"options,omitempty"`
	AnnotationID protocol.ChangeAnnotationIdentifier `json:"annotationId,omitempty"`
}

// DeleteFile deletes a file or a directory.
type DeleteFile struct {
	URI          protocol.DocumentURI                `json:"uri"`
	Options      *protocol.DeleteFileOptions         `json:"options,omitempty"`
	AnnotationID protocol.ChangeAnnotationIdentifier `json:"annotationId,omitempty"`
}

// TextDocumentEdit edits one document. Its version is null on the wire for a
// file that is not open.
type TextDocumentEdit struct {
	TextDocument protocol.OptionalVersionedTextDocumentIdentifier `json:"textDocument"`
	Edits        TextEdits                                        `json:"edits"`
}

// TextEdits is a list that is [] on the wire when it is nil.
type TextEdits []TextEdit

// MarshalJSON implements [json.Marshaler].
func (e TextEdits) MarshalJSON() ([]byte, error) { return list(e) }

// A TextEdit is one edit, with or without an annotation.
type TextEdit struct {
	protocol.TextEdit
	AnnotationID protocol.ChangeAnnotationIdentifier `json:"annotationId,omitempty"`
}

func (CreateFile) documentChange()       {}
func (RenameFile) documentChange()       {}
func (DeleteFile) documentChange()       {}
func (TextDocumentEdit) documentChange() {}

// MarshalJSON implements [json.Marshaler]: it writes the kind.
func (c CreateFile) MarshalJSON() ([]byte, error) {
	type plain CreateFile
	return json.Marshal(struct {
		Kind protocol.ResourceOperationKind `json:"kind"`
		plain
	}{protocol.CreateResourceOperation, plain(c)})
}

// MarshalJSON implements [json.Marshaler]: it writes the kind.
func (r RenameFile) MarshalJSON() ([]byte, error) {
	type plain RenameFile
	return json.Marshal(struct {
		Kind protocol.ResourceOperationKind `json:"kind"`
		plain
	}{protocol.RenameResourceOperation, plain(r)})
}

// MarshalJSON implements [json.Marshaler]: it writes the kind.
func (d DeleteFile) MarshalJSON() ([]byte, error) {
	type plain DeleteFile
	return json.Marshal(struct {
		Kind protocol.ResourceOperationKind `json:"kind"`
		plain
	}{protocol.DeleteResourceOperation, plain(d)})
}

// ApplyWorkspaceEditParams asks the client to apply an edit.
type ApplyWorkspaceEditParams struct {
	Label string        `json:"label,omitempty"`
	Edit  WorkspaceEdit `json:"edit"`
}
