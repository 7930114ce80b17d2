package wire

import "go.lsp.dev/protocol"

// Methods that protocol has no name for.
const (
	MethodTextDocumentInlayHint      = "textDocument/inlayHint"
	MethodWorkspaceInlayHintRefresh  = "workspace/inlayHint/refresh"
	MethodTextDocumentSelectionRange = "textDocument/selectionRange"
)

// PrepareRenameResult is the range that a rename replaces, and what the user
// edits. (protocol knows the range only.)
type PrepareRenameResult struct {
	Range       protocol.Range `json:"range"`
	Placeholder string         `json:"placeholder"`
}

// InlayHintOptions announces inlay hints.
type InlayHintOptions struct {
	ResolveProvider bool `json:"resolveProvider,omitempty"`
}

// InlayHintParams asks for the hints of a range.
type InlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

// An InlayHint is text that the editor shows between a document's characters.
type InlayHint struct {
	Position     protocol.Position       `json:"position"`
	Label        string                  `json:"label"`
	Tooltip      *protocol.MarkupContent `json:"tooltip,omitempty"`
	PaddingLeft  bool                    `json:"paddingLeft,omitempty"`
	PaddingRight bool                    `json:"paddingRight,omitempty"`
}

// A FileSystemWatcher watches the files below a directory. (protocol's knows
// patterns of whole paths only.)
type FileSystemWatcher struct {
	GlobPattern any `json:"globPattern"` // string or [RelativePattern]
}

// RelativePattern is a glob below a directory; needs the client's
// relativePatternSupport.
type RelativePattern struct {
	BaseURI protocol.URI `json:"baseUri"`
	Pattern string       `json:"pattern"`
}

// DidChangeWatchedFilesRegistrationOptions registers watchers.
type DidChangeWatchedFilesRegistrationOptions struct {
	Watchers []FileSystemWatcher `json:"watchers"`
}
