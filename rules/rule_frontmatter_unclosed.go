package rules

import "github.com/memls/memls/rules/facts"

var ruleFrontmatterUnclosed = &Rule{
	ID:       "frontmatter-unclosed",
	Severity: Error,
	Refusal:  true,
	Summary:  "frontmatter must be closed by a line that is exactly ---",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "After the opening `---` there is another line that is exactly `---`. A space or a carriage return after the dashes makes it no fence.",
		Why:    "Without an end the whole file is frontmatter and has no text. The commit is refused.",
		Bad:    "---\nname: Human\ndescription: The user\n- likes pnpm",
		Good:   "---\nname: Human\ndescription: The user\n---\n- likes pnpm",
		Fix:    "Adds the closing fence after the last `key: value` line, or mends a spoilt one.",
	},
	roles: frontRoles,
	text:  checkFrontmatterUnclosed,
}

func checkFrontmatterUnclosed(p *Pass) {
	front := &p.Facts().Front
	if front.State != facts.FrontUnclosed {
		return
	}
	f := p.found(front.Open, "frontmatter opened but never closed (missing closing ---)")
	if front.Fault != facts.NoFault {
		f.Help = faultHelp[front.Fault]
		if front.Fault == facts.FaultTrailing {
			f.Help = "the closing fence has trailing space: it must be exactly ---"
		}
		f.Related = []Related{{Path: p.File.Path, Span: front.FaultSpan, Message: f.Help}}
		f.Fixes = []*Fix{p.mendFence()}
	} else {
		f.Help = "add a line that is exactly --- after the last key"
		f.Fixes = []*Fix{p.closeFront()}
	}
	p.emit(f)
}

// closeFront adds the fence after the lines from the top that read as keys of
// the format.
func (p *Pass) closeFront() *Fix {
	front := &p.Facts().Front
	end := front.Open.End
	for _, l := range front.Lines {
		if !l.Colon || !p.format().allows(l.Key) {
			break
		}
		end = l.Span.End
	}
	src := p.Text()
	text := "\n---"
	if end == len(src) {
		text += "\n"
	}
	return p.editFix("Close the frontmatter", Edit{Span: Span{Start: end, End: end}, New: text})
}
