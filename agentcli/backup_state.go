package agentcli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A state is a repository as it is, in the form of refs: below a prefix, every
// branch and tag under its own name, and two commits for what is not committed.
// Of these "worktree" has the files, ignored ones excepted, and says in its
// message what HEAD is; "index" has what is staged. A backup file and what
// restore keeps of the present are both such states.
const (
	stateWorktree = "worktree"
	stateIndex    = "index"
)

// stateRefs are the refs that belong to a state; others (those of remotes, and
// our own) are copies of something.
var stateRefs = []string{"refs/heads/", "refs/tags/", "refs/notes/", "refs/stash"}

func inState(ref string) bool {
	return slices.ContainsFunc(stateRefs, func(prefix string) bool { return strings.HasPrefix(ref, prefix) })
}

// refs are the refs below a prefix, with what they name.
func (w *writable) refs(ctx context.Context, prefix string) (map[string]string, error) {
	out, err := w.do(ctx, gitCall{}, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if oid, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[name] = oid
		}
	}
	return refs, nil
}

// head is what HEAD is: a branch's ref, or a commit when it is detached.
func (w *writable) head(ctx context.Context) (string, error) {
	if out, err := w.do(ctx, gitCall{}, "symbolic-ref", "--quiet", "HEAD"); err == nil {
		return out, nil
	}
	return w.refNow(ctx, "HEAD")
}

// stateCommits makes the two commits of the present state. Neither index nor
// files are touched. also are ignored files to have in it.
func (w *writable) stateCommits(ctx context.Context, also []string) (worktree, index string, err error) {
	own := filepath.Join(w.temp, "state-index")
	if err := copyIndex(w.GitDir, own); err != nil {
		return "", "", err
	}
	// An index in conflict cannot be written as a tree: that of the files, which
	// resolve it, stands for it.
	index, indexErr := w.stateCommit(ctx, own, stateIndex)
	if _, err := w.do(ctx, gitCall{index: own}, "add", "-A"); err != nil {
		return "", "", err
	}
	if len(also) > 0 {
		if _, err := w.do(ctx, gitCall{index: own}, append([]string{"add", "-f", "--"}, also...)...); err != nil {
			return "", "", err
		}
	}
	if worktree, err = w.stateCommit(ctx, own, stateWorktree); err == nil && indexErr != nil {
		index, err = w.stateCommit(ctx, own, stateIndex)
	}
	return worktree, index, err
}

func (w *writable) stateCommit(ctx context.Context, index, what string) (string, error) {
	tree, err := w.do(ctx, gitCall{index: index}, "write-tree")
	if err != nil {
		return "", err
	}
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("memls: the %s\n\nHead: %s\n", what, head)
	if policy, found, err := w.Policy(); err == nil && found {
		message += fmt.Sprintf("Policy: %s\n", policy)
	}
	args := []string{"commit-tree", "-F", "-"}
	base, err := w.refNow(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	if base != "" {
		args = append(args, "-p", base)
	}
	return w.do(ctx, gitCall{stdin: []byte(message), env: w.identity(ctx)}, append(args, tree)...)
}

// trailer is the value of a line "Key: value" in a commit's message.
func (w *writable) trailer(ctx context.Context, commit, key string) (string, error) {
	text, err := w.do(ctx, gitCall{}, "cat-file", "commit", commit)
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", err
}
