// Package wire has the LSP 3.17 types which go.lsp.dev/protocol v0.12.0 (LSP
// 3.16) lacks or types wrongly. Everything else is used from there.
//
// The types are written for encoding/json. Positions on the wire are 0-based
// and count code units of the negotiated encoding; package text converts them.
package wire

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// InitializeParams has the fields that the server uses. protocol's own type
// decodes every capability, and fails as a whole when a client sends one value
// out of its range.
type InitializeParams struct {
	ProcessID             *int64                     `json:"processId"`
	ClientInfo            *protocol.ClientInfo       `json:"clientInfo"`
	RootPath              *string                    `json:"rootPath"` // deprecated by the protocol, still the only root of old clients
	RootURI               *string                    `json:"rootUri"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	Trace                 string                     `json:"trace"`
	Capabilities          ClientCapabilities         `json:"capabilities"`
}

// ClientCapabilities has the capabilities that change what the server does.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []PositionEncoding `json:"positionEncodings"`
	} `json:"general"`
	Workspace    WorkspaceCapabilities    `json:"workspace"`
	TextDocument TextDocumentCapabilities `json:"textDocument"`
	Window       struct {
		WorkDoneProgress bool           `json:"workDoneProgress"`
		ShowDocument     SupportsOption `json:"showDocument"`
	} `json:"window"`
	// Experimental is whatever the client likes, and need not be an object.
	Experimental json.RawMessage `json:"experimental"`
}

// KeepsEmptyLine reports whether the client makes a new document with one
// empty line, which ends a text that is put before it, as Neovim, ALE,
// YouCompleteMe and Kate do. None of these knows all that an edit may hold. An
// edit in the place of that line is no way out: Kate takes a line of the text.
func (c *ClientCapabilities) KeepsEmptyLine() bool {
	return !c.Workspace.WorkspaceEdit.DocumentChanges || !c.CanEditFiles(protocol.CreateResourceOperation)
}

// TellMemory reports whether the client wants to hear of every change of a
// memory: it shows more of it than the protocol knows of.
func (c *ClientCapabilities) TellMemory() bool {
	var can struct {
		MemoryChanged bool `json:"memoryChanged"`
	}
	return json.Unmarshal(c.Experimental, &can) == nil && can.MemoryChanged
}

// WorkspaceCapabilities is the workspace part of [ClientCapabilities].
type WorkspaceCapabilities struct {
	ApplyEdit     bool `json:"applyEdit"`
	WorkspaceEdit struct {
		DocumentChanges         bool                             `json:"documentChanges"`
		ResourceOperations      []protocol.ResourceOperationKind `json:"resourceOperations"`
		ChangeAnnotationSupport *struct{}                        `json:"changeAnnotationSupport"`
	} `json:"workspaceEdit"`
	Configuration          bool                `json:"configuration"`
	WorkspaceFolders       bool                `json:"workspaceFolders"`
	DidChangeConfiguration DynamicRegistration `json:"didChangeConfiguration"`
	DidChangeWatchedFiles  struct {
		DynamicRegistration
		RelativePatternSupport bool `json:"relativePatternSupport"`
	} `json:"didChangeWatchedFiles"`
	FileOperations struct {
		DidCreate  bool `json:"didCreate"`
		DidRename  bool `json:"didRename"`
		DidDelete  bool `json:"didDelete"`
		WillRename bool `json:"willRename"`
	} `json:"fileOperations"`
	CodeLens    RefreshSupport `json:"codeLens"`
	InlayHint   RefreshSupport `json:"inlayHint"`
	Diagnostics RefreshSupport `json:"diagnostics"`
}

// TextDocumentCapabilities is the document part of [ClientCapabilities].
type TextDocumentCapabilities struct {
	// Diagnostic is not nil when the client pulls diagnostics.
	Diagnostic *struct {
		RelatedDocumentSupport bool `json:"relatedDocumentSupport"`
	} `json:"diagnostic"`
	PublishDiagnostics struct {
		RelatedInformation bool `json:"relatedInformation"`
	} `json:"publishDiagnostics"`
	CodeAction struct {
		// CodeActionLiteralSupport is nil when the client knows commands only.
		CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
		DataSupport              bool      `json:"dataSupport"`
		ResolveSupport           struct {
			Properties []string `json:"properties"`
		} `json:"resolveSupport"`
	} `json:"codeAction"`
	Hover struct {
		ContentFormat []protocol.MarkupKind `json:"contentFormat"`
	} `json:"hover"`
	Completion struct {
		CompletionItem struct {
			SnippetSupport       bool                  `json:"snippetSupport"`
			InsertReplaceSupport bool                  `json:"insertReplaceSupport"`
			DocumentationFormat  []protocol.MarkupKind `json:"documentationFormat"`
		} `json:"completionItem"`
	} `json:"completion"`
	Definition struct {
		LinkSupport bool `json:"linkSupport"`
	} `json:"definition"`
	DocumentLink struct {
		TooltipSupport bool `json:"tooltipSupport"`
	} `json:"documentLink"`
	DocumentSymbol struct {
		HierarchicalDocumentSymbolSupport bool `json:"hierarchicalDocumentSymbolSupport"`
	} `json:"documentSymbol"`
	FoldingRange struct {
		LineFoldingOnly bool `json:"lineFoldingOnly"`
	} `json:"foldingRange"`
	Rename struct {
		PrepareSupport bool `json:"prepareSupport"`
	} `json:"rename"`
}

// DynamicRegistration is shared by the capabilities that can be registered
// after the handshake.
type DynamicRegistration struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// RefreshSupport is shared by the capabilities whose results the server may
// ask the client to request again.
type RefreshSupport struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// SupportsOption is the shape of the capabilities with a support flag.
type SupportsOption struct {
	Support bool `json:"support"`
}

// CanEditFiles reports whether a [WorkspaceEdit] may hold this operation on
// files. Clients are believed one operation at a time: several announce
// operations without documentChanges and carry them out.
func (c *ClientCapabilities) CanEditFiles(op protocol.ResourceOperationKind) bool {
	return slices.Contains(c.Workspace.WorkspaceEdit.ResourceOperations, op)
}

// ResolvesLinks reports whether the client asks again about a document link
// that has no target yet. The protocol has no capability for it; the clients
// that show the tooltips which come with the answer are those that do.
func (c *ClientCapabilities) ResolvesLinks() bool {
	return c.TextDocument.DocumentLink.TooltipSupport
}

// ResolvesActions reports whether the client asks for the edit of a code action
// when the action is chosen.
func (c *ClientCapabilities) ResolvesActions() bool {
	can := &c.TextDocument.CodeAction
	return can.DataSupport && slices.Contains(can.ResolveSupport.Properties, "edit")
}

// PullsDiagnostics reports whether the client asks for diagnostics itself, so
// that pushing them too would show each one twice.
func (c *ClientCapabilities) PullsDiagnostics() bool { return c.TextDocument.Diagnostic != nil }

// PositionEncoding is the unit of a position's character.
type PositionEncoding string

// The encodings that the server speaks.
const (
	UTF8  PositionEncoding = "utf-8"
	UTF16 PositionEncoding = "utf-16"
)

// Negotiate picks the unit of positions: UTF-8 where the client offers it,
// which needs no conversion, else UTF-16, which every client must know.
func (c *ClientCapabilities) Negotiate() PositionEncoding {
	if slices.Contains(c.General.PositionEncodings, UTF8) {
		return UTF8
	}
	return UTF16
}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo,omitempty"`
}

// ServerCapabilities adds the fields of LSP 3.17.
type ServerCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding   PositionEncoding   `json:"positionEncoding,omitempty"`
	DiagnosticProvider *DiagnosticOptions `json:"diagnosticProvider,omitempty"`
	InlayHintProvider  *InlayHintOptions  `json:"inlayHintProvider,omitempty"`
}
