package wire

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// Methods of pull diagnostics.
const (
	MethodTextDocumentDiagnostic     = "textDocument/diagnostic"
	MethodWorkspaceDiagnostic        = "workspace/diagnostic"
	MethodWorkspaceDiagnosticRefresh = "workspace/diagnostic/refresh"
)

// A Diagnostic is protocol's with its data kept as the server wrote it.
type Diagnostic struct {
	Range              protocol.Range                          `json:"range"`
	Severity           protocol.DiagnosticSeverity             `json:"severity,omitempty"`
	Code               any                                     `json:"code,omitempty"` // string; other servers' may be numbers
	CodeDescription    *protocol.CodeDescription               `json:"codeDescription,omitempty"`
	Source             string                                  `json:"source,omitempty"`
	Message            string                                  `json:"message"`
	Tags               []protocol.DiagnosticTag                `json:"tags,omitempty"`
	RelatedInformation []protocol.DiagnosticRelatedInformation `json:"relatedInformation,omitempty"`
	Data               json.RawMessage                         `json:"data,omitempty"`
}

// Diagnostics is a list that is [] on the wire when it is nil: clients read
// null as a malformed message and keep what they show.
type Diagnostics []Diagnostic

// MarshalJSON implements [json.Marshaler].
func (d Diagnostics) MarshalJSON() ([]byte, error) { return list(d) }

func list[T any](items []T) ([]byte, error) {
	if items == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(items)
}

// PublishDiagnosticsParams replaces all diagnostics of one document. Version
// is nil for a file that is not open.
type PublishDiagnosticsParams struct {
	URI         protocol.DocumentURI `json:"uri"`
	Version     *int32               `json:"version,omitempty"`
	Diagnostics Diagnostics          `json:"diagnostics"`
}

// DiagnosticOptions announces pull diagnostics.
type DiagnosticOptions struct {
	Identifier            string `json:"identifier,omitempty"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

// DocumentDiagnosticParams asks for one document.
type DocumentDiagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	Identifier       string                          `json:"identifier"`
	PreviousResultID string                          `json:"previousResultId"`
}

// A DocumentDiagnosticReport is made by [FullReport] or [UnchangedReport].
type DocumentDiagnosticReport struct {
	Kind     string       `json:"kind"`
	ResultID string       `json:"resultId,omitempty"`
	Items    *Diagnostics `json:"items,omitempty"`

	// RelatedDocuments are reports of other documents, for clients with
	// relatedDocumentSupport.
	RelatedDocuments map[protocol.DocumentURI]DocumentDiagnosticReport `json:"relatedDocuments,omitempty"`
}

// FullReport holds all diagnostics of a document; resultID may be "".
func FullReport(resultID string, items Diagnostics) DocumentDiagnosticReport {
	return DocumentDiagnosticReport{Kind: "full", ResultID: resultID, Items: &items}
}

// UnchangedReport says that the result which the client holds is still right.
func UnchangedReport(resultID string) DocumentDiagnosticReport {
	return DocumentDiagnosticReport{Kind: "unchanged", ResultID: resultID}
}

// WorkspaceDiagnosticParams asks for all documents.
type WorkspaceDiagnosticParams struct {
	Identifier         string                  `json:"identifier"`
	PreviousResultIDs  []PreviousResultID      `json:"previousResultIds"`
	PartialResultToken *protocol.ProgressToken `json:"partialResultToken"`
	WorkDoneToken      *protocol.ProgressToken `json:"workDoneToken"`
}

// A PreviousResultID names the result that the client holds of one document.
type PreviousResultID struct {
	URI   protocol.DocumentURI `json:"uri"`
	Value string               `json:"value"`
}

// WorkspaceDiagnosticReport is also the shape of its partial results.
type WorkspaceDiagnosticReport struct {
	Items WorkspaceReports `json:"items"`
}

// WorkspaceReports is a list that is [] on the wire when it is nil.
type WorkspaceReports []WorkspaceDocumentDiagnosticReport

// MarshalJSON implements [json.Marshaler].
func (r WorkspaceReports) MarshalJSON() ([]byte, error) { return list(r) }

// A WorkspaceDocumentDiagnosticReport is one document's part. Version is nil,
// null on the wire, for a file that is not open.
type WorkspaceDocumentDiagnosticReport struct {
	DocumentDiagnosticReport
	URI     protocol.DocumentURI `json:"uri"`
	Version *int32               `json:"version"`
}
