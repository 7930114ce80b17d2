package hook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// lockPatience is far more than an install takes, on any disk.
	lockPatience = 30 * time.Second
	lockPoll     = 10 * time.Millisecond
)

// lock waits for the lock file at path. The system frees the lock of a process
// that dies, so there are no stale ones; the file itself stays, since removing
// a file that others may be waiting for would let two of them in.
func lock(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the lock: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, &Error{Kind: ErrBusy, Message: path + ": another memhook is at work in this repository; try again when it is done"})
	defer cancel()
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		release, held, err := tryLock(path)
		if err != nil {
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		if held {
			return release, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
