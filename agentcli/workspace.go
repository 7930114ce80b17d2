package agentcli

import (
	"context"
	"errors"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/parsers"
)

// snapshot is a commit, "" for none, as the base of changes. What is asked of
// it stays readable when ctx ends: work that is interrupted is kept. policy is
// "" or the word of a flag; byMarker says that the repository names none.
func (r *repository) snapshot(ctx context.Context, commit, policy string) (s rules.Snapshot, byMarker bool, err error) {
	look := &target{repo: r, at: commit}
	s = rules.Snapshot{Parsers: parsers.New(), Load: look.load}
	if commit != "" {
		if s.Tree, _, err = r.Revision(context.WithoutCancel(ctx), commit); err != nil {
			return s, false, err
		}
	}
	s.Head = s.Tree
	s.Policy, look.policySource, err = r.policy(policy, s)
	return s, look.policySource == policyFromMarker, err
}

// workspace lays an agent's tools over the last commit, and tells its id, ""
// for none.
func (r *repository) workspace(ctx context.Context, createIndexes bool) (w *memory.Workspace, base string, err error) {
	s, base, byMarker, err := r.lastCommit(ctx)
	if err != nil {
		return nil, "", err
	}
	return memory.New(s, memory.Options{Root: r.Top, CreateIndexes: createIndexes, ByMarker: byMarker}), base, nil
}

func (r *repository) lastCommit(ctx context.Context) (s rules.Snapshot, id string, byMarker bool, err error) {
	_, oid, err := r.committed(ctx, atHead, true)
	if err != nil && !errors.Is(err, errNoCommit) {
		return s, "", false, err
	}
	if oid != "" {
		id = oid.String()
	}
	s, byMarker, err = r.snapshot(ctx, id, "")
	return s, id, byMarker, err
}
