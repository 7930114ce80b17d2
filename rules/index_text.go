package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// indexText writes an index for a directory: a heading from its name and a
// link to every memory file and child index in it. coming are indexes that
// are created together with it.
func (v *View) indexText(dir string, coming map[string]bool) string {
	var b strings.Builder
	b.WriteString("# " + escapeMarkdown(indexTitle(dir)) + "\n")
	items := v.indexItems(dir, coming)
	if len(items) > 0 {
		b.WriteByte('\n')
	}
	for _, item := range items {
		b.WriteString(item + "\n")
	}
	return b.String()
}

// indexItems are the list items of an index in the order of a listing: files
// first, then directories.
func (v *View) indexItems(dir string, coming map[string]bool) []string {
	d := v.Tree.Dir(dir)
	var items []string
	for f := range d.Files() {
		if IsMarkdown(f.Path) && !IsIndex(f.Path) && f.Mode.IsRegular() {
			items = append(items, v.indexItem(f.Path, plainStyle))
		}
	}
	for sub := range d.Dirs() {
		index := joinPath(sub.Path, Index)
		if sub.Path == "skills" && dir == "" || !coming[index] && sub.File(Index) == nil {
			continue
		}
		items = append(items, v.indexItem(index, plainStyle))
	}
	return items
}

// indexItem is the item that links to a file, with its name and description,
// or to the index of a sub-directory, by the index that lists it.
func (v *View) indexItem(path string, style listStyle) string {
	if IsIndex(path) {
		dir := dirOf(path)
		return style.item(indexTitle(dir), path, base(dir)+"/"+Index, "")
	}
	name, description := v.nameOf(v.Tree.File(path))
	return style.item(name, path, base(path), description)
}

// nameOf is what a file calls itself: its name and description, the name
// derived from the path where it has none.
func (v *View) nameOf(f *tree.File) (name, description string) {
	if y, err := v.Parsers.yamlOf(f); err == nil {
		if n := y.Field("name"); n != nil {
			name = n.Value
		}
		if d := y.Field("description"); d != nil {
			description = d.Value
		}
	}
	if front, err := factsOf(f); err == nil {
		if n, ok := front.Front.Value("name"); ok && name == "" {
			name = unquoted(n)
		}
		if d, ok := front.Front.Value("description"); ok && description == "" {
			description = unquoted(d)
		}
	}
	if name = strings.TrimSpace(name); name == "" {
		name = Title(f.Path)
	}
	if name == "" {
		name = fileStem(f.Path)
	}
	return facts.Decode(name), facts.Decode(strings.Join(strings.Fields(description), " "))
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// A listStyle is how the items of an index are written.
type listStyle struct {
	// lead is what stands before the link: indentation and bullet.
	lead string
	// separator stands between the link and the description.
	separator string
	// wiki links by [[path]], without .md where bare is set.
	wiki, bare bool
}

// plainStyle is that of a new index.
var plainStyle = listStyle{lead: "- ", separator: " — "}

// item links to the file at path, which target names relative to the index.
func (s listStyle) item(name, path, target, description string) string {
	link := "[" + escapeMarkdown(name) + "](" + EscapeTarget(target) + ")"
	if s.wiki && !strings.ContainsAny(path, "[]|#") {
		if s.bare && !IsIndex(path) {
			path = strings.TrimSuffix(path, ".md")
		}
		link = "[[" + path + "]]"
	}
	if description != "" {
		link += s.separator + escapeMarkdown(description)
	}
	return s.lead + link
}

// escapeMarkdown takes the meaning from what would make a link, a tag or code
// of a name or description.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "<", `\<`, "`", "\\`").Replace(strings.Map(printableOrSpace, s))
}

// EscapeTarget writes a relative path as a link target: percent-encoded where
// Markdown or a URL would read a byte otherwise, other characters as they are.
func EscapeTarget(path string) string {
	const special = " ()<>#?%\\\"'`"
	var b strings.Builder
	for i, r := range path {
		switch {
		case r < 0x20 || r == 0x7f || r < 0x80 && strings.ContainsRune(special, r) || r == '\uFFFD' && path[i] != 0xEF:
			const hex = "0123456789ABCDEF"
			b.WriteString(string([]byte{'%', hex[path[i]>>4], hex[path[i]&15]}))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
