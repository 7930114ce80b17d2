package parent

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// await uses a pidfd, which becomes readable when the process ends, even if
// nobody reaps it, and never means another process that got the same id.
func await(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err != nil: // before Linux 5.10, or forbidden by a sandbox
		return fmt.Errorf("%w: pidfd_open: %w", errors.ErrUnsupported, err)
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	defer context.AfterFunc(ctx, func() { file.Close() })()

	conn, err := file.SyscallConn()
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	err = conn.Read(func(fd uintptr) (done bool) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		return err == nil && n > 0
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return nil
}
