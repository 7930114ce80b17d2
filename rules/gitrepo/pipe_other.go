//go:build !linux

package gitrepo

import "io"

func widen(io.Reader) {}
