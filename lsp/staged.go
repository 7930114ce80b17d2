package lsp

import (
	"context"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// stagedReport is the answer of [commandCheckStaged]: what the commit hook
// would look at, and more than it would say.
type stagedReport struct {
	Root     string          `json:"root"`
	Findings []stagedFinding `json:"findings"`
	Errors   int             `json:"errors"` // findings that refuse the commit
}

// stagedFinding is a finding in the form of `agentcli check --format json`.
type stagedFinding struct {
	Rule     string       `json:"rule"`
	Severity string       `json:"severity"`
	Path     string       `json:"path"`
	Message  string       `json:"message"`
	Range    *rules.Range `json:"range,omitempty"`
	Help     string       `json:"help,omitempty"`
}

// checkStaged judges what git would commit now.
func (s *Server) checkStaged(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	snapshot := sub.judging.view.Snapshot
	snapshot.Tree, snapshot.Staged = snapshot.Staged, nil
	snapshot.Policy = sub.judging.settings.policyFor(sub.judging.state, snapshot.Tree)
	report, err := rules.NewView(snapshot).Judge(ctx, rules.Options{})
	if err != nil {
		return nil, err
	}
	out := stagedReport{Root: sub.repo.git.Top, Findings: []stagedFinding{}, Errors: rules.CountErrors(report.Findings)}
	for i := range report.Findings {
		f := &report.Findings[i]
		out.Findings = append(out.Findings, stagedFinding{
			Rule: f.Rule.ID, Severity: f.Severity.String(), Path: f.Path, Message: f.Message, Help: f.Help,
			Range: rangeIn(f, snapshot.Tree),
		})
	}
	return out, nil
}

func rangeIn(f *rules.Finding, t *tree.Tree) *rules.Range {
	file := t.File(f.Path)
	if file == nil || !file.Mode.IsRegular() {
		return nil
	}
	src, err := file.Bytes()
	if err != nil {
		return nil
	}
	return new(f.RangeIn(src))
}
