//go:build !linux

package parent

import (
	"context"
	"errors"
)

func await(context.Context, int) error { return errors.ErrUnsupported }
