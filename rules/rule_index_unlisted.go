package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

var ruleIndexUnlisted = &Rule{
	ID:       "index-unlisted",
	Severity: Warning,
	Summary:  "an index links to every memory file and child index of its directory",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "In v2, each memory file, and the index of each sub-directory, is the target of a link in the MEMORY.md of its directory: an inline or reference link, a wiki link, a link to the sub-directory. Less grave, and a hint only: a file at the root (it is loaded anyway), one that an index further up links to, one whose name the index holds without a link.",
		Why:    "An agent finds deferred memory by reading indexes. What no index links to is not found, however good it is.",
		Bad:    "projects/MEMORY.md without a link to projects/memls.md",
		Good:   "- [Memls](memls.md) — A language server for memory",
		Fix:    "Adds an item to the end of the index's last list of links, in the style of its items; where several files are missing, also all of them at once.",
	},
	place: func(p *Pass) {
		path := p.File.Path
		if !p.V2 || !IsMarkdown(path) || InSkills(path) || path == Index || !p.File.Mode.IsRegular() {
			return
		}
		dir := listingDir(path)
		if file, doc := p.indexOf(dir); doc == nil || leadsFrom(p.Tree, file, doc, path) {
			return
		}
		index, l := joinPath(dir, Index), p.listing(dir)
		f := p.found(Span{}, "not listed in %s", shown(index))
		f.Help = "link to it from " + Display(index)
		f.Related = []Related{{Path: index, Message: "the index that should link to it"}}
		switch named := slices.Contains(l.named, path); {
		case named:
			f.Severity = Hint
			f.Message = "named in " + shown(index) + ", but not linked"
		case IsCore(path) || p.listedAbove(dir, path):
			f.Severity = Hint
		}
		f.Fixes = p.listFixes(index, path, l)
		p.emit(f)
	},
}

// listingDir is the directory whose index has to link to the path.
func listingDir(path string) string {
	dir := dirOf(path)
	if IsIndex(path) {
		dir = dirOf(dir)
	}
	return dir
}

// listFixes list all of the directory's files, where there are several, or
// the one. The first is what FixAll takes: one at a time they would be in each
// other's way.
func (p *Pass) listFixes(index, path string, l *listing) []*Fix {
	v := p.View
	ready := slices.Contains(l.ready, path)
	var fixes []*Fix
	if n := len(l.ready); n > 1 && ready {
		fixes = append(fixes, newFix("list-all:"+index, fmt.Sprintf("List all %d unlisted files in %s", n, Display(index)), func() ([]Op, error) {
			return v.addItems(index, l.ready)
		}))
	}
	one := newFix("list:"+index+"\x00"+path, "List "+Display(path)+" in "+Display(index), func() ([]Op, error) {
		return v.addItems(index, []string{path})
	})
	if !ready {
		one.asGuess()
	}
	return append(fixes, one)
}

// listedAbove reports whether an index above the directory's own links to path.
func (v *View) listedAbove(dir, path string) bool {
	for dir != "" {
		dir = dirOf(dir)
		if index, doc := v.indexOf(dir); doc != nil && leadsFrom(v.Tree, index, doc, path) {
			return true
		}
	}
	return false
}

// listings are the listings of a view's directories, made when asked for.
type listings struct {
	mu    sync.Mutex
	byDir map[string]*listing
}

// A listing is what the index of a directory links to, and what it does not.
type listing struct {
	linked map[string]bool
	// named stand in the index's text without being linked: better than to
	// list them is to make a link of that.
	named []string
	// ready are those neither linked nor named that have a description to be
	// listed with, in path order. The others have errors to be mended first.
	ready []string
}

// listing is that of the directory; nil when it has no index to speak of.
func (v *View) listing(dir string) *listing {
	v.listings.mu.Lock()
	defer v.listings.mu.Unlock()
	l, ok := v.listings.byDir[dir]
	if !ok {
		l = v.readListing(dir)
		if v.listings.byDir == nil {
			v.listings.byDir = map[string]*listing{}
		}
		v.listings.byDir[dir] = l
	}
	return l
}

// indexOf is the index of a directory with its Markdown, nil when it has none to
// speak of.
func (v *View) indexOf(dir string) (*tree.File, *markdown.Doc) {
	index := v.Tree.Dir(dir).File(Index)
	if index == nil || !index.Mode.IsRegular() {
		return nil, nil
	}
	doc, err := v.Parsers.docOf(index)
	if err != nil || doc.Truncated {
		return nil, nil
	}
	return index, doc
}

func (v *View) readListing(dir string) *listing {
	index, doc := v.indexOf(dir)
	if doc == nil {
		return nil
	}
	d := v.Tree.Dir(dir)
	l := &listing{linked: linkedFrom(v.Tree, index.Path, doc)}
	var unlisted []*tree.File
	for f := range d.Files() {
		if f != index && IsMarkdown(f.Path) && f.Mode.IsRegular() && !l.linked[f.Path] {
			unlisted = append(unlisted, f)
		}
	}
	for sub := range d.Dirs() {
		f := sub.File(Index)
		if f != nil && f.Mode.IsRegular() && !InSkills(f.Path) && !l.linked[f.Path] {
			unlisted = append(unlisted, f)
		}
	}
	if len(unlisted) > 0 {
		v.sortUnlisted(index, unlisted, l)
	}
	return l
}

// sortUnlisted tells which files the index names and which are ready.
func (v *View) sortUnlisted(index *tree.File, files []*tree.File, l *listing) {
	src, err := index.Bytes()
	if err != nil {
		return
	}
	words := wordsOf(src)
	for _, f := range files {
		rel := relativePath(dirOf(index.Path), f.Path)
		if words[rel] || words[f.Path] || IsIndex(f.Path) && words[dirOf(rel)+"/"] {
			l.named = append(l.named, f.Path)
		} else if _, description := v.nameOf(f); description != "" || IsIndex(f.Path) {
			l.ready = append(l.ready, f.Path)
		}
	}
	slices.Sort(l.ready)
}

// wordsOf are the words of a text that look like paths, without the
// punctuation around them.
func wordsOf(src []byte) map[string]bool {
	words := map[string]bool{}
	for _, w := range bytes.FieldsFunc(src, func(r rune) bool { return strings.ContainsRune(" \t\r\n`\"'*|,;:()[]<>", r) }) {
		if bytes.ContainsAny(w, "./") {
			words[strings.TrimPrefix(strings.TrimRight(string(w), ".!?"), "./")] = true
		}
	}
	return words
}

// linkedFrom are the files that the links of an index lead to.
func linkedFrom(t *tree.Tree, index string, doc *markdown.Doc) map[string]bool {
	linked := make(map[string]bool, len(doc.Links))
	for i := range doc.Links {
		if l := &doc.Links[i]; lists(l) {
			linked[Resolve(t, index, l).File] = true
		}
	}
	return linked
}

// lists reports whether the target of a link of an index is listed by it.
func lists(l *markdown.Link) bool { return l.Kind != markdown.Image && l.Kind != markdown.Autolink }

// leadsFrom reports whether the links of an index, whose Markdown is doc, lead
// to a path. An index may list thousands of files, and this is asked at every
// keystroke: the links are found by their keys, which depend on its text alone.
func leadsFrom(t *tree.Tree, index *tree.File, doc *markdown.Doc, path string) bool {
	// The only error is that of the function, which has none.
	found, _ := index.Memo(keyedKey, func() (any, error) { return keyLinks(index.Path, doc), nil })
	links := found.([]keyedLink)
	for _, key := range keysOfTarget(path) {
		at, _ := slices.BinarySearchFunc(links, key, func(l keyedLink, key linkKey) int { return cmp.Compare(l.key, key) })
		for ; at < len(links) && links[at].key == key; at++ {
			if Resolve(t, index.Path, &doc.Links[links[at].link]).File == path {
				return true
			}
		}
	}
	return false
}

// A keyedLink is a link of an index, by its number, under one of its keys.
type keyedLink struct {
	key  linkKey
	link uint32
}

func keyLinks(index string, doc *markdown.Doc) []keyedLink {
	links := make([]keyedLink, 0, len(doc.Links))
	for i := range doc.Links {
		if l := &doc.Links[i]; lists(l) {
			for _, key := range keysOfLink(index, l.Kind, l.Dest) {
				links = append(links, keyedLink{key, uint32(i)})
			}
		}
	}
	slices.SortFunc(links, func(a, b keyedLink) int { return cmp.Compare(a.key, b.key) })
	return links
}
