package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The layout policies a repository can have.
const (
	PolicyRootMarker   = "root-marker"
	PolicyLegacyOnly   = "legacy-only"
	PolicySharedMemory = "shared-memory"
)

// policyName is the policy file's name in the git common directory, which all
// work trees share. The name is Letta Code's, whose hook reads it as well.
const policyName = "letta-memory-layout-policy"

// Policies lists the policies in the order in which help shows them.
func Policies() []string {
	return []string{PolicyRootMarker, PolicyLegacyOnly, PolicySharedMemory}
}

func validPolicy(p string) bool { return slices.Contains(Policies(), p) }

func (r *repo) policyFile() string { return filepath.Join(r.commonDir, policyName) }

// readPolicy returns the word in the policy file, "" if there is none.
func (r *repo) readPolicy() (string, error) {
	data, err := os.ReadFile(r.policyFile())
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}

// effectivePolicy is how the hook reads that word.
func effectivePolicy(word string) string {
	if validPolicy(word) {
		return word
	}
	return PolicyLegacyOnly
}

func unknownPolicyMessage(file, word string) string {
	return fmt.Sprintf("%s holds the unknown policy %q, which counts as %s: choose one with memhook install --policy", file, word, PolicyLegacyOnly)
}

// defaultPolicy is the policy of a repository that has no policy file.
func (r *repo) defaultPolicy(ctx context.Context) (string, error) {
	found, err := r.hasRootIndex(ctx)
	if err != nil || !found {
		return PolicyLegacyOnly, err
	}
	return PolicyRootMarker, nil
}

func (r *repo) hasRootIndex(ctx context.Context) (bool, error) {
	const index = "MEMORY.md"
	if r.topLevel != "" {
		// The names are listed, not asked for: a file system that ignores case
		// would answer for memory.md.
		entries, err := os.ReadDir(r.topLevel)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == index }) {
			return true, nil
		}
	}
	for _, rev := range [...]string{":" + index, "HEAD:" + index} {
		if found, err := r.has(ctx, rev); found || err != nil {
			return found, err
		}
	}
	return false, nil
}
