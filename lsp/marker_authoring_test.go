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
	uri := uriOf(p.m.path(p.marks[words[0]].path))
	for _, item := range p.completions(words[0]).Items {
		edit := item.TextEdit
		if edit.Range == nil {
			edit.Range = edit.Replace
			if edit.Insert.Start != edit.Replace.Start || edit.Insert.End != at {
				p.t.Errorf("%s: the text up to the cursor is %v of %v", item.Label, *edit.Insert, *edit.Replace)
			}
		}
		if r := edit.Range; r.Start.Line != r.End.Line || at.Line != r.Start.Line || at.Character < r.Start.Character || at.Character > r.End.Character {
			p.t.Errorf("%s: the range %v does not hold the cursor %v", item.Label, *r, at)
		}
		after := p.e.applyText(p.e.open[uri].text, []protocol.TextEdit{{Range: *edit.Range, NewText: edit.NewText}})
		line := strings.TrimSuffix(strings.Split(after, "\n")[at.Line], "\r")
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
