// Package rules is the judgement: what a memory repository is, and every
// rule that the editor, the hook, the command line and servers share.
//
// Data flows one way: a tree snapshot (package tree, filled by gitrepo or an
// editor), facts of each file's bytes (packages facts and markdown), findings.
// Package rules knows no git porcelain, no protocol and no terminal, and
// imports nothing above itself.
package rules

import (
	"fmt"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// A Rule is one rule: its texts are what `explain`, the editor's link and
// SARIF show, its check is what every front end runs.
type Rule struct {
	// ID is stable and kebab-case.
	ID string
	// Severity is the usual severity; a finding may be milder.
	Severity Severity
	// Refusal marks rules of the reference's hook: the hook runs these alone.
	Refusal bool
	// Summary is one line.
	Summary string
	Doc     Doc
	// Source is where the rule comes from.
	Source string

	// text judges the bytes of one file in one of roles, whatever else is
	// in the tree; place judges a file's place in the tree; whole judges
	// the tree once. A rule has one of them, or whole beside one of the others.
	text  func(*Pass)
	roles []Role
	place func(*Pass)
	whole func(*Pass)

	// hygiene marks the formatting rules of the config.
	hygiene bool
	// explains marks a rule with findings that take the place of others,
	// errors among them.
	explains bool
}

// findsErrors reports whether a finding of the rule may be an error.
func (r *Rule) findsErrors() bool { return r.Severity == Error || r.explains }

// aboutFrontmatter reports whether the rule refuses frontmatter: then it is
// enforced only for the files of spec section 3, and a warning elsewhere.
func (r *Rule) aboutFrontmatter() bool {
	return r.Refusal && r.text != nil && !r.hygiene
}

// Doc is the rule's page.
type Doc struct {
	// Checks says what is looked at, Why what goes wrong without it.
	Checks, Why string
	// Bad fails, Good passes; both show a tree or a file.
	Bad, Good string
	// Fix says what the quick fixes do; "" when there is none.
	Fix string
}

// A Pass is one run of one rule: over a file, or over the tree when File is nil.
type Pass struct {
	*View
	Rule *Rule
	File *tree.File
	Role Role

	text     []byte
	facts    *facts.Facts // where they are not kept with the file
	sink     *judgement
	findings []Finding
	refused  bool // a refusal was found
}

// Text returns the bytes of the file. On failure the pass is recorded as
// failed and nil returned; the judgement reports the error.
func (p *Pass) Text() []byte {
	if p.text == nil {
		b, err := p.File.Bytes()
		if err != nil {
			p.fail(err)
			return nil
		}
		p.text = b
	}
	return p.text
}

// Facts returns the facts of the file's bytes.
func (p *Pass) Facts() *facts.Facts {
	if p.facts != nil {
		return p.facts
	}
	f, err := factsOf(p.File)
	if err != nil {
		p.fail(err)
		return facts.Of(nil)
	}
	return f
}

// yaml returns the file's frontmatter read as YAML, from the bytes in hand.
func (p *Pass) yaml() *facts.YAML {
	y, err := memo(p.File, yamlKey, p.Text(), p.Parsers.YAML)
	if err != nil {
		p.fail(err)
		return &facts.YAML{}
	}
	return y
}

func (p *Pass) fail(err error) { p.sink.fail(err) }

// Enforced reports whether the commit would be refused for the file's
// frontmatter (spec, section 3); else the same problem is a warning.
func (p *Pass) Enforced() bool {
	switch p.Role {
	case RoleMemory, RoleIndex:
		return p.Projected(p.File.Path)
	case RoleLegacy:
		return p.Changed(p.File.Path)
	}
	return false
}

// found reports a finding of the pass's rule on its file. The zero span
// stands for the first line.
func (p *Pass) found(span Span, format string, args ...any) *Finding {
	f := Finding{Rule: p.Rule, Severity: p.Rule.Severity, Span: span, FirstLine: span == Span{}, Message: fmt.Sprintf(format, args...)}
	if p.File != nil {
		f.Path = p.File.Path
	}
	return &f
}

// emit completes a finding and takes it to those that the pass reports.
func (p *Pass) emit(f *Finding) {
	if f.Line == "" {
		f.Line = f.Message
		if f.Path != "" {
			f.Line = Display(f.Path) + ": " + f.Message
		}
	}
	if f.Path != "" {
		f.Touched = p.Changed(f.Path)
	}
	if p.Rule.aboutFrontmatter() && !p.Enforced() {
		f.Severity = max(f.Severity, Warning)
	}
	for _, fix := range f.Fixes {
		fix.bind(p.View, f)
	}
	if f.Group != nil {
		for _, fix := range f.Group.Fixes {
			fix.bind(p.View, f)
		}
	}
	p.refused = p.refused || p.Rule.Refusal
	p.findings = append(p.findings, *f)
}
