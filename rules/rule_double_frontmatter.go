package rules

import (
	"bytes"
	"slices"

	"github.com/memls/memls/rules/facts"
)

var ruleDoubleFrontmatter = &Rule{
	ID:       "double-frontmatter",
	Severity: Warning,
	Summary:  "a file has one frontmatter block",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "The text after the frontmatter does not start with another block of the kind: a line `---`, keys with a `name`, `description`, `label`, `limit` or `read_only` among them, a line `---`. Text that merely starts with a horizontal rule is fine.",
		Why:    "A tool that adds frontmatter without looking whether it is there leaves two blocks. The second is text to everyone who reads the file.",
		Bad:    "---\nname: A\ndescription: b\n---\n---\nname: A\ndescription: b\n---\nText",
		Good:   "---\nname: A\ndescription: b\n---\nText",
		Fix:    "Removes the second block; what it says that the first does not, you are asked about.",
	},
	roles: []Role{RoleMemory, RoleLegacy, RoleSkill},
	text: func(p *Pass) {
		src := p.Text()
		first := facts.SplitYAML(src)
		if first.State != facts.FrontClosed {
			return
		}
		for block, ok := p.Parsers.blockAt(src, first.Body); ok; block, ok = p.Parsers.blockAt(src, block.body) {
			f := p.found(block.Span, "second frontmatter block in body")
			f.Help = "remove the lines from its --- to the next"
			fix := p.editFix("Remove the second block", Edit{Span: Span{Start: block.Start, End: block.body}})
			if !block.repeats(p.yaml()) {
				fix.asGuess()
			}
			f.Fixes = []*Fix{fix}
			p.emit(f)
		}
	},
}

// A frontBlock is text that reads like frontmatter at a place where there
// should be none.
type frontBlock struct {
	Span // both fences, without the last line end
	body int
	yaml *facts.YAML
}

// blockKeys are keys that tell frontmatter from text between two horizontal
// rules.
var blockKeys = []string{"name", "description", "label", "limit", "read_only"}

// blockAt finds a block at the start of src[at:], after blank lines. It is
// read as leniently as YAML loaders read frontmatter.
func (p *Parsers) blockAt(src []byte, at int) (frontBlock, bool) {
	rest := src[at:]
	blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	rest = rest[blank:]
	if !bytes.HasPrefix(rest, []byte("---")) {
		return frontBlock{}, false
	}
	y := p.YAML(rest)
	if y.State != facts.FrontClosed || y.Err != "" {
		return frontBlock{}, false
	}
	known := func(f facts.Field) bool { return slices.Contains(blockKeys, f.Key) }
	if !slices.ContainsFunc(y.Fields, known) {
		return frontBlock{}, false
	}
	end := len(bytes.TrimRight(rest[:y.Body], "\r\n"))
	return frontBlock{Span: Span{Start: at + blank, End: at + blank + end}, body: at + blank + y.Body, yaml: y}, true
}

// repeats reports whether the block says nothing that other does not.
func (b frontBlock) repeats(other *facts.YAML) bool {
	for _, f := range b.yaml.Fields {
		if o := other.Field(f.Key); o == nil || o.Value != f.Value || o.Tag != f.Tag || f.Value == "" {
			return false
		}
	}
	return true
}
