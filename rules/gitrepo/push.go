package gitrepo

import (
	"context"
	"strings"
)

// A NewCommit is a commit that a push would bring.
type NewCommit struct {
	ID     string // hexadecimal
	Parent string // the first parent, "" for a root commit
}

// NewCommits lists the commits reachable from tips that no ref has yet,
// parents first.
func (r *Repo) NewCommits(ctx context.Context, tips []string) ([]NewCommit, error) {
	args := append([]string{"rev-list", "--topo-order", "--reverse", "--parents"}, tips...)
	out, err := r.Run(ctx, nil, append(args, "--not", "--all")...)
	if err != nil {
		return nil, err
	}
	var commits []NewCommit
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		c := NewCommit{ID: ids[0]}
		if len(ids) > 1 {
			c.Parent = ids[1]
		}
		commits = append(commits, c)
	}
	return commits, nil
}
