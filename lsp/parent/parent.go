// Package parent waits for the end of the process that started this one. An
// editor that crashes does not send exit, and its pipes may be held open by
// another child of it.
package parent

import (
	"context"
	"errors"
	"time"
)

// interval is the time between two looks where the operating system cannot
// report the end of a process that is no child.
const interval = 3 * time.Second

// Wait returns nil when the process is not alive (any more), or the error of a
// cancelled ctx. It leaves nothing behind.
func Wait(ctx context.Context, pid int) error {
	err := await(ctx, pid)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for alive(pid) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
