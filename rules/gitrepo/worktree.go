package gitrepo

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/memls/memls/rules/tree"
)

// A Worktree is the working tree as `git add -A` would stage it: tracked
// files, ignored or not, and untracked ones that are not ignored. It never
// changes; Refresh makes the next one.
//
// Modes follow core.fileMode and core.symlinks. Line ends are converted as
// git would when it adds the file. Links are never followed. The OID of a
// file is known when the index vouches for it, by git's own rules. A file in
// conflict has what is on disk and is not marked Unmerged, since adding it
// resolves the conflict.
//
// Not done: clean filters (filter=, such as Git LFS) never run, ident and
// working-tree-encoding are not applied, so that a changed file under one of
// these has its bytes on disk. Of a submodule the OID is the commit in the
// index, not the one that is checked out. Files marked with `git update-index
// --assume-unchanged` are looked at like others, and untracked files outside
// the patterns of a sparse checkout are in the tree.
type Worktree struct {
	// Tree is everything that would be staged. Contents are read from disk
	// when they are asked for.
	Tree *tree.Tree
	// Skipped are paths that git refuses to add, sorted by path.
	Skipped []Skipped

	disk  *disk
	index *Index
	mark  marks
}

// A Skipped is a path that is on disk and cannot be staged.
type Skipped struct {
	Path   string
	Reason string // for a person: "is a pipe, ..."
}

const (
	notAFile = "is a pipe, socket or device, which git does not store"
	noCommit = "is a git repository without a commit, which git does not add"
)

// Worktree lists the working tree. It reads the index, looks at every tracked
// file and starts one git process for the untracked ones; contents are not
// read. The error wraps ErrNoWorktree for a bare repository.
func (r *Repo) Worktree(ctx context.Context) (*Worktree, error) {
	if r.Top == "" {
		return nil, fmt.Errorf("%s: %w; run this where the files are checked out", r.GitDir, ErrNoWorktree)
	}
	return list(ctx, newDisk(ctx, r), nil)
}

// list looks at everything. Files that are known to be the same as in the
// tree before, which may be nil, are taken from there.
func list(ctx context.Context, d *disk, before *tree.Tree) (*Worktree, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type listing struct {
		paths []string
		err   error
	}
	others := make(chan listing, 1)
	go func() {
		paths, err := d.repo.others(ctx, nil)
		others <- listing{paths, err}
	}()
	// The marks come first: what changes after them is seen next time.
	w := &Worktree{disk: d, mark: d.repo.marks()}
	var err error
	if w.index, err = d.repo.worktreeIndex(ctx); err != nil {
		return nil, err
	}
	l := newLook(d, w.index, before)
	if err := l.tracked(ctx, w.index.Entries); err != nil {
		return nil, err
	}
	untracked := <-others
	if untracked.err != nil {
		return nil, untracked.err
	}
	if err := l.untracked(ctx, untracked.paths); err != nil {
		return nil, err
	}
	w.Tree = tree.New(l.files)
	w.Skipped = sortSkipped(l.skipped)
	d.eol.announce(l.regular())
	return w, nil
}

// others lists untracked paths that are not ignored, in all of the tree or
// below roots. A path that ends in a slash is a repository of its own.
func (r *Repo) others(ctx context.Context, roots []string) ([]string, error) {
	args := append([]string{"--literal-pathspecs", "ls-files", "-z", "--others", "--exclude-standard", "--"}, roots...)
	out, err := r.Run(ctx, nil, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// A look collects files as they are on disk.
type look struct {
	disk      *disk
	index     *Index
	emptyBlob tree.OID
	before    *tree.Tree
	files     []*tree.File
	skipped   []Skipped
}

func newLook(d *disk, index *Index, before *tree.Tree) *look {
	return &look{disk: d, index: index, before: before, emptyBlob: tree.HashBlob(nil, d.repo.OIDSize)}
}

// tracked looks at the paths of index entries, which are whole paths (all
// stages) in order.
func (l *look) tracked(ctx context.Context, entries []IndexEntry) error {
	// Looking is waiting for the system: a few at once hide that.
	const chunk = 512
	workers := min(4, runtime.GOMAXPROCS(0), len(entries)/chunk+1)
	parts := make([]look, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range parts {
		parts[i] = look{disk: l.disk, index: l.index, before: l.before, emptyBlob: l.emptyBlob}
		from, to := cut(entries, i, workers), cut(entries, i+1, workers)
		wg.Go(func() { errs[i] = parts[i].entries(ctx, entries[from:to]) })
	}
	wg.Wait()
	for i := range parts {
		if errs[i] != nil {
			return errs[i]
		}
		l.files = append(l.files, parts[i].files...)
		l.skipped = append(l.skipped, parts[i].skipped...)
	}
	return nil
}

// cut is where part i of n begins, moved so that no path is in two parts.
func cut(entries []IndexEntry, i, n int) int {
	at := len(entries) * i / n
	for at > 0 && at < len(entries) && entries[at].Path == entries[at-1].Path {
		at++
	}
	return at
}

func (l *look) entries(ctx context.Context, entries []IndexEntry) error {
	dirs := &realDirs{disk: l.disk, known: map[string]bool{}}
	l.files = make([]*tree.File, 0, len(entries))
	for i := 0; i < len(entries); {
		n := 1
		for i+n < len(entries) && entries[i+n].Path == entries[i].Path {
			n++
		}
		if i%256 < n && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := l.entry(ctx, entries[i:i+n], dirs); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// entry looks at one tracked path, given all its stages.
func (l *look) entry(ctx context.Context, stages []IndexEntry, dirs *realDirs) error {
	e := preferred(stages)
	if e.SkipWorktree {
		l.asStaged(e)
		return nil
	}
	dir, name := splitPath(e.Path)
	if !isName(name) || !dirs.is(dir) {
		return nil
	}
	st, err := lstat(l.disk.path(e.Path))
	switch {
	case err != nil && isGone(err):
	case err != nil:
		// Git cannot look at it either, and leaves the entry as it is.
		l.asStaged(e)
	case st.kind == isDir:
		return l.directory(ctx, e)
	case st.kind == isOther:
		l.skip(e.Path, notAFile)
	default:
		return l.file(e.Path, e, storedOID(stages), st)
	}
	return nil
}

// untracked looks at paths that git listed.
func (l *look) untracked(ctx context.Context, paths []string) error {
	for i, path := range paths {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if repo, ok := strings.CutSuffix(path, "/"); ok {
			if err := l.nested(ctx, repo); err != nil {
				return err
			}
			continue
		}
		st, err := lstat(l.disk.path(path))
		if err != nil || st.kind == isDir || st.kind == isOther {
			continue // not what it was when git saw it
		}
		if err := l.file(path, nil, "", st); err != nil {
			return err
		}
	}
	return nil
}

// directory looks at a directory where the index has a file or a submodule,
// checked out or not. Git does not list it as untracked when it has become a
// repository, but adds it.
func (l *look) directory(ctx context.Context, e *IndexEntry) error {
	if e.Mode == tree.Gitlink {
		l.asStaged(e)
		return nil
	}
	if _, err := lstat(l.disk.path(e.Path) + "/.git"); err != nil {
		return nil
	}
	return l.nested(ctx, e.Path)
}

// nested adds a repository inside the working tree, as git does if it has a
// commit to point to.
func (l *look) nested(ctx context.Context, path string) error {
	// The variables that name our repository must not name that one, and a
	// damaged one must not lead to ours.
	env := append(environment(l.disk.repo.env, false), "GIT_DIR="+l.disk.path(path)+"/.git")
	_, err := output(ctx, gitCommand(ctx, l.disk.path(path), env, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.skip(path, noCommit)
		return nil
	}
	l.files = append(l.files, tree.NewFile(l.keep(path), tree.Gitlink, "", nil))
	return nil
}

// file adds a file or link; e is its index entry or nil.
func (l *look) file(path string, e *IndexEntry, staged tree.OID, st fileStat) error {
	mode, err := l.disk.mode(e, st)
	if err != nil {
		return err
	}
	var oid tree.OID
	if e != nil && isClean(e, st, mode, l.index.ModTime, l.emptyBlob) {
		oid = e.OID
		if f := l.before.File(path); f != nil && f.OID == oid && f.Mode == mode {
			l.files = append(l.files, f)
			return nil
		}
	}
	content := &diskFile{disk: l.disk, kind: st.kind, staged: tree.OID(l.keep(string(staged)))}
	l.files = append(l.files, tree.NewFile(l.keep(path), mode, tree.OID(l.keep(string(oid))), content))
	return nil
}

// asStaged adds what the index has.
func (l *look) asStaged(e *IndexEntry) {
	path, oid := l.keep(e.Path), tree.OID(l.keep(string(e.OID)))
	l.files = append(l.files, tree.NewFile(path, e.Mode, oid, l.disk.repo.content(e.Mode)))
}

func (l *look) skip(path, reason string) {
	l.skipped = append(l.skipped, Skipped{Path: l.keep(path), Reason: reason})
}

// keep copies a string that is part of a large one (the index, a listing), so
// that one file of an old tree does not hold all of it in memory. The strings
// of a first listing live as long as the listing anyway.
func (l *look) keep(s string) string {
	if l.before == nil {
		return s
	}
	return strings.Clone(s)
}

// regular are the paths whose line ends may have to be converted.
func (l *look) regular() []string {
	paths := make([]string, 0, len(l.files))
	for _, f := range l.files {
		if f.OID == "" && f.Mode.IsRegular() {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func sortSkipped(s []Skipped) []Skipped {
	slices.SortFunc(s, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return s
}
