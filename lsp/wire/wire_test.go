package wire_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memls/memls/lsp/wire"
	"go.lsp.dev/protocol"
)

func TestMarshal(t *testing.T) {
	version := int32(0)
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{
			"no diagnostics are an empty list, version 0 is kept",
			wire.PublishDiagnosticsParams{URI: "file:///a.md", Version: &version},
			`{"uri":"file:///a.md","version":0,"diagnostics":[]}`,
		},
		{
			"no version for a file that is not open",
			wire.PublishDiagnosticsParams{URI: "file:///a.md"},
			`{"uri":"file:///a.md","diagnostics":[]}`,
		},
		{
			"full report without findings",
			wire.FullReport("", nil),
			`{"kind":"full","items":[]}`,
		},
		{
			"unchanged report has no items",
			wire.UnchangedReport("7"),
			`{"kind":"unchanged","resultId":"7"}`,
		},
		{
			"workspace report of a closed file",
			wire.WorkspaceDiagnosticReport{Items: wire.WorkspaceReports{{DocumentDiagnosticReport: wire.FullReport("1", nil), URI: "file:///a.md"}}},
			`{"items":[{"kind":"full","resultId":"1","items":[],"uri":"file:///a.md","version":null}]}`,
		},
		{
			"empty workspace report",
			wire.WorkspaceDiagnosticReport{},
			`{"items":[]}`,
		},
		{
			"create a file, then write it",
			wire.WorkspaceEdit{DocumentChanges: []wire.DocumentChange{
				wire.CreateFile{URI: "file:///a.md", Options: &protocol.CreateFileOptions{IgnoreIfExists: true}},
				wire.TextDocumentEdit{
					TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: "file:///a.md"}},
					Edits:        wire.TextEdits{{TextEdit: protocol.TextEdit{NewText: "x"}, AnnotationID: "n"}, {TextEdit: protocol.TextEdit{NewText: "y"}}},
				},
				wire.RenameFile{OldURI: "file:///a.md", NewURI: "file:///b.md"},
				wire.DeleteFile{URI: "file:///b.md"},
			}},
			`{"documentChanges":[
				{"kind":"create","uri":"file:///a.md","options":{"ignoreIfExists":true}},
				{"textDocument":{"uri":"file:///a.md","version":null},"edits":[
					{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"x","annotationId":"n"},
					{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"y"}]},
				{"kind":"rename","oldUri":"file:///a.md","newUri":"file:///b.md"},
				{"kind":"delete","uri":"file:///b.md"}]}`,
		},
		{
			"3.17 capabilities stand beside the embedded ones",
			wire.ServerCapabilities{
				ServerCapabilities: protocol.ServerCapabilities{HoverProvider: true},
				PositionEncoding:   wire.UTF8,
				DiagnosticProvider: &wire.DiagnosticOptions{InterFileDependencies: true},
				InlayHintProvider:  &wire.InlayHintOptions{},
			},
			`{"hoverProvider":true,"positionEncoding":"utf-8",
			  "diagnosticProvider":{"interFileDependencies":true,"workspaceDiagnostics":false},"inlayHintProvider":{}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, tt.want), parse(t, string(raw))); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
		})
	}
}

func parse(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestContentChange(t *testing.T) {
	at := func(line, character uint32) protocol.Position {
		return protocol.Position{Line: line, Character: character}
	}
	tests := []struct {
		name, json string
		want       wire.ContentChange
	}{
		{"whole document", `{"text":"x"}`, wire.ContentChange{Text: "x"}},
		{"null range is the whole document", `{"range":null,"text":"x"}`, wire.ContentChange{Text: "x"}},
		{
			"insertion at the start",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"rangeLength":0,"text":"x"}`,
			wire.ContentChange{Range: &protocol.Range{}, Text: "x"},
		},
		{
			"numbers out of range are clamped",
			`{"range":{"start":{"line":-1,"character":1.0},"end":{"line":9007199254740991,"character":1e300}},"text":""}`,
			wire.ContentChange{Range: &protocol.Range{Start: at(0, 1), End: at(math.MaxUint32, math.MaxUint32)}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got wire.ContentChange
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInitializeParams(t *testing.T) {
	tests := []struct {
		name, json string
		encoding   wire.PositionEncoding
		creates    bool
		pulls      bool
	}{
		{"nothing", `{}`, wire.UTF16, false, false},
		{"nulls", `{"processId":null,"rootUri":null,"workspaceFolders":null,"capabilities":null}`, wire.UTF16, false, false},
		{"utf-8 is preferred wherever it stands", `{"capabilities":{"general":{"positionEncodings":["utf-32","utf-8","utf-16"]}}}`, wire.UTF8, false, false},
		{"utf-16 is every client's", `{"capabilities":{"general":{"positionEncodings":["utf-32"]}}}`, wire.UTF16, false, false},
		{"file operations without documentChanges", `{"capabilities":{"workspace":{"workspaceEdit":{"resourceOperations":["rename","create"]}}}}`, wire.UTF16, true, false},
		{"pull diagnostics", `{"capabilities":{"textDocument":{"diagnostic":{"dynamicRegistration":true}}}}`, wire.UTF16, false, true},
		{"unused capabilities may be anything", `{"capabilities":{"textDocument":{"foldingRange":{"rangeLimit":-1}},"experimental":[1]}}`, wire.UTF16, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p wire.InitializeParams
			if err := json.Unmarshal([]byte(tt.json), &p); err != nil {
				t.Fatal(err)
			}
			c := &p.Capabilities
			if got := c.Negotiate(); got != tt.encoding {
				t.Errorf("encoding = %s, want %s", got, tt.encoding)
			}
			if got := c.CanEditFiles(protocol.CreateResourceOperation); got != tt.creates {
				t.Errorf("can create files = %v, want %v", got, tt.creates)
			}
			if got := c.PullsDiagnostics(); got != tt.pulls {
				t.Errorf("pulls diagnostics = %v, want %v", got, tt.pulls)
			}
		})
	}
}

// A client gives back an action as it got it: the data must survive, the edit
// is not needed.
func TestCodeActionRoundTrip(t *testing.T) {
	sent := wire.CodeAction{
		Title: "Create index",
		Data:  json.RawMessage(`{"n":9007199254740993}`),
		Edit:  &wire.WorkspaceEdit{DocumentChanges: []wire.DocumentChange{wire.DeleteFile{URI: "file:///a.md"}}},
	}
	raw, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.CodeAction
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Data) != string(sent.Data) || got.Title != sent.Title {
		t.Errorf("got %+v, want the title and data of %+v", got, sent)
	}
}
