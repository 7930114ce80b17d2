package rules

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memls/memls/rules/markdown"
)

// What an index's lines look like. Only the style of a list is read this way;
// what is a link is the Markdown parser's word. They are compiled when a fix
// asks for them: the hook has no use for them.
var (
	itemLead      = lazyRegexp(`^[ \t]*(?:[-*+]|(\d{1,9})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)
	itemSeparator = lazyRegexp(`^(?:[ \t]*(?:—|–|--|-|:)[ \t]+)`)
	newBlock      = lazyRegexp("^ {0,3}(?:#{1,6}(?:[ \\t]|$)|```|~~~|<|>|\\||(?:-[ \\t]*){3,}$|(?:\\*[ \\t]*){3,}$)")
)

func lazyRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// A linkItem is a list item with a link to a file on its first line.
type linkItem struct {
	line Span // its first line, without the line end
	lead string
	link *markdown.Link
}

// linkItems are the list items of an index with a link, in order.
func linkItems(src []byte, doc *markdown.Doc) []linkItem {
	var items []linkItem
	for i := range doc.Links {
		l := &doc.Links[i]
		line := lineAt(src, l.Span.Start)
		lead := itemLead().Find(src[line.Start:line.End])
		switch n := len(items); {
		case len(lead) == 0, l.Kind == markdown.Image, l.Kind == markdown.Autolink, hasScheme(l.Dest):
		case n > 0 && items[n-1].line == line: // the first link is what the item is for
		default:
			items = append(items, linkItem{line, string(lead), l})
		}
	}
	return items
}

// lineAt is the line that holds an offset, without its line end.
func lineAt(src []byte, at int) Span {
	line := Span{Start: bytes.LastIndexByte(src[:at], '\n') + 1, End: len(src)}
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		line.End = at + i
	}
	if line.End > line.Start && src[line.End-1] == '\r' {
		line.End--
	}
	return line
}

// A listPlace is where an index takes new items, and how they are written.
type listPlace struct {
	at    int
	style listStyle
	// number is that of the last item of an ordered list, 0 elsewhere.
	number int
	// apart starts a list of its own, below a blank line.
	apart bool
}

// placeForItems finds the end of the last list of links of an index, else the
// end of the file.
func placeForItems(src []byte, doc *markdown.Doc) listPlace {
	items := linkItems(src, doc)
	if len(items) == 0 {
		end := len(bytes.TrimRight(src, " \t\r\n"))
		if end > 0 {
			end = min(len(src), lineAt(src, end-1).End)
			end = afterLine(src, end)
		}
		return listPlace{at: end, style: plainStyle, apart: end > 0}
	}
	last := items[len(items)-1]
	place := listPlace{at: endOfList(src, last.line), style: plainStyle}
	// Sub-items of the last list are no model for an item of the index itself.
	model := last
	for i := len(items) - 1; i >= 0 && sameList(src, items[i], last); i-- {
		if indent(items[i].lead) < indent(model.lead) {
			model = items[i]
		}
	}
	place.style.lead = model.lead
	if m := itemLead().FindStringSubmatch(model.lead); m[1] != "" {
		place.number, _ = strconv.Atoi(m[1])
	}
	place.style.wiki = model.link.Kind == markdown.Wiki
	place.style.bare = place.style.wiki && !strings.HasSuffix(model.link.Dest, ".md")
	for _, item := range items {
		if m := itemSeparator().Find(src[item.link.Span.End:lineAt(src, item.link.Span.End).End]); m != nil {
			place.style.separator = string(m)
		}
	}
	return place
}

func indent(lead string) int { return len(lead) - len(strings.TrimLeft(lead, " \t")) }

// sameList reports whether no blank line parts two items.
func sameList(src []byte, a, b linkItem) bool {
	for line := range bytes.Lines(src[a.line.Start:b.line.Start]) {
		if len(bytes.TrimSpace(line)) == 0 {
			return false
		}
	}
	return true
}

// endOfList is the offset after the item's last line: lines that follow it
// without a blank one are its own, or further items, unless they start a
// block; after a blank line only what is indented is.
func endOfList(src []byte, line Span) int {
	end := afterLine(src, line.End)
	blank := false
	for at := end; at < len(src); {
		l := lineAt(src, at)
		text := src[l.Start:l.End]
		indented := len(text) > 1 && (text[0] == '\t' || text[0] == ' ' && text[1] == ' ')
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			blank = true
		case blank && !indented, !indented && newBlock().Match(text):
			return end
		default:
			blank = false
			end = afterLine(src, l.End)
		}
		at = afterLine(src, l.End)
	}
	return end
}

// afterLine is the offset after the line end at end.
func afterLine(src []byte, end int) int {
	if end < len(src) && src[end] == '\r' {
		end++
	}
	return min(end+1, len(src))
}

var errNotAList = errors.New("the index has no place where a list item would be a link")

// addItems is the edit that lists files in an index. It fails where the text
// added would be no links, such as at the end of a file with an open comment.
func (v *View) addItems(index string, paths []string) ([]Op, error) {
	file := v.Tree.File(index)
	src, err := file.Bytes()
	if err != nil {
		return nil, err
	}
	place := placeForItems(src, v.Parsers.doc(src))
	eol := eolOf(src)
	var b strings.Builder
	if place.at > 0 && src[place.at-1] != '\n' {
		b.WriteString(eol)
	}
	if place.apart {
		b.WriteString(eol)
	}
	for i, path := range paths {
		style := place.style
		if place.number > 0 {
			style.lead = strings.Replace(style.lead, strconv.Itoa(place.number), strconv.Itoa(place.number+1+i), 1)
		}
		b.WriteString(strings.NewReplacer("[x]", "[ ]", "[X]", "[ ]").Replace(style.lead))
		style.lead = ""
		b.WriteString(v.indexItem(path, style) + eol)
	}
	edit := Edit{Span: Span{Start: place.at, End: place.at}, New: b.String()}
	after, err := ApplyEdits(src, []Edit{edit})
	if err != nil {
		return nil, err
	}
	linked := linkedFrom(v.Tree, index, v.Parsers.doc(after))
	for _, path := range paths {
		if !linked[path] {
			return nil, errNotAList
		}
	}
	return []Op{{Kind: OpEdit, Path: index, Edits: []Edit{edit}}}, nil
}

// removeItemFix takes an item with a broken link out of an index, where the
// item is one line and has no other link.
func (p *Pass) removeItemFix(l *markdown.Link) *Fix {
	if p.Role != RoleIndex || l.Kind == markdown.Reference {
		return nil
	}
	doc, err := p.Parsers.docOf(p.File)
	if err != nil {
		return nil
	}
	src := p.Text()
	line, ok := soleItem(src, doc, l)
	if !ok {
		return nil
	}
	return p.editFix("Remove the item", Edit{Span: Span{Start: line.Start, End: afterLine(src, line.End)}}).asGuess()
}

// soleItem is the line, without its end, of a list item that can be taken out
// of an index together with its link: it is one line, has no other link and no
// items below it.
func soleItem(src []byte, doc *markdown.Doc, l *markdown.Link) (line Span, ok bool) {
	line = lineAt(src, l.Span.Start)
	links := 0
	for i := range doc.Links {
		if s := doc.Links[i].Span; line.Start <= s.Start && s.Start < line.End {
			links++
		}
	}
	next := lineAt(src, afterLine(src, line.End))
	continued := next.Start > line.End && next.End > next.Start &&
		!itemLead().Match(src[next.Start:next.End]) && !newBlock().Match(src[next.Start:next.End])
	nested := indent(string(itemLead().Find(src[next.Start:next.End]))) > indent(string(itemLead().Find(src[line.Start:line.End])))
	ok = links == 1 && !continued && !nested && l.Span.End <= line.End && itemLead().Match(src[line.Start:line.End])
	return line, ok
}
