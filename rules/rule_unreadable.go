package rules

// ruleUnreadable is reported by the engine itself, where a file's bytes are
// needed and cannot be had.
var ruleUnreadable = &Rule{
	ID:       "unreadable",
	Severity: Error,
	Summary:  "a file cannot be read",
	Source:   "ours",
	Doc: Doc{
		Checks: "Every file that is judged can be read.",
		Why:    "What cannot be read cannot be judged, and git cannot stage it either.",
		Bad:    "notes.md without read permission",
		Good:   "notes.md that its owner can read",
	},
}

// unread records that a file could not be read. Where that is a finding of the
// file's own, the rule that stumbles over it has nothing to add.
func (p *Pass) unread(err error) {
	if p.sink.opt.RefusalsOnly {
		p.fail(err)
	}
}
