package compile

import (
	"context"
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// instructions tell the reader of style Files what the memory is.
var instructions = []string{
	"<instructions>",
	"The files at the root of the memory directory are core memory. All of them stand below, whole.",
	"A directory with a MEMORY.md holds deferred memory, which is not loaded. Read its MEMORY.md first: it says what else in the directory to read, and when.",
	"A directory without a MEMORY.md is not memory, and is not listed.",
	"Skills are apart, in skills/.",
	"</instructions>",
}

// tags writes v2 memory in style Tags: core files in byte order of their
// paths, then the root index.
func (c *compiler) tags(ctx context.Context) (*draft, error) {
	d := &draft{}
	for _, f := range c.coreFiles() {
		if f.Path == rules.Index {
			continue
		}
		src, err := c.read(ctx, f)
		if err != nil {
			return nil, err
		}
		if src == nil {
			continue
		}
		d.blank()
		d.element(coreElement(f.Path), src.path, src.lines("")...)
	}
	index, err := c.rootIndex(ctx)
	if err != nil {
		return nil, err
	}
	dirs := c.deferred(index)
	if index == nil && len(dirs) == 0 {
		return d, nil
	}
	d.blank()
	d.line("<memory>")
	if index != nil {
		d.part(PartFile, index.path, nonEmpty(index.body)...)
	}
	d.deferred(dirs)
	d.line("</memory>")
	return d, nil
}

// files writes v2 memory in style Files: core files as they are, the root
// index among them.
func (c *compiler) files(ctx context.Context) (*draft, error) {
	order := newCollation()
	core := slices.Clone(c.coreFiles())
	slices.SortFunc(core, func(a, b *tree.File) int { return order.compare(a.Path, b.Path) })

	d := &draft{}
	d.line(`<memory root="${MEMORY_DIR}">`)
	d.part(PartInstructions, "", instructions...)
	var index *source
	for _, f := range core {
		src, err := c.read(ctx, f)
		if err != nil {
			return nil, err
		}
		if src == nil {
			continue
		}
		if f.Path == rules.Index {
			index = src
		}
		d.element(fileElement(f.Path), src.path, nonEmpty(src.raw)...)
	}
	dirs := c.deferred(index)
	slices.SortFunc(dirs, order.compare)
	d.deferred(dirs)
	d.line("</memory>")
	return d, nil
}

// coreFiles are the Markdown files at the root, in byte order.
func (c *compiler) coreFiles() []*tree.File {
	var core []*tree.File
	for f := range c.tree.Root().Files() {
		if rules.IsCore(f.Path) {
			core = append(core, f)
		}
	}
	return core
}

// rootIndex reads the root index, nil where there is none.
func (c *compiler) rootIndex(ctx context.Context) (*source, error) {
	f := c.tree.File(rules.Index)
	if f == nil {
		return nil, nil
	}
	return c.read(ctx, f)
}

// deferred are the paths of the first-level directories with an index, in byte
// order. It warns of those that the root index does not link to: the prompt
// names such a directory, but nothing says what it is for.
func (c *compiler) deferred(index *source) []string {
	var dirs []string
	for dir := range c.tree.Root().Dirs() {
		f := dir.File(rules.Index)
		if f != nil && !rules.InSkills(f.Path) && c.regular(f) {
			dirs = append(dirs, dir.Path)
		}
	}
	switch {
	case index == nil && !c.tree.Has(rules.Index):
		c.warn(rules.Index, "root memory index is required for MemFS v2: the prompt has no index")
	case index != nil && len(dirs) > 0:
		c.warnUnlinked(index, dirs)
	}
	return dirs
}

func (c *compiler) warnUnlinked(index *source, dirs []string) {
	doc := c.parsers.Markdown([]byte(index.body), 0)
	linked := map[string]bool{}
	for i := range doc.Links {
		linked[rules.Resolve(c.tree, index.path, &doc.Links[i]).File] = true
	}
	for _, dir := range dirs {
		if child := dir + "/" + rules.Index; !linked[child] {
			c.warn(index.path, "does not link to %s: the prompt lists that directory, but nothing says what it is for", rules.Display(child))
		}
	}
}

// deferred writes the list of deferred directories, nothing for none.
func (d *draft) deferred(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	lines := []string{"<deferred-memory>"}
	for _, dir := range dirs {
		lines = append(lines, `<directory path="`+attribute(dir)+`/" index="`+attribute(dir)+"/"+rules.Index+`" />`)
	}
	d.part(PartDeferred, "", append(lines, "</deferred-memory>")...)
}
