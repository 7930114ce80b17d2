package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// ErrNoRevision is wrapped by the error for a name that git does not know.
var ErrNoRevision = errors.New("unknown revision")

// Head is the tree of the last commit, read lazily; nil when there is no
// commit yet. Damage met later is in the tree's Err.
func (r *Repo) Head(ctx context.Context) (*tree.Tree, error) {
	commit, err := r.headCommit(ctx)
	if err != nil || commit == "" {
		return nil, err
	}
	t, _, err := r.treeOf(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("cannot read HEAD: %w", err)
	}
	return t, nil
}

// Revision is the tree of anything that git understands as the name of one
// commit, tag or tree (gitrevisions(7)). commit is empty when rev names a tree
// as such ("HEAD:notes"). An unknown name wraps ErrNoRevision.
func (r *Repo) Revision(ctx context.Context, rev string) (t *tree.Tree, commit tree.OID, err error) {
	// No revision starts with a dash; to git it would be an option.
	if rev == "" || strings.HasPrefix(rev, "-") || strings.Contains(rev, "\x00") {
		return nil, "", fmt.Errorf("%w %q", ErrNoRevision, rev)
	}
	oid, err := r.revParse(ctx, rev)
	if err != nil {
		return nil, "", err
	}
	t, commit, err = r.treeOf(ctx, oid)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read revision %q: %w", rev, err)
	}
	return t, commit, nil
}

func (r *Repo) revParse(ctx context.Context, rev string) (tree.OID, error) {
	out, err := r.Run(ctx, nil, "rev-parse", "--verify", rev)
	var git *GitError
	if errors.As(err, &git) && git.kind == nil && ctx.Err() == nil {
		return "", fmt.Errorf("%w %q: %w", ErrNoRevision, rev, err)
	}
	if err != nil {
		return "", err
	}
	oid, err := tree.ParseOID(strings.TrimSuffix(string(out), "\n"))
	if err != nil { // "^HEAD" and the like
		return "", fmt.Errorf("%w %q: it does not name one commit", ErrNoRevision, rev)
	}
	return oid, nil
}

// maxPeel bounds how many tags may stand in front of a commit.
const maxPeel = 16

// treeOf follows tags and a commit to their tree.
func (r *Repo) treeOf(ctx context.Context, oid tree.OID) (t *tree.Tree, commit tree.OID, err error) {
	for range maxPeel {
		kind, data, err := r.anyObject(ctx, oid)
		if err != nil {
			return nil, "", &ObjectError{oid, err}
		}
		field := ""
		switch kind {
		case "tree":
			return r.lazyTree(oid), commit, nil
		case "commit":
			commit, field = oid, "tree "
		case "tag":
			field = "object "
		default:
			return nil, "", &ObjectError{oid, fmt.Errorf("is a %s; name a commit or a directory", kind)}
		}
		line, _, _ := strings.Cut(string(data), "\n")
		next, ok := strings.CutPrefix(line, field)
		if !ok {
			return nil, "", &ObjectError{oid, fmt.Errorf("is a damaged %s", kind)}
		}
		if oid, err = tree.ParseOID(next); err != nil {
			return nil, "", &ObjectError{oid, fmt.Errorf("is a damaged %s: %w", kind, err)}
		}
	}
	return nil, "", &ObjectError{oid, fmt.Errorf("is behind more than %d tags", maxPeel)}
}
