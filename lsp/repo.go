package lsp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// A repo is a memory repository with open documents. What is known of it is
// replaced, never modified: a judgement holds on to the state it began with.
type repo struct {
	git      *gitrepo.Repo
	dotGit   os.FileInfo // of Top/.git: the repository is another one when this is
	gitFiles []string    // see gitPaths
	log      *slog.Logger
	encoding wire.PositionEncoding
	approved bool
	settings func() *settings
	tell     func(error) // see session

	// graph knows the links of the trees that are judged. It is filled in the
	// background, until stop.
	graph *rules.Graph
	// symbols is filled after it.
	symbols symbolIndex
	warm    sync.Once
	stop    context.CancelFunc

	mu      sync.Mutex
	state   *repoState // nil before the first success
	open    []string   // the files for which watched is
	watched []string   // what the marks are of, but for the branch
	marks   marks
	// branchFile is where HEAD points, as of the marks or later.
	branchFile []string
	overlay    *overlay
	judging    *judging
	before     *judging // the last one of a tree with a path that the next had not
	lastErr    string
	stale      []string // paths in the tree that events named
	restated   bool     // an event was about the git directory
}

// repoState is what a judgement needs beside the open documents.
type repoState struct {
	worktree     *gitrepo.Worktree
	head, staged *tree.Tree
	policy       config.Policy
	policyFound  bool
	unfinished   string
}

// A judging is one state of a repository that is judged: a view, and the
// findings about the whole tree, which all open documents share.
type judging struct {
	state    *repoState
	overlay  *overlay
	view     *rules.View
	settings *settings
	closed   *closedReports
	shared   sharedFindings
	whole    func() ([]rules.Finding, error)
}

// judge returns the judgement of the repository with documents, given by
// their paths in it, laid over the working tree. relist looks at the whole
// working tree, for clients that do not tell of changes.
func (r *repo) judge(ctx context.Context, docs map[string]*document, relist bool) (*judging, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx, docs, relist); err != nil {
		return nil, err
	}
	// What git is asked for here is kept: a request that is cancelled must not
	// leave half an answer.
	r.overlay = r.overlay.over(context.WithoutCancel(ctx), r.git, r.state.worktree, docs, r.encoding)
	settings := r.settings()
	if j := r.judging; j != nil && j.state == r.state && j.overlay == r.overlay && j.settings == settings {
		return j, nil
	}
	t := r.overlay.tree
	view := rules.NewView(rules.Snapshot{
		Parsers: parsers.New(), Links: r.graph,
		Tree: t, Head: r.state.head, Staged: r.state.staged,
		Policy:        settings.policyFor(r.state, t),
		ApproveConfig: r.approved, Unfinished: r.state.unfinished,
	})
	if r.judging != nil && lost(r.judging.view.Tree, t) {
		r.before = r.judging
	}
	closed := r.judging.closedFor(r.state, r.overlay, settings)
	r.judging = &judging{state: r.state, overlay: r.overlay, view: view, settings: settings, closed: closed, whole: sync.OnceValues(view.JudgeTree)}
	return r.judging, nil
}

// lost reports whether a path of a tree is not in the next.
func lost(before, after *tree.Tree) (lost bool) {
	tree.Diff(before, after, func(_, after *tree.File) { lost = lost || after == nil })
	return lost
}

// heldLast is the last view of the file or directory before it got its new path,
// of the last commit when it is not remembered; nil when it is not there either.
func (r *repo) heldLast(renamed rules.Rename) *rules.View {
	r.mu.Lock()
	defer r.mu.Unlock()
	var views []*rules.View
	for _, j := range []*judging{r.judging, r.before} {
		if j != nil {
			views = append(views, j.view)
		}
	}
	if r.state != nil && r.state.head != nil {
		head := r.state.head
		policy := r.settings().policyFor(r.state, head)
		views = append(views, rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: head, Head: head, Policy: policy}))
	}
	for _, v := range views {
		has := func(path string) bool { return v.Tree.Has(path) || v.Tree.Dir(path) != nil }
		// A judgement in the middle of the rename may have seen both.
		if has(renamed.From) && !has(renamed.To) {
			return v
		}
	}
	return nil
}

// refresh brings the state up to date with the disk.
func (r *repo) refresh(ctx context.Context, docs map[string]*document, relist bool) error {
	if open := slices.Sorted(maps.Keys(docs)); r.watched == nil || !slices.Equal(open, r.open) {
		r.open, r.watched = open, append(workingPaths(r.git.Top, open), r.gitFiles...)
	}
	// The marks come first: what changes after them is seen next time.
	now := look(r.watched)
	branch := r.branch(now)
	now.look(branch)
	if r.state == nil {
		state, err := r.load(ctx)
		if err != nil {
			return err
		}
		r.state, r.marks, r.stale, r.restated = state, now, nil, false
		return nil
	}
	paths, gitChanged := slices.Clone(r.stale), r.restated
	for _, path := range now.changed(r.marks) {
		if slices.Contains(r.gitFiles, path) || slices.Contains(branch, path) {
			gitChanged = true
		} else if rel, ok := r.relative(path); ok {
			paths = append(paths, rel)
		}
	}
	if relist {
		paths = []string{"."}
	}
	next := *r.state
	if gitChanged {
		if err := next.loadGit(ctx, r.git); err != nil {
			return err
		}
	}
	if gitChanged || len(paths) > 0 {
		w, err := r.state.worktree.Refresh(ctx, paths)
		if err != nil {
			return err
		}
		next.worktree = w
		r.state = &next
	}
	r.marks, r.stale, r.restated = now, nil, false
	return nil
}

func (r *repo) load(ctx context.Context) (*repoState, error) {
	s := &repoState{}
	if err := s.loadGit(ctx, r.git); err != nil {
		return nil, err
	}
	var err error
	s.worktree, err = r.git.Worktree(ctx)
	return s, err
}

// loadGit reads what comes from the git directory.
func (s *repoState) loadGit(ctx context.Context, g *gitrepo.Repo) error {
	operation, err := g.State(ctx)
	if err != nil {
		return err
	}
	s.unfinished = operation.String()
	if s.policy, s.policyFound, err = g.Policy(); err != nil {
		return err
	}
	if s.head, err = g.Head(ctx); err != nil {
		return err
	}
	s.staged, err = g.Staged(ctx)
	return err
}

// isMemory reports whether the repository holds memory, from what is on disk
// and open alone: a large repository of another kind is never listed.
func (r *repo) isMemory(docs map[string]*document) bool {
	for _, name := range []string{rules.Index, config.Path} {
		if docs[name] != nil || exists(r.git, name) {
			return true
		}
	}
	_, err := os.Lstat(filepath.Join(r.git.CommonDir, config.PolicyFile))
	return err == nil
}

// touch notes that files changed on disk, by their absolute paths.
func (r *repo) touch(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range paths {
		if rel, ok := r.relative(path); ok {
			r.stale = append(r.stale, rel)
		} else if within(path, r.git.GitDir) || within(path, r.git.CommonDir) {
			r.restated = true
		}
	}
}

// relative is the path in the working tree, "." for all of it; ok is false
// outside of it and inside .git.
func (r *repo) relative(abs string) (path string, ok bool) {
	rel, err := filepath.Rel(r.git.Top, abs)
	if err != nil || rel != "." && !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	first, _, _ := strings.Cut(rel, "/")
	return rel, !strings.EqualFold(first, ".git")
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// complain logs an error, and tells the user of it, unless it is the one of the
// last time: what is wrong stays wrong at every keystroke. Whoever meets it first
// says it, so it must be said here.
func (r *repo) complain(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	r.mu.Lock()
	known := r.lastErr == err.Error()
	r.lastErr = err.Error()
	r.mu.Unlock()
	if known {
		return
	}
	r.log.Warn("cannot judge", "repository", r.git.Top, "error", err)
	r.tell(err)
}

// warmUp reads the links of the tree, and what its files call themselves, while
// nobody waits for them.
func (r *repo) warmUp(ctx context.Context, t *tree.Tree) {
	r.warm.Do(func() {
		ctx, r.stop = context.WithCancel(ctx)
		go func() {
			if err := r.graph.Follow(ctx, t); err != nil {
				r.log.Debug("links not read", "repository", r.git.Top, "error", err)
			}
			if err := r.symbols.warmUp(ctx, t); err != nil {
				r.log.Debug("names not read", "repository", r.git.Top, "error", err)
			}
		}()
	})
}

func (r *repo) close() {
	// Waits for a warm-up that begins, and lets none begin later.
	if r.warm.Do(func() {}); r.stop != nil {
		r.stop()
	}
	if err := r.git.Close(); err != nil {
		r.log.Debug("closing", "repository", r.git.Top, "error", err)
	}
}
