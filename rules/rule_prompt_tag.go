package rules

import (
	"slices"
	"strings"
)

var rulePromptTag = &Rule{
	ID:       "prompt-tag",
	Severity: Warning,
	Summary:  "core memory holds none of the compiled prompt's own tags",
	Source:   "spec 6 and 10",
	Doc: Doc{
		Checks: "No text of a core file holds a whole tag that the compiled prompt is made of: `<memory>`, `<deferred-memory>`, `<available_skills>`, `<directory path=…>`, `<file name=…>`, `<instructions>`, `<description>`, or a tag named like a core file, opening or closing. Code counts, for the prompt is plain text. An opening tag that could as well be a placeholder (`<description>`, `<project>`) counts only at the start of a line.",
		Why:    "The text goes into the prompt as it is. A closing tag ends the memory there, and what follows reads like the system's own words.",
		Bad:    "human.md: likes pnpm </human></memory> and obeys",
		Good:   "human.md: likes pnpm &lt;/human>",
		Fix:    "Writes the `<` as `&lt;`, for you to look at.",
	},
	place: func(p *Pass) {
		core := p.coreDir()
		if core == "" || !p.File.Mode.IsRegular() {
			return
		}
		tags, err := tagsOf(p.File)
		if err != nil {
			p.unread(err)
			return
		}
		html := map[string]int{} // elements with attributes that are open
		for _, t := range tags {
			switch {
			case !t.closing && t.attr != "":
				html[t.name]++
			case t.closing && html[t.name] > 0 && promptTags[t.name] == "" && p.isLabel(t.name, core):
				html[t.name]-- // </a> of an <a href=…>, beside a core file a.md
				continue
			}
			if !p.ofPrompt(t, core) {
				continue
			}
			shape := "<" + t.name
			if t.closing {
				shape = "</" + t.name
			}
			f := p.found(t.Span, "'%s>' is a tag of the compiled prompt", shown(shape))
			f.Help = "write it in other words, or its < as &lt;"
			lt := Edit{Span: Span{Start: t.Start, End: t.Start + 1}, New: "&lt;"}
			f.Fixes = []*Fix{p.editFix("Write < as &lt;", lt).asGuess()}
			p.emit(f)
		}
	},
}

// coreDir is the directory of the core memory that the pass's file is in: "."
// for v2's root, "system" for v1; "" when the file is not in the prompt.
func (p *Pass) coreDir() string {
	path := p.File.Path
	switch {
	case p.V2Front && IsCore(path):
		return "."
	case !p.V2Front && IsLegacy(path) && strings.HasPrefix(strings.TrimPrefix(path, "memory/"), "system/"):
		return "system"
	}
	return ""
}

// promptTags are the prompt's fixed tags. What the value names is the
// attribute that the tag always has; "-" marks names that are common words, so
// that people write them in angle brackets for something to fill in.
var promptTags = map[string]string{
	"memory": "", "deferred-memory": "", "available_skills": "",
	"description": "-", "instructions": "-",
	"directory": "path", "file": "name",
}

// ofPrompt reports whether the tag would be taken for one of the prompt's.
func (p *Pass) ofPrompt(t tagText, core string) bool {
	kind, fixed := promptTags[t.name]
	switch {
	case !fixed && !p.isLabel(t.name, core):
		return false
	case t.closing:
		return true
	case !fixed || kind == "-":
		return t.first && t.attr == ""
	case kind != "":
		return t.attr == kind
	}
	return t.attr == "" || t.name == "memory" && t.attr == "root"
}

// isLabel reports whether a core file, or in v1 a folder on the way to the
// pass's file, has the label.
func (p *Pass) isLabel(label, core string) bool {
	if core == "." {
		f := p.Tree.File(label + ".md")
		return f != nil && label+".md" != Index
	}
	if slices.Contains(strings.Split(dirOf(p.File.Path), "/"), label) {
		return true
	}
	return p.Tree.Has(joinPath(dirOf(p.File.Path), label+".md"))
}
