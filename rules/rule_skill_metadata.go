package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
)

var ruleSkillMetadata = &Rule{
	ID:       "skill-metadata",
	Severity: Warning,
	Summary:  "a skill's frontmatter is what every agent can load",
	Source:   "spec 8; agentskills.io",
	Doc: Doc{
		Checks: "The SKILL.md of each folder in skills/ has YAML frontmatter with a `name` (1 to 64 letters of any script, in lower case, digits and single hyphens, equal to the folder's name) and a `description` (1 to 1024 characters after YAML has folded it). `compatibility` has at most 500 characters. Keys that neither the Agent Skills format nor Letta knows, lists where a text is meant, a byte order mark and CRLF line ends are hints. Problems never refuse a commit.",
		Why:    "Letta reads the frontmatter line by line and forgives much; strict loaders drop the skill without a word.",
		Bad:    "skills/deploy-check/SKILL.md:\n---\nname: Deploy Check\ndescription: Checks a release: build, smoke test\n---",
		Good:   "skills/deploy-check/SKILL.md:\n---\nname: deploy-check\ndescription: \"Checks a release: build, smoke test\"\n---",
		Fix:    "Quotes what is not valid YAML; sets the name to the folder's; adds what is missing, with a description taken from the text. Renaming the folder is offered, and yours to decide.",
	},
	roles: []Role{RoleSkill},
	text: func(p *Pass) {
		// What is not UTF-8 is text-encoding's to say.
		if !IsSkill(p.Tree, p.File.Path) || p.Facts().Encoding != facts.UTF8 {
			return
		}
		y := p.yaml()
		for _, problem := range readSkill(p.Parsers, p.File.Path, p.Text(), y).Problems {
			f := p.found(problem.Span, "%s", problem.Message)
			f.Severity, f.Help = problem.Severity, problem.Help
			if problem.fixes != nil {
				f.Fixes = problem.fixes(p)
			}
			p.emit(f)
		}
	},
}

// addSkillFront adds frontmatter, or mends the fences of one that is there.
func addSkillFront(p *Pass) []*Fix {
	if p.Facts().Front.Fault != facts.NoFault {
		return []*Fix{p.mendFence()}
	}
	src := p.Text()
	start := 0
	if p.Facts().BOM {
		start = len("\uFEFF")
	}
	folder := facts.Decode(base(dirOf(p.File.Path)))
	lines := []string{"---", "name: " + p.Parsers.Scalar(folder), "description: " + skillDescription(p.Parsers, src), "---", ""}
	return []*Fix{p.editFix("Add frontmatter", Edit{Span: Span{End: start}, New: strings.Join(lines, eolOf(src))})}
}

// closeSkillFront adds the fence after the lines from the top that read as
// keys and their values.
func closeSkillFront(p *Pass) []*Fix {
	src := p.Text()
	end := p.Facts().FirstLine.End
	for _, l := range facts.LinesIn(src, Span{Start: end, End: len(src)}) {
		blank := strings.TrimSpace(string(src[end:l.Span.Start])) == "" && strings.Count(string(src[end:l.Span.Start]), "\n") > 1
		if blank || !l.Indented && (!l.Colon || strings.ContainsAny(l.Key, " #-*")) {
			break
		}
		end = l.Span.End
	}
	eol := eolOf(src)
	text := eol + "---"
	if end == len(src) {
		text += eol
	}
	return []*Fix{p.editFix("Close the frontmatter", Edit{Span: Span{Start: end, End: end}, New: text})}
}

// nameFixes set the name to the folder's where that is a valid one, else
// rename the folder; the other way round is for a person to choose.
func nameFixes(value Span, name, folder string) func(*Pass) []*Fix {
	return func(p *Pass) []*Fix {
		var fixes []*Fix
		if folder != "" && name != folder && len(nameProblems(folder)) == 0 {
			fixes = append(fixes, p.editFix("Set name to '"+folder+"'", Edit{Span: value, New: p.Parsers.Scalar(folder)}))
		}
		if valid := slug(name); valid != "" && valid != folder {
			var edits []Edit
			if valid != name {
				edits = []Edit{{Span: value, New: p.Parsers.Scalar(valid)}}
			}
			if f := p.renameFolder(valid, edits); f != nil {
				fixes = append(fixes, f)
			}
		}
		return fixes
	}
}

// renameFolder moves every file of the skill's folder; it is nil when
// something is there already. Links from elsewhere to the skill break.
func (p *Pass) renameFolder(name string, edits []Edit) *Fix {
	path, from := p.File.Path, dirOf(p.File.Path)
	to := joinPath(dirOf(from), name)
	if p.Tree.Has(to) || p.Tree.Dir(to) != nil {
		return nil
	}
	t := p.Tree
	return newFix("skill:"+from+"\x00"+to, "Rename the folder to '"+name+"'", func() ([]Op, error) {
		var ops []Op
		if len(edits) > 0 {
			ops = []Op{{Kind: OpEdit, Path: path, Edits: edits}}
		}
		for f := range t.Dir(from).All() {
			ops = append(ops, Op{Kind: OpRename, Path: f.Path, To: to + strings.TrimPrefix(f.Path, from)})
		}
		return ops, nil
	}).asGuess()
}
