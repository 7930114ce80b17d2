package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// maxSymbols bounds the answer to workspace/symbol; a person types more.
const maxSymbols = 200

func announceWorkspaceSymbols(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.WorkspaceSymbolProvider = true
}

// A symbolMatch is a file, or a heading of one, that fits a query.
type symbolMatch struct {
	sub     *subject
	path    string
	name    string
	heading rules.Span // empty for a file
	score   int        // less is better
}

// workspaceSymbols finds memory by its name or path, and the headings of the
// core memory, in every repository that is known.
func (s *Server) workspaceSymbols(ctx context.Context, snap snapshot, p *workspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	session := s.engine.flush()
	placing := session.place(ctx, snap.documents)
	if err := s.addFolders(ctx, session, placing, true); err != nil {
		return nil, err
	}
	ctx, progress := s.progress(ctx, p.WorkDoneToken, "Searching the memory")
	defer progress.end()
	var found []symbolMatch
	for r, docs := range placing.repos {
		if !placing.memory[r] {
			continue
		}
		j, err := r.judge(ctx, docs, !s.watches())
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.complain(err)
			continue
		}
		sub := &subject{place: place{repo: r}, judging: j}
		if found, err = sub.findSymbols(ctx, found, p.Query, progress); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b symbolMatch) int {
		return cmp.Or(a.score-b.score, len(a.name)-len(b.name), cmp.Compare(a.path, b.path), a.heading.Start-b.heading.Start, cmp.Compare(a.sub.repo.git.Top, b.sub.repo.git.Top))
	})
	symbols := []protocol.SymbolInformation{}
	for _, m := range found[:min(len(found), maxSymbols)] {
		symbols = append(symbols, m.symbol(s.encoding))
	}
	return symbols, nil
}

type workspaceSymbolParams struct {
	Query         string                  `json:"query"`
	WorkDoneToken *protocol.ProgressToken `json:"workDoneToken"`
}

// findSymbols adds what fits the query in one repository.
func (sub *subject) findSymbols(ctx context.Context, found []symbolMatch, query string, progress *progress) ([]symbolMatch, error) {
	view := sub.judging.view
	err := sub.repo.symbols.search(ctx, view.Tree, query, progress, func(f *tree.File, name string, score int) {
		found = append(found, symbolMatch{sub: sub, path: f.Path, name: name, score: score})
	})
	if err != nil {
		return nil, err
	}
	for f := range view.Tree.Root().Files() {
		if !rules.IsCore(f.Path) || !f.Mode.IsRegular() {
			continue
		}
		doc, err := view.DocOf(f)
		if err != nil {
			continue // judging says what is wrong with the file
		}
		for _, h := range doc.Headings {
			if score, ok := fuzzy(strings.ToLower(query), strings.ToLower(h.Text)); ok && h.Text != "" {
				found = append(found, symbolMatch{sub, f.Path, h.Text, h.Span, score + 1})
			}
		}
	}
	return found, nil
}

func (m *symbolMatch) symbol(enc wire.PositionEncoding) protocol.SymbolInformation {
	info := protocol.SymbolInformation{Name: m.name, Kind: protocol.SymbolKindFile, ContainerName: m.path}
	if m.heading.End == 0 { // hundreds of files may fit, and none has to be read for its start
		info.Location.URI = m.sub.uriOf(m.path)
		return info
	}
	info.Kind = protocol.SymbolKindString
	if where, ok := m.sub.locate(m.path, m.heading, enc); ok {
		info.Location = where
	}
	return info
}

// nameOf is what the file at a path with the text src calls itself.
func nameOf(path string, src []byte) string {
	front := facts.ParseFront(src)
	name, _ := front.Value("name")
	if name = facts.Decode(strings.Trim(name, `"' `)); name != "" {
		return strings.Clone(name) // without the text
	}
	if title := rules.Title(strings.TrimSuffix(strings.TrimSuffix(path, rules.Index), "/")); title != "" {
		return title
	}
	return path
}

// fuzzy reports whether the letters of query occur in text in their order, and
// how badly: from 0, the text itself, over its start and a part of it, up. Both
// are in lower case.
func fuzzy(query, lower string) (score int, ok bool) {
	switch i := strings.Index(lower, query); {
	case query == lower:
		return 0, true
	case i == 0:
		return 10, true
	case i > 0 && !wordByte(lower[i-1]):
		return 20, true
	case i > 0:
		return 30, true
	}
	gaps, last := 0, -1
	at := 0
	for _, r := range query {
		i := strings.IndexRune(lower[at:], r)
		if i < 0 {
			return 0, false
		}
		if at += i; last >= 0 && at != last {
			gaps++
		}
		at += utf8.RuneLen(r)
		last = at
	}
	return 40 + gaps, true
}

func wordByte(c byte) bool { return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
