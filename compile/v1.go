package compile

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
)

// legacyHint stands above v1 memory.
const legacyHint = "Each <projection> is the path of the file that the text beside it is kept in."

// maxIndent is the depth below which nothing is indented further: a hostile
// tree of n levels must not give a prompt of n² bytes.
const maxIndent = 64

// legacyMemory is what v1 makes of a tree.
type legacyMemory struct {
	// persona is what the agent is, apart from what it knows.
	persona *source
	// system holds the core files by label, those of memory/system/ apart:
	// labels of the two may be the same.
	system []*node
	// external holds the paths of the other Markdown files.
	external *node
}

// systemRoots are the places of core memory; memory/ is an optional prefix.
var systemRoots = []string{"system/", "memory/system/"}

// legacy writes v1 memory: the persona, the other core files as elements
// nested like their folders, and the paths of the rest.
func (c *compiler) legacy(ctx context.Context) (*draft, error) {
	m, err := c.legacyMemory(ctx)
	if err != nil {
		return nil, err
	}
	w := legacyWriter{draft: &draft{}, order: newCollation()}
	known := len(m.external.children) > 0 || slices.ContainsFunc(m.system, func(n *node) bool { return len(n.children) > 0 })
	if m.persona == nil && !known {
		return w.draft, nil
	}
	w.line(legacyHint)
	if m.persona != nil {
		w.blank()
		lines := append([]string{projection(m.persona.path)}, nonEmpty(m.persona.body)...)
		w.element(namedElement("self"), m.persona.path, lines...)
	}
	if known {
		w.blank()
		w.line("<memory>")
		for _, root := range m.system {
			w.system(root, 0)
		}
		w.external(m.external)
		w.line("</memory>")
	}
	return w.draft, nil
}

func (c *compiler) legacyMemory(ctx context.Context) (*legacyMemory, error) {
	m := &legacyMemory{external: &node{}, system: []*node{{}, {}}}
	persona := systemRoots[0] + "persona.md"
	if !c.tree.Has(persona) {
		persona = systemRoots[1] + "persona.md"
	}
	for f := range c.tree.All() {
		if !rules.IsMarkdown(f.Path) || rules.InSkills(strings.TrimPrefix(f.Path, "memory/")) {
			continue
		}
		root := slices.IndexFunc(systemRoots, func(r string) bool { return strings.HasPrefix(f.Path, r) })
		if root < 0 {
			if c.regular(f) {
				m.external.add(f.Path, &source{path: f.Path})
			}
			continue
		}
		src, err := c.read(ctx, f)
		switch {
		case err != nil:
			return nil, err
		case src == nil:
		case f.Path == persona:
			m.persona = src
		default:
			m.system[root].add(strings.TrimSuffix(f.Path[len(systemRoots[root]):], ".md"), src)
		}
	}
	return m, nil
}

// A node is a folder of paths, or of labels, where human.md and human/ are one.
type node struct {
	name     string
	source   *source // nil for a folder that no file is named like
	children map[string]*node
}

func (n *node) add(path string, src *source) {
	for name := range strings.SplitSeq(path, "/") {
		child := n.children[name]
		if child == nil {
			if n.children == nil {
				n.children = map[string]*node{}
			}
			child = &node{name: name}
			n.children[name] = child
		}
		n = child
	}
	n.source = src
}

// element is the label of the node where that is a name.
func (n *node) element() element {
	switch {
	case rules.IsTagName(n.name):
		return namedElement(n.name)
	case n.source != nil:
		return fileElement(n.name + ".md")
	}
	return element{`<directory name="` + attribute(n.name) + `">`, "</directory>"}
}

// A legacyWriter writes nodes in the order of Letta Code.
type legacyWriter struct {
	*draft
	order *collation
}

func (w *legacyWriter) sorted(n *node) []*node {
	return slices.SortedFunc(maps.Values(n.children), func(a, b *node) int { return w.order.compare(a.name, b.name) })
}

// system writes the core files below a node. Of a body only the first line is
// indented, the rest are the file's bytes.
func (w *legacyWriter) system(n *node, depth int) {
	pad := strings.Repeat("  ", min(depth, maxIndent))
	for _, child := range w.sorted(n) {
		e := child.element()
		w.line(pad + e.open)
		if src := child.source; src != nil {
			inner := pad + "  "
			w.part(PartFile, src.path, append([]string{inner + projection(src.path)}, src.lines(inner)...)...)
		}
		w.system(child, depth+1)
		w.line(pad + e.close)
	}
}

// external writes the paths of deferred files as a tree, directories first.
func (w *legacyWriter) external(root *node) {
	if len(root.children) == 0 {
		return
	}
	lines := w.branches([]string{"<external_projection>", "${MEMORY_DIR}/"}, root, "", 0)
	w.part(PartTree, "", append(lines, "</external_projection>")...)
}

func (w *legacyWriter) branches(lines []string, n *node, prefix string, depth int) []string {
	children := w.sorted(n)
	slices.SortStableFunc(children, func(a, b *node) int { return b.isDir() - a.isDir() })
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		name := rules.Display(child.name)
		if child.isDir() == 0 {
			lines = append(lines, prefix+branch+name)
			continue
		}
		lines = append(lines, prefix+branch+name+"/")
		if depth >= maxIndent {
			below = ""
		}
		lines = w.branches(lines, child, prefix+below, depth+1)
	}
	return lines
}

// isDir is 1 for a node that is a directory of the tree of paths, else 0.
func (n *node) isDir() int { return min(len(n.children), 1) }

// projection is the element that names the file of a text.
func projection(path string) string {
	return "<projection>$MEMORY_DIR/" + content(path) + "</projection>"
}
