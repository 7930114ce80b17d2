package config

import (
	"strings"
	"unicode"
)

// PolicyFile is the name of the file in the git common directory (shared by all
// worktrees) that holds the layout policy as one word.
const PolicyFile = "letta-memory-layout-policy"

// A Policy says which layout a repository is held to.
type Policy string

// The policies that PolicyFile can name.
const (
	// RootMarker holds the repository to the v2 layout as soon as it has, or
	// had in HEAD, a MEMORY.md at its root.
	RootMarker Policy = "root-marker"
	// LegacyOnly holds it to the v1 layout. It is what a repository without a
	// policy gets.
	LegacyOnly Policy = "legacy-only"
	// SharedMemory asks for v2 frontmatter but no index chain and no defaults.
	SharedMemory Policy = "shared-memory"
)

// ParsePolicy reads the content of PolicyFile. White space around the word is
// ignored; for anything else but a known policy it returns LegacyOnly and false.
func ParsePolicy(s string) (Policy, bool) {
	switch p := Policy(strings.TrimFunc(s, isSpace)); p {
	case RootMarker, LegacyOnly, SharedMemory:
		return p, true
	default:
		return LegacyOnly, false
	}
}

// isSpace is what JavaScript's trim removes, since Letta Code reads the file
// with it: Unicode white space, a byte order mark, but not NEL.
func isSpace(r rune) bool {
	return r == '\uFEFF' || unicode.IsSpace(r) && r != '\u0085'
}

// approvals are the variables by which a person lets a commit change the
// constraint config: the reference's and ours (spec, section 5).
var approvals = [...]string{"LETTA_MEMORY_CONSTRAINTS_UPDATE", "MEMLS_APPROVE_CONFIG"}

// Approved reports whether the environment lets a commit change the config.
func Approved(getenv func(string) string) bool {
	for _, name := range approvals {
		if getenv(name) == "1" {
			return true
		}
	}
	return false
}
