package agentcli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// The names of trees that are no revisions.
const (
	atWorktree = "worktree"
	atStaged   = "staged"
	atHead     = "head"
)

// Where the policy comes from, as reports name it.
const (
	policyFromFile   = "file"
	policyFromMarker = "marker"
	policyFromFlag   = "flag"
)

// A target is one tree of a repository, ready to be judged.
type target struct {
	repo *repository
	view *rules.View
	// at is worktree, staged, head or a revision as it was given.
	at string
	// commit is set for head and revisions that name a commit.
	commit tree.OID
	// policySource is file, marker or flag.
	policySource string
	// worktree is set when at is worktree.
	worktree *gitrepo.Worktree
}

// errNoCommit is for a look at the last commit before there is one.
var errNoCommit = errors.New("there is no commit yet")

// withAt adds what helps in a bare repository, for commands that have --at.
func withAt(err error) error {
	if errors.Is(err, gitrepo.ErrNoWorktree) {
		return fmt.Errorf("%w, or use --at head", err)
	}
	return err
}

// look prepares the judgement of a tree. policy is "" or the word of a flag.
func (a *app) look(ctx context.Context, repo *repository, at, policy string) (*target, error) {
	t := &target{repo: repo, at: at}
	s := rules.Snapshot{Parsers: parsers.New(), ApproveConfig: config.Approved(a.env.Getenv)}
	if err := t.read(ctx, &s); err != nil {
		return nil, err
	}
	var err error
	if s.Policy, t.policySource, err = repo.policy(policy, s); err != nil {
		return nil, err
	}
	t.view = rules.NewView(s)
	return t, nil
}

func (t *target) read(ctx context.Context, s *rules.Snapshot) (err error) {
	s.Load = t.load
	switch t.at {
	case atWorktree:
		s.Load = nil // from disk, file by file
		if t.worktree, err = t.repo.Worktree(ctx); err != nil {
			return err
		}
		s.Tree = readOnce(t.worktree.Tree)
		if s.Staged, err = t.repo.Staged(ctx); err != nil {
			return err
		}
	case atStaged:
		if s.Tree, err = t.repo.Staged(ctx); err != nil {
			return err
		}
		// Where nothing is ever staged, an empty tree is not one to be judged.
		if t.repo.Top == "" && s.Tree.Len() == 0 {
			return fmt.Errorf("%s: %w and nothing staged; run this where the files are checked out", t.repo.GitDir, gitrepo.ErrNoWorktree)
		}
	default:
		s.Committed = true
		return t.readRevision(ctx, s)
	}
	if s.Head, err = t.repo.Head(ctx); err != nil {
		return err
	}
	state, err := t.repo.State(ctx)
	s.Unfinished = state.String()
	return err
}

func (t *target) readRevision(ctx context.Context, s *rules.Snapshot) (err error) {
	rev := t.at
	if t.at == atHead {
		rev = "HEAD"
		switch head, err := t.repo.Head(ctx); {
		case err != nil:
			return err
		case head == nil:
			return errNoCommit
		}
	}
	s.Tree, t.commit, err = t.repo.Revision(ctx, rev)
	return err
}

// load reads files of the object database, noting their sizes on the way.
func (t *target) load(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
	return t.repo.LoadFiles(ctx, files, func(f *tree.File, src []byte) {
		noteSize(f, src)
		each(f, src)
	})
}

// policy is the policy in force and where it comes from. A root index that is
// only in the last commit counts as a marker too: deleting it does not switch
// the rules off, with the hook or without.
func (r *repository) policy(flag string, s rules.Snapshot) (config.Policy, string, error) {
	if flag != "" {
		return config.Policy(flag), policyFromFlag, nil
	}
	p, found, err := r.Policy()
	switch {
	case err != nil:
		return "", "", err
	case found:
		return p, policyFromFile, nil
	case !s.Tree.Has(rules.Index) && s.Head.Has(rules.Index):
		return rules.PolicyFor(p, false, s.Head), policyFromMarker, nil
	}
	return rules.PolicyFor(p, false, s.Tree), policyFromMarker, nil
}

// isMemory reports whether the repository is, or is to be, one of memory.
func (t *target) isMemory() bool {
	v := t.view
	if t.policySource != policyFromMarker || v.Policy != config.LegacyOnly || v.Tree.Has(config.Path) {
		return true
	}
	for f := range v.Tree.All() {
		if rules.IsLegacy(f.Path) {
			return true
		}
	}
	return false
}

// layout is the layout whose rules hold.
func (t *target) layout() string {
	if t.view.V2Front {
		return "v2"
	}
	return "v1"
}

// readOnce is the tree with every file read from disk at most once, so that a
// run judges, shows and changes one and the same text.
func readOnce(t *tree.Tree) *tree.Tree {
	files := make([]*tree.File, 0, t.Len())
	for f := range t.All() {
		once := onceContent(sync.OnceValues(f.Bytes))
		c := tree.NewFile(f.Path, f.Mode, f.OID, once)
		c.Unmerged, c.IntentToAdd = f.Unmerged, f.IntentToAdd
		files = append(files, c)
	}
	return tree.New(files)
}

type onceContent func() ([]byte, error)

// Read returns what the first reading gave. The path, which tree adds to
// errors again, is taken off.
func (c onceContent) Read(*tree.File) ([]byte, error) {
	b, err := c()
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return b, err
}
