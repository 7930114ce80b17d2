package rules

import "github.com/memls/memls/rules/config"

var ruleReadOnlyFiles = &Rule{
	ID:       "read-only-files",
	Severity: Error,
	Refusal:  true,
	Summary:  "files matched by readOnlyFiles stay as they are",
	Source:   "spec 5",
	Doc: Doc{
		Checks: "No path that a glob of `readOnlyFiles` matches is created, changed or removed against the last commit; files that are no Markdown too. A commit that a person has approved to change the config is held to the globs which the last commit has as well, so that one commit can bring a file and its protection.",
		Why:    "A person has put these files out of the agent's reach. The commit is refused.",
		Bad:    "a change of policy.md with \"readOnlyFiles\": [\"policy.md\"]",
		Good:   "the file as it was",
		Fix:    "Puts the committed text back.",
	},
	whole: func(p *Pass) {
		limits := p.Limits()
		if limits == nil || len(limits.ReadOnly) == 0 || p.Committed {
			return
		}
		before, err := p.approvedFrom()
		p.fail(err)
		changed, err := p.readOnlyChanges(limits)
		p.fail(err)
		for _, c := range changed {
			if before != nil {
				if _, ok := before.IsReadOnly(c.path); !ok {
					continue
				}
			}
			p.emit(p.readOnlyFinding(c))
		}
	},
}

// approvedFrom is the config of the last commit when this one changes it with
// a person's approval, else nil: what the person protects by this commit is
// protected from the next one on.
func (p *Pass) approvedFrom() (*config.Config, error) {
	if !p.ApproveConfig {
		return nil, nil
	}
	if change, err := p.ChangeOf(config.Path); err != nil || change == Unchanged {
		return nil, err
	}
	old := p.Head.File(config.Path)
	if old == nil || !old.Mode.IsRegular() {
		return &config.Config{}, nil
	}
	src, err := old.Bytes()
	if err != nil {
		return nil, err
	}
	if c, problems := config.Parse(src); len(problems) == 0 {
		return c, nil
	}
	return &config.Config{}, nil
}

func (p *Pass) readOnlyFinding(c readOnlyChange) *Finding {
	f := p.found(Span{}, "read-only file cannot be created, changed or removed")
	path := c.path
	f.Path = path
	f.Help = "take the change back; the pattern '" + c.pattern + "' of readOnlyFiles matches the file"
	switch c.change {
	case Deleted:
		f.Scope = ScopeTree
	case Modified:
		f.Fixes = []*Fix{newFix("restore:"+path, "Restore the committed text", func() ([]Op, error) {
			old, err := p.Head.File(path).Bytes()
			if err != nil {
				return nil, err
			}
			now, err := p.Tree.File(path).Bytes()
			return []Op{{Kind: OpEdit, Path: path, Edits: []Edit{minimalEdit(now, old)}}}, err
		}).asGuess()}
	}
	return f
}
