package gitrepo

import (
	"context"
	"errors"
	"os/exec"
)

// Ignored reports whether git would leave an untracked file at path out,
// relative to the top level, whether it exists yet or not.
func (r *Repo) Ignored(ctx context.Context, path string) (bool, error) {
	// The command takes pathspecs, and no --literal-pathspecs.
	_, err := r.Run(ctx, nil, "check-ignore", "--quiet", "--", "./"+path)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}
