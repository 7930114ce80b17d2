//go:build !unix

package lsp

import "testing"

func makeOdd(*testing.T, *memory) {}
