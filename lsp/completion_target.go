package lsp

import (
	"cmp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// The ranks of link targets, best first.
const (
	rankUnlisted  = iota // in an index: what it should list and does not
	rankIndex            // an index
	rankNeighbour        // memory of the same directory
	rankMemory
	rankSkill
	rankOther
)

// A candidate is a file that a link may lead to.
type candidate struct {
	file *tree.File
	rank int
	text string // the target as the link would be written
}

// targets offers the files that a link may lead to.
func (c *completer) targets(link partLink) error {
	unlisted := c.unlisted()
	dir := parentDir(c.sub.path)
	typed := decoded(strings.TrimPrefix(strings.TrimPrefix(link.like.Dest, "./"), "/"))
	var list []candidate
	for f := range c.view.Tree.All() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if f.Path == c.sub.path || !f.Mode.IsRegular() || strings.ContainsAny(f.Path, "\r\n") ||
			link.like.Kind == markdown.Wiki && (!rules.IsMarkdown(f.Path) || strings.ContainsAny(f.Path, "[]|#")) {
			continue
		}
		text := rules.WriteTarget(c.sub.path, f.Path, &link.like)
		if !subsequence(typed, decoded(text)) && !subsequence(typed, f.Path) {
			continue
		}
		list = append(list, candidate{f, c.rank(f.Path, dir, unlisted), text})
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(a.rank-b.rank, strings.Count(a.text, "../")-strings.Count(b.text, "../"), strings.Count(a.text, "/")-strings.Count(b.text, "/"),
			cmp.Compare(a.file.Path, b.file.Path))
	})
	if len(list) > maxCompletions {
		list, c.incomplete = list[:maxCompletions], true
	}
	for i, found := range list {
		item := wire.CompletionItem{Label: found.file.Path, Kind: protocol.CompletionItemKindFile, FilterText: found.text, Data: c.data(found.file.Path)}
		if found.text != found.file.Path {
			item.FilterText += " " + found.file.Path
		}
		if found.rank == rankIndex {
			item.Kind = protocol.CompletionItemKindFolder
		}
		if i < maxDescribed {
			c.describe(&item, found, unlisted[found.file.Path])
		}
		c.add(item, link.span, found.text)
	}
	return nil
}

// rank says how likely a file is to be linked to.
func (c *completer) rank(path, dir string, unlisted map[string]bool) int {
	switch {
	case unlisted[path]:
		return rankUnlisted
	case rules.InSkills(path) && rules.IsSkill(c.view.Tree, path):
		return rankSkill
	case !rules.IsMarkdown(path) || rules.InSkills(path):
		return rankOther
	case rules.IsIndex(path):
		return rankIndex
	case parentDir(path) == dir:
		return rankNeighbour
	}
	return rankMemory
}

// unlisted are the files that the document, when it is an index, should list
// and does not yet.
func (c *completer) unlisted() map[string]bool {
	if !c.view.V2 || !rules.IsIndex(c.sub.path) || rules.InSkills(c.sub.path) {
		return nil
	}
	dir := parentDir(c.sub.path)
	linked, ok := c.view.Linked(dir)
	if !ok {
		return nil
	}
	unlisted := map[string]bool{}
	for _, f := range c.view.Listable(dir) {
		unlisted[f.Path] = !linked[f.Path]
	}
	return unlisted
}

// describe tells what the file is, in one line.
func (c *completer) describe(item *wire.CompletionItem, found candidate, unlisted bool) {
	tier := shortTier(c.view, found.file.Path)
	parts := []string{tier}
	if unlisted {
		parts = []string{"not listed yet", tier}
	}
	about, err := c.view.About(found.file)
	if err == nil && about.Description != "" {
		parts = append(parts, about.Description)
	}
	item.Detail = strings.Join(parts, " · ")
	if err == nil && found.rank == rankSkill {
		item.Label, item.Kind = about.Name, protocol.CompletionItemKindModule
		item.FilterText += " " + about.Name
	}
}

// shortTier is the tier of a file without an explanation.
func shortTier(view *rules.View, path string) string {
	if !rules.IsMarkdown(path) {
		return "file"
	}
	tier := tierOf(view, path)
	if i := strings.IndexAny(tier, ":;"); i >= 0 {
		return tier[:i]
	}
	return tier
}

// anchors offers the headings of the file that the link leads to.
func (c *completer) anchors(link partLink, own *markdown.Doc) error {
	doc, path := own, c.sub.path
	if link.like.Dest != "" {
		target := rules.Resolve(c.view.Tree, c.sub.path, &link.like)
		f := c.view.Tree.File(target.File)
		if f == nil || !f.Mode.IsRegular() || !rules.IsMarkdown(f.Path) {
			return nil
		}
		var err error
		if doc, err = c.view.DocOf(f); err != nil {
			return err
		}
		path = f.Path
	}
	for i := range doc.Headings {
		h := &doc.Headings[i]
		text := h.Slug
		if link.like.Kind == markdown.Wiki && !strings.ContainsAny(h.Text, "[]|#") {
			text = h.Text // as editors with wiki links write it
		}
		if text == "" {
			continue
		}
		if len(c.items) == maxCompletions {
			c.incomplete = true
			break
		}
		c.add(wire.CompletionItem{
			Label: strings.Repeat("#", h.Level) + " " + h.Text, Kind: protocol.CompletionItemKindReference,
			Detail: rules.Display(path), FilterText: text + " " + h.Text,
		}, link.span, text)
	}
	return nil
}

// parentDir is the directory of a path relative to a repository, "" for the
// top, as trees have it.
func parentDir(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}
