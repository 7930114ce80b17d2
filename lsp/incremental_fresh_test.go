package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// compareAnswers asks where every place of the open documents leads and what
// leads there, for their symbols and those of the workspace, and for reports of
// diagnostics, and asks a server that knows nothing of the past the same.
func (p *play) compareAnswers(docs *documents) {
	p.t.Helper()
	s := p.e.server
	fresh := NewServer("test", slog.New(slog.DiscardHandler))
	fresh.client, fresh.encoding = s.client, s.encoding
	fresh.documents.Store(docs)
	defer fresh.engine.sessionOf().keep(nil, nil)
	same := func(what string, ask func(s *Server) any) {
		p.t.Helper()
		got, err1 := json.MarshalIndent(ask(s), "", " ")
		want, err2 := json.MarshalIndent(ask(fresh), "", " ")
		if err1 != nil || err2 != nil {
			p.t.Fatal(err1, err2)
		}
		if string(got) != string(want) {
			p.t.Fatalf("%s:\n%s\nwant\n%s\nafter\n\t%s", what, got, want, strings.Join(p.history, "\n\t"))
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(p.e.open)) {
		if uri == p.e.sync || p.gone[uri] {
			continue
		}
		id := protocol.TextDocumentIdentifier{URI: protocol.DocumentURI(uri)}
		for line := range 1 + strings.Count(p.e.open[uri].text, "\n") {
			for _, character := range []uint32{0, 3, 10, 40} {
				at := protocol.TextDocumentPositionParams{TextDocument: id, Position: protocol.Position{Line: uint32(line), Character: character}}
				same(fmt.Sprintf("%s:%d:%d leads to and is led to from", uri, line, character), func(s *Server) any { return p.navigate(s, at) })
			}
		}
		same(uri+" has the symbols", func(s *Server) any {
			return answered(p.t)(s.documentSymbols(p.t.Context(), s.snapshot(), &protocol.DocumentSymbolParams{TextDocument: id}))
		})
		for _, previous := range []string{"", p.results[uri]} {
			same(uri+" has the report", func(s *Server) any {
				return answered(p.t)(s.documentDiagnostic(p.t.Context(), s.snapshot(), &wire.DocumentDiagnosticParams{TextDocument: id, PreviousResultID: previous}))
			})
		}
	}
	same("the workspace has the symbols", func(s *Server) any {
		found, err := s.workspaceSymbols(p.t.Context(), s.snapshot(), &workspaceSymbolParams{})
		ours := func(symbol protocol.SymbolInformation) bool { return p.quiet(string(symbol.Location.URI)) }
		return answered(p.t)(slices.DeleteFunc(found, ours), err)
	})
	same("the workspace has the report", func(s *Server) any { return p.workspaceReport(s, nil) })
	same("the workspace has changed", func(s *Server) any { return p.workspaceReport(s, p.results) })
	for _, item := range p.workspaceReport(fresh, nil) {
		p.results[string(item.URI)] = item.ResultID
	}
}

// quiet reports whether a file is of the memory by which the editor waits.
func (p *play) quiet(uri string) bool {
	return strings.HasPrefix(uri, strings.TrimSuffix(p.e.sync, "MEMORY.md"))
}

// answered is the answer of a request that cannot fail.
func answered(t testing.TB) func(any, error) any {
	return func(answer any, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

func (p *play) workspaceReport(s *Server, previous map[string]string) wire.WorkspaceReports {
	p.t.Helper()
	params := &wire.WorkspaceDiagnosticParams{}
	for uri, id := range previous {
		params.PreviousResultIDs = append(params.PreviousResultIDs, wire.PreviousResultID{URI: protocol.DocumentURI(uri), Value: id})
	}
	report, err := s.workspaceDiagnostic(p.t.Context(), s.snapshot(), params)
	if err != nil {
		p.t.Fatal(err)
	}
	items := slices.DeleteFunc(report.Items, func(item wire.WorkspaceDocumentDiagnosticReport) bool { return p.quiet(string(item.URI)) })
	slices.SortFunc(items, func(a, b wire.WorkspaceDocumentDiagnosticReport) int { return cmp.Compare(a.URI, b.URI) })
	return items
}

func (p *play) navigate(s *Server, at protocol.TextDocumentPositionParams) any {
	p.t.Helper()
	definitions, err := s.definition(p.t.Context(), s.snapshot(), &protocol.DefinitionParams{TextDocumentPositionParams: at})
	if err != nil {
		p.t.Fatal(err)
	}
	references, err := s.references(p.t.Context(), s.snapshot(), &protocol.ReferenceParams{
		TextDocumentPositionParams: at, Context: protocol.ReferenceContext{IncludeDeclaration: true}})
	if err != nil {
		p.t.Fatal(err)
	}
	return []any{definitions, references}
}
