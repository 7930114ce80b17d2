package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A State says which operations of git are in progress: stopped for a
// conflict to be resolved, or for an edit. More than one can be.
type State struct {
	Merge, Rebase, CherryPick, Revert bool
}

// String names the operations as git does, "" when there are none.
func (s State) String() string {
	var names []string
	for _, op := range operations {
		if *op.field(&s) {
			names = append(names, op.name)
		}
	}
	return strings.Join(names, ", ")
}

// operations and the files in the git directory that exist during each.
var operations = []struct {
	name  string
	field func(*State) *bool
	files []string
}{
	{"merge", func(s *State) *bool { return &s.Merge }, []string{"MERGE_HEAD"}},
	{"rebase", func(s *State) *bool { return &s.Rebase }, []string{"rebase-merge", "rebase-apply"}},
	{"cherry-pick", func(s *State) *bool { return &s.CherryPick }, []string{"CHERRY_PICK_HEAD"}},
	{"revert", func(s *State) *bool { return &s.Revert }, []string{"REVERT_HEAD"}},
}

// State reads which operations are in progress in this worktree. How many
// paths are in conflict is a matter of the staged tree, see tree.File.
func (r *Repo) State(ctx context.Context) (State, error) {
	var s State
	reftable := isDirectory(filepath.Join(r.CommonDir, "reftable"))
	for _, op := range operations {
		for _, file := range op.files {
			_, err := os.Lstat(filepath.Join(r.GitDir, file))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return State{}, err
			}
			found := err == nil
			if !found && reftable && strings.HasSuffix(file, "_HEAD") {
				// There the name is a ref and no file.
				_, err = r.Run(ctx, nil, "rev-parse", "-q", "--verify", file)
				found = err == nil
			}
			*op.field(&s) = *op.field(&s) || found
		}
	}
	return s, ctx.Err()
}
