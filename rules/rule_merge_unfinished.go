package rules

import "fmt"

var ruleMergeUnfinished = &Rule{
	ID:       "merge-unfinished",
	Severity: Error,
	Summary:  "no merge, rebase, cherry-pick or revert waits for its end",
	Source:   "case CLI-04",
	Doc: Doc{
		Checks: "The state of the repository: an operation of git in progress, and how many paths have a conflict to resolve. Without such a path it is information only. A path in conflict without an operation (after `git stash pop`) is reported on the file.",
		Why:    "Until the conflicts are resolved nothing can be committed or synced, and memory that is read now may be of either side. Nothing here ends or aborts the operation.",
		Bad:    "git merge, which stopped at a conflict in notes.md",
		Good:   "the conflict resolved, git add notes.md, git commit",
	},
	place: func(p *Pass) {
		staged := p.Staged.File(p.File.Path)
		if p.Unfinished != "" || !p.File.Unmerged && (staged == nil || !staged.Unmerged) {
			return
		}
		f := p.found(Span{}, "unmerged path")
		f.Help = "resolve the conflict, then: git add " + Display(p.File.Path)
		p.emit(f)
	},
	whole: func(p *Pass) {
		if p.Unfinished == "" {
			return // a look at every file would be for nothing
		}
		index := p.Staged
		if index == nil {
			index = p.Tree
		}
		n := 0
		f := p.found(Span{}, "")
		for file := range index.All() {
			if !file.Unmerged {
				continue
			}
			if n++; n <= maxRelated {
				f.Related = append(f.Related, Related{Path: file.Path, Message: "unmerged"})
			}
		}
		f.Message = fmt.Sprintf("%s in progress: %s", p.Unfinished, counted(n, "unmerged path"))
		f.Help = "resolve the conflicts and stage the files, then finish it with git"
		if n == 0 {
			f.Severity = Info
			f.Message = p.Unfinished + " in progress: no unmerged path is left"
			f.Help = "finish it with git: nothing is left to resolve"
		}
		f.Scope = ScopeTree
		p.emit(f)
	},
}

// maxRelated bounds the places that explain one finding.
const maxRelated = 20

// counted is a number of things: "1 problem", "2 problems".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
