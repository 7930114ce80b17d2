package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

var ruleLinkBroken = &Rule{
	ID:       "link-broken",
	Severity: Warning,
	Summary:  "a relative link leads to a file, and to a heading in it, that exist",
	Source:   "spec 6; CommonMark 0.31.2; github-slugger for anchors",
	Doc: Doc{
		Checks: "Every relative link, image, link definition and wiki link in a memory or skill file. Its target is in the tree (a file that git ignores is not); a fragment is the anchor of a heading, or an id in HTML, of the target. Links in code, comments and frontmatter are none; other schemes, paths out of the repository and templates such as `{{name}}.md` are not judged. `/x.md` is read from the root; `[[x]]` from the root, then from the file's own directory, then by the name of any memory file. In skills/ a broken link is information only.",
		Why:    "An agent follows links to get from an index to a file. Where one leads nowhere, the memory behind it is as good as lost, and calls are spent on looking for it.",
		Bad:    "- [Deploy](deply.md)\n- [Deploy](deploy.md#no-such-heading)",
		Good:   "- [Deploy](deploy.md)\n- [Deploy](deploy.md#rollback)",
		Fix:    "Changes the target where another is meant: without asking if only case, encoding or `.md` differ. Offers to create the file, or to remove the item from an index.",
	},
	place: func(p *Pass) {
		if p.Role == RoleNone || p.Role == RoleConfig || !p.File.Mode.IsRegular() {
			return
		}
		doc, err := p.Parsers.docOf(p.File)
		if err != nil {
			return // reported as unreadable
		}
		for i := range doc.Links {
			if l := &doc.Links[i]; !l.Ref {
				p.checkLink(l, Resolve(p.Tree, p.File.Path, l))
			}
		}
		for i := range doc.Definitions {
			if d := &doc.Definitions[i]; countsAsLink(doc, d) {
				l := &markdown.Link{Kind: markdown.Reference, Span: d.Span, Target: d.Target}
				p.checkLink(l, ResolveDefinition(p.Tree, p.File.Path, d))
			}
		}
	},
}

// countsAsLink reports whether a definition is one, rather than "[Ann]: yes"
// or a footnote.
func countsAsLink(doc *markdown.Doc, d *markdown.Definition) bool {
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Ref && l.DestSpan == d.DestSpan {
			return true
		}
	}
	return !strings.HasPrefix(d.Label, "^") && strings.ContainsAny(d.Dest, "/.")
}

func (p *Pass) checkLink(l *markdown.Link, t Target) {
	var f *Finding
	switch t.Kind {
	case TargetMissing:
		if !p.meantAsLink(l) {
			return
		}
		f = p.found(l.DestSpan, "broken link: %s does not exist", shown(t.Path))
		f.Help = "correct the link, or create " + Display(t.Path)
		f.Fixes = p.linkFixes(l, t)
	case TargetInvalid:
		if !p.meantAsLink(l) {
			return
		}
		f = p.found(l.DestSpan, "broken link: %s is not valid percent-encoding", shown(l.Dest))
		f.Help = "write % as %25, or correct the two digits after it"
	case TargetFile, TargetDir, TargetSelf:
		if f = p.checkAnchor(l, t); f == nil {
			return
		}
	default:
		return
	}
	if p.Role == RoleSkill {
		// Skills are copied from elsewhere, with links to what was beside them there.
		f.Severity = max(f.Severity, Info)
	}
	p.emit(f)
}

// checkAnchor looks for the heading that a fragment names.
func (p *Pass) checkAnchor(l *markdown.Link, t Target) *Finding {
	if isPlainFragment(t.Fragment) || !IsMarkdown(t.File) || isTemplate(t.Fragment) {
		return nil
	}
	file := p.Tree.File(t.File)
	if file == nil || !file.Mode.IsRegular() {
		return nil
	}
	doc, err := p.Parsers.docOf(file)
	if err != nil || doc.Truncated {
		return nil
	}
	if _, ok := FindAnchor(doc, t.Fragment); ok {
		return nil
	}
	f := p.found(l.FragmentSpan, "broken link: %s has no heading #%s", shown(t.File), shown(t.Fragment))
	f.Help = "link to a heading that is there, or to the file alone"
	if strings.EqualFold(t.Fragment, "top") {
		f.Severity = Hint // browsers scroll to the top
	}
	if best, ok := closest(t.Fragment, headingSlugs(doc)); ok {
		f.Fixes = []*Fix{p.editFix("Change to #"+shown(best), Edit{Span: l.FragmentSpan, New: best}).asGuess()}
	}
	return f
}

func headingSlugs(doc *markdown.Doc) []string {
	slugs := make([]string, 0, len(doc.Headings))
	for i := range doc.Headings {
		slugs = append(slugs, doc.Headings[i].Slug)
	}
	return slugs
}

// meantAsLink tells links that somebody means to be followed from templates
// and from code that was written without backticks: f[i](x), [[ -f x ]].
func (p *Pass) meantAsLink(l *markdown.Link) bool {
	if isTemplate(l.Dest) {
		return false
	}
	if l.Kind == markdown.Wiki {
		return facts.Decode(l.Dest) == l.Dest && startsLikeName(l.Dest)
	}
	if strings.ContainsAny(l.Dest, "./") {
		return true
	}
	switch strings.ToLower(l.Dest) {
	case "url", "uri", "link", "href", "src", "path", "target", "image":
		return false // "write [text](url)"
	}
	src := p.Text()
	return l.Span.Start == 0 || l.Span.Start > len(src) || !isWordByte(src[l.Span.Start-1])
}

// isTemplate reports whether a destination has a part to be filled in.
func isTemplate(dest string) bool {
	return strings.ContainsAny(dest, "{}<>$*|") || strings.Contains(dest, "...") || strings.Contains(dest, "…") || strings.Contains(dest, "YYYY")
}

func startsLikeName(s string) bool {
	return isWordByte(s[0]) || s[0] == '.' || s[0] == '/'
}

func isWordByte(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// linkFixes offer what may be meant by a link to nothing.
func (p *Pass) linkFixes(l *markdown.Link, t Target) []*Fix {
	var fixes []*Fix
	to, exact := p.suggest(l, t)
	if to != "" {
		text := WriteTarget(p.File.Path, to, l) + t.Query
		fix := p.editFix("Change to "+Display(text), Edit{Span: l.DestSpan, New: text})
		if !exact {
			fix.asGuess()
		}
		fixes = append(fixes, fix)
	}
	if fix := p.createFix(t.Path); fix != nil && !exact {
		fixes = append(fixes, fix)
	}
	if fix := p.removeItemFix(l); fix != nil {
		fixes = append(fixes, fix)
	}
	return fixes
}

// createFix creates the missing file, where it would be a valid one.
func (p *Pass) createFix(path string) *Fix {
	const key = "create:"
	dir := p.Tree.Dir(dirOf(path))
	switch limits := p.Limits(); {
	case !p.Constrained(path) || strings.HasSuffix(path, "/.md") || strings.ContainsFunc(path, func(r rune) bool { return printableOrSpace(r) != r }):
		return nil
	case dir != nil && (len(dir.Twins(base(path))) > 0 || dir.Dir(base(path)) != nil):
		return nil
	case limits != nil && limits.MaxDepth != nil && int64(strings.Count(path, "/")) > *limits.MaxDepth:
		return nil
	case p.V2 && IsIndex(path):
		if p.Gap(dirOf(path)) != "" {
			return nil
		}
		return newFix(key+path, "Create "+Display(path), func() ([]Op, error) {
			return p.View.createIndexes([]string{path}), nil
		}).asGuess()
	case p.V2 && p.Gap(path) != "":
		return nil
	}
	v := p.View
	return newFix(key+path, "Create "+Display(path), func() ([]Op, error) {
		made := Pass{View: v, File: tree.NewFile(path, tree.Regular, "", nil), Role: v.RoleOf(path)}
		return []Op{{Kind: OpCreate, Path: path, Content: made.derivedFront("", "\n")}}, nil
	}).asGuess()
}
