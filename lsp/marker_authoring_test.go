package lsp

import (
	"fmt"
	"maps"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
)

// The requests of marker tests about writing and reading one document.
func init() {
	maps.Copy(markerRequests, map[string]func(p *markerPlay, words []string) []string{
		"completion": (*markerPlay).completion, // MARK
		"resolve":    (*markerPlay).resolve,    // MARK LABEL
		"symbols":    (*markerPlay).symbols,    // PATH
		"find":       (*markerPlay).find,       // QUERY
		"folding":    (*markerPlay).folding,    // PATH
		"selection":  (*markerPlay).selection,  // MARK
		"lenses":     (*markerPlay).lenses,     // PATH
		"hints":      (*markerPlay).hints,      // PATH
		"format":     (*markerPlay).format,     // PATH
		"enter":      (*markerPlay).enter,      // MARK, the end of a line
	})
}

func (p *markerPlay) completions(mark string) (list wire.CompletionList) {
	p.t.Helper()
	p.decode(p.e.call("textDocument/completion", p.at(mark)), &list)
	if list.Items == nil {
		p.t.Fatal("the items are no list")
	}
	return list
}

// completion shows each item with the line that it makes.
func (p *markerPlay) completion(words []string) (lines []string) {
	at := p.at(words[0])["position"].(protocol.Position)
	uri := p.at(words[0])["textDocument"].(map[string]any)["uri"].(string)
	inText := p.marks[words[0]].path != "" // else a place that the text may not have
	for _, item := range p.completions(words[0]).Items {
		edit := item.TextEdit
		if edit.Range == nil {
			edit.Range = edit.Replace
			if edit.Insert.Start != edit.Replace.Start || inText && edit.Insert.End != at {
				p.t.Errorf("%s: the text up to the cursor is %v of %v", item.Label, *edit.Insert, *edit.Replace)
			}
		}
		if r := edit.Range; inText && (r.Start.Line != r.End.Line || at.Line != r.Start.Line || at.Character < r.Start.Character || at.Character > r.End.Character) {
			p.t.Errorf("%s: the range %v does not hold the cursor %v", item.Label, *r, at)
		}
		after := p.e.applyText(p.e.open[uri].text, []protocol.TextEdit{{Range: *edit.Range, NewText: edit.NewText}})
		line := strings.TrimSuffix(strings.Split(after, "\n")[edit.Range.Start.Line], "\r")
		lines = append(lines, fmt.Sprintf("%s [%s] %q", item.Label, item.Detail, line))
	}
	return lines
}

// resolve shows the documentation of an item.
func (p *markerPlay) resolve(words []string) []string {
	for _, item := range p.completions(words[0]).Items {
		if item.Label == strings.Join(words[1:], " ") {
			var full wire.CompletionItem
			p.decode(p.e.call("completionItem/resolve", item), &full)
			if full.Documentation == nil {
				return nil
			}
			return strings.Split(full.Documentation.Value, "\n")
		}
	}
	return []string{"no such item"}
}

// snippet is the text of a range in an open document, on one line.
func (p *markerPlay) snippet(uri string, r protocol.Range) string {
	src := p.e.open[uri].text
	start, end := text.NewMapper([]byte(src), p.e.caps.Negotiate()).Offsets(r)
	return fmt.Sprintf("%q", src[start:end])
}

func (p *markerPlay) document(path string) (uri string, params map[string]any) {
	uri = uriOf(p.m.path(path))
	return uri, map[string]any{"textDocument": map[string]any{"uri": uri}}
}

func (p *markerPlay) symbols(words []string) (lines []string) {
	uri, params := p.document(words[0])
	raw := p.e.call("textDocument/documentSymbol", params)
	if !p.e.caps.TextDocument.DocumentSymbol.HierarchicalDocumentSymbolSupport {
		var flat []protocol.SymbolInformation
		p.decode(raw, &flat)
		for _, s := range flat {
			lines = append(lines, fmt.Sprintf("%s in %q: %s", s.Name, s.ContainerName, p.snippet(uri, s.Location.Range)))
		}
		return lines
	}
	var tree []protocol.DocumentSymbol
	p.decode(raw, &tree)
	var show func(list []protocol.DocumentSymbol, indent string)
	show = func(list []protocol.DocumentSymbol, indent string) {
		for _, s := range list {
			lines = append(lines, fmt.Sprintf("%s%s [%s] %s at %s", indent, s.Name, s.Detail, p.snippet(uri, s.Range), p.snippet(uri, s.SelectionRange)))
			show(s.Children, indent+"  ")
		}
	}
	show(tree, "")
	return lines
}

func (p *markerPlay) find(words []string) (lines []string) {
	var found []protocol.SymbolInformation
	p.decode(p.e.call("workspace/symbol", map[string]any{"query": strings.Join(words, " ")}), &found)
	for _, s := range found {
		if string(s.Location.URI) != p.e.sync {
			lines = append(lines, fmt.Sprintf("%s in %s", s.Name, p.place(string(s.Location.URI), s.Location.Range)))
		}
	}
	return lines
}

func (p *markerPlay) folding(words []string) (lines []string) {
	uri, params := p.document(words[0])
	var found []protocol.FoldingRange
	p.decode(p.e.call("textDocument/foldingRange", params), &found)
	text := strings.Split(p.e.open[uri].text, "\n")
	for _, f := range found {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%q … %q %s", strings.TrimSuffix(text[f.StartLine], "\r"), strings.TrimSuffix(text[f.EndLine], "\r"), f.Kind)))
	}
	return lines
}

func (p *markerPlay) selection(words []string) (lines []string) {
	at := p.at(words[0])
	var found []*protocol.SelectionRange
	p.decode(p.e.call("textDocument/selectionRange", map[string]any{"textDocument": at["textDocument"], "positions": []any{at["position"]}}), &found)
	for s := found[0]; s != nil; s = s.Parent {
		lines = append(lines, p.snippet(uriOf(p.m.path(p.marks[words[0]].path)), s.Range))
	}
	return lines
}

func (p *markerPlay) lenses(words []string) (lines []string) {
	_, params := p.document(words[0])
	var found []protocol.CodeLens
	p.decode(p.e.call("textDocument/codeLens", params), &found)
	for _, lens := range found {
		if lens.Command == nil {
			p.decode(p.e.call("codeLens/resolve", lens), &lens)
		}
		line := lens.Command.Title
		if lens.Command.Command != "" {
			line += " -> " + lens.Command.Command
		}
		lines = append(lines, line)
	}
	return lines
}

func (p *markerPlay) hints(words []string) (lines []string) {
	uri, params := p.document(words[0])
	params["range"] = everything
	var found []wire.InlayHint
	p.decode(p.e.call("textDocument/inlayHint", params), &found)
	for _, h := range found {
		start := protocol.Position{Line: h.Position.Line}
		lines = append(lines, fmt.Sprintf("%s %s", p.snippet(uri, protocol.Range{Start: start, End: h.Position}), h.Label))
	}
	return lines
}

func (p *markerPlay) format(words []string) []string {
	uri, params := p.document(words[0])
	params["options"] = map[string]any{"tabSize": 4, "insertSpaces": true}
	var edits []protocol.TextEdit
	p.decode(p.e.call("textDocument/formatting", params), &edits)
	return []string{fmt.Sprintf("%d edits: %q", len(edits), p.e.applyText(p.e.open[uri].text, edits))}
}

// enter starts a new line at the mark and asks what belongs on it.
func (p *markerPlay) enter(words []string) []string {
	params := p.at(words[0])
	uri, at := uriOf(p.m.path(p.marks[words[0]].path)), params["position"].(protocol.Position)
	before := p.e.open[uri].text
	p.e.change(uri, p.e.applyText(before, []protocol.TextEdit{{Range: protocol.Range{Start: at, End: at}, NewText: "\n"}}))
	params["position"], params["ch"] = protocol.Position{Line: at.Line + 1}, "\n"
	var edits []protocol.TextEdit
	p.decode(p.e.call("textDocument/onTypeFormatting", params), &edits)
	lines := strings.Split(p.e.applyText(p.e.open[uri].text, edits), "\n")
	p.e.change(uri, before)
	return []string{fmt.Sprintf("%q", lines[at.Line:min(len(lines), int(at.Line)+2)])}
}
