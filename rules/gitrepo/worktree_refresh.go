package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// maxRoots and maxRootBytes bound the paths that are looked at one by one;
// with more, listing everything is the faster way, and the names fit on a
// command line of any system.
const (
	maxRoots     = 500
	maxRootBytes = 16 << 10
)

// Refresh returns the working tree with paths looked at again: files or
// directories that were created, changed, deleted or replaced, relative to
// the top level, with '/'. Files that did not change are shared with w.
//
// It costs in proportion to paths and what is below them, with at most one
// git process for all of them (none for tracked files), and one more per
// repository found inside the tree. A changed index is noticed without being
// named, and costs one reading and a look at the paths that differ. All of
// the tree is listed again when "" or "." is named, when hundreds of paths
// are, and when line ends or ignore rules changed for all of it: the top
// .gitignore, any .gitattributes, configuration and info/exclude of the git
// directory. Files outside the repository, such as core.excludesFile, are not
// watched.
func (w *Worktree) Refresh(ctx context.Context, paths []string) (*Worktree, error) {
	next := &Worktree{disk: w.disk, index: w.index, mark: w.disk.repo.marks()}
	roots, attributes, all := changedRoots(paths)
	if attributes || !unchanged(w.mark.config, next.mark.config) || !unchanged(w.mark.attributes, next.mark.attributes) {
		return list(ctx, newDisk(ctx, w.disk.repo), w.Tree)
	}
	if all || !unchanged(w.mark.exclude, next.mark.exclude) {
		return list(ctx, w.disk, w.Tree)
	}
	if !unchanged(w.mark.index, next.mark.index) {
		var err error
		if next.index, err = w.disk.repo.worktreeIndex(ctx); err != nil {
			return nil, err
		}
		roots = append(roots, changedEntries(w.index, next.index)...)
	}
	roots = w.anchored(next.index, roots)
	if len(roots) > maxRoots || len(strings.Join(roots, " ")) > maxRootBytes {
		return list(ctx, w.disk, w.Tree)
	}
	if err := w.lookAt(ctx, next, roots); err != nil {
		return nil, err
	}
	if !slices.Equal(w.attributesUnder(roots), next.attributesUnder(roots)) {
		return list(ctx, newDisk(ctx, w.disk.repo), w.Tree)
	}
	return next, nil
}

// changedRoots turns the paths that a caller names into those to look at.
func changedRoots(paths []string) (roots []string, attributes, all bool) {
	for _, path := range paths {
		path = strings.Trim(path, "/")
		if path == "" || path == "." {
			return nil, attributes, true
		}
		root, ok := outsideGit(path)
		if !ok {
			continue
		}
		switch dir, name := splitPath(root); name {
		case ".gitattributes":
			return nil, true, true
		case ".gitignore":
			// Its rules are about everything beside and below it.
			if root = dir; root == "" {
				all = true
			}
		}
		roots = append(roots, root)
	}
	return roots, attributes, all
}

// outsideGit cuts a path before a ".git" in it: what changes in there can
// make the directory around it a repository or stop it from being one. Our
// own git directory is not part of the working tree, nor is what a path with
// ".." leads to.
func outsideGit(path string) (root string, ok bool) {
	at := 0
	for segment := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(segment, ".git") {
			return strings.TrimSuffix(path[:at], "/"), at > 0
		}
		if !isName(segment) {
			return "", false
		}
		at += len(segment) + 1
	}
	return path, true
}

// changedEntries are the paths whose entries differ in any way, or that were
// racily clean and need not be so any more.
func changedEntries(before, after *Index) []string {
	var paths []string
	a, b := before.Entries, after.Entries
	byPlace := func(x, y *IndexEntry) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Stage, y.Stage))
	}
	for len(a) > 0 && len(b) > 0 {
		switch c := byPlace(&a[0], &b[0]); {
		case c < 0:
			paths, a = append(paths, a[0].Path), a[1:]
		case c > 0:
			paths, b = append(paths, b[0].Path), b[1:]
		default:
			if a[0] != b[0] || isRacy(&a[0], before.ModTime) {
				paths = append(paths, a[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	for _, e := range slices.Concat(a, b) {
		paths = append(paths, e.Path)
	}
	return paths
}

// anchored moves each root up to the first directory above it that is no
// plain directory of the tree, before or now: a path below a file, a link, a
// submodule or nothing stands or falls with that. It drops roots that are
// below others.
func (w *Worktree) anchored(index *Index, roots []string) []string {
	seen := map[string]bool{} // whether a directory is a plain one
	plain := func(dir string) bool {
		p, ok := seen[dir]
		if !ok {
			st, err := lstat(w.disk.path(dir))
			p = err == nil && st.kind == isDir && !w.Tree.Has(dir) && !w.skips(dir) && len(index.at(dir)) == 0
			if p && len(index.below(dir)) == 0 {
				// Git looks for tracked files even in what became a repository.
				_, err := lstat(w.disk.path(dir + "/.git"))
				p = err != nil
			}
			seen[dir] = p
		}
		return p
	}
	anchors := make([]string, 0, len(roots))
	for _, root := range roots {
		for i := 0; i < len(root); i++ {
			if root[i] == '/' && !plain(root[:i]) {
				root = root[:i]
			}
		}
		anchors = append(anchors, root)
	}
	slices.Sort(anchors)
	anchors = slices.Compact(anchors)
	chosen := make(map[string]bool, len(anchors))
	for _, a := range anchors {
		chosen[a] = true
	}
	return slices.DeleteFunc(anchors, func(a string) bool {
		for i := range len(a) {
			if a[i] == '/' && chosen[a[:i]] {
				return true
			}
		}
		return false
	})
}

// below are the entries inside a directory.
func (x *Index) below(dir string) []IndexEntry {
	// '0' is the byte after '/'.
	byPath := func(e IndexEntry, path string) int { return cmp.Compare(e.Path, path) }
	from, _ := slices.BinarySearchFunc(x.Entries, dir+"/", byPath)
	to, _ := slices.BinarySearchFunc(x.Entries, dir+"0", byPath)
	return x.Entries[from:to]
}

// under yields the files at and below roots.
func (w *Worktree) under(roots []string) iter.Seq[*tree.File] {
	return func(yield func(*tree.File) bool) {
		for _, root := range roots {
			if f := w.Tree.File(root); f != nil && !yield(f) {
				return
			}
			for f := range w.Tree.Dir(root).All() {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// attributesUnder are the attributes files at and below roots. One that
// changed is another *File.
func (w *Worktree) attributesUnder(roots []string) (files []*tree.File) {
	for f := range w.under(roots) {
		if f.Name() == ".gitattributes" {
			files = append(files, f)
		}
	}
	return files
}

// lookAt fills next, which is w but for what is at and below roots.
func (w *Worktree) lookAt(ctx context.Context, next *Worktree, roots []string) error {
	l := newLook(w.disk, next.index, w.Tree)
	var ask, known []string
	for _, root := range roots {
		at := next.index.at(root)
		if err := errors.Join(l.tracked(ctx, at), l.tracked(ctx, next.index.below(root))); err != nil {
			return err
		}
		st, err := lstat(w.disk.path(root))
		switch isFile := err == nil && st.kind != isDir; {
		case err != nil && isGone(err), isFile && len(at) > 0:
			// Nothing untracked can be there.
		case isFile && w.hasUntracked(root):
			known = append(known, root) // not ignored before, nor now
		default:
			ask = append(ask, root)
		}
	}
	if len(ask) > 0 {
		untracked, err := w.disk.repo.others(ctx, ask)
		if err != nil {
			return err
		}
		known = append(known, untracked...)
	}
	if err := l.untracked(ctx, known); err != nil {
		return err
	}
	w.merge(next, l, roots)
	return nil
}

// hasUntracked reports whether the path was an untracked file.
func (w *Worktree) hasUntracked(path string) bool {
	f := w.Tree.File(path)
	return f != nil && f.Mode != tree.Gitlink && len(w.index.at(path)) == 0
}

func (w *Worktree) skips(path string) bool {
	return slices.ContainsFunc(w.Skipped, func(s Skipped) bool { return s.Path == path })
}

// merge puts what was found in place of what was there.
func (w *Worktree) merge(next *Worktree, l *look, roots []string) {
	found := make(map[string]bool, len(l.files))
	for _, f := range l.files {
		found[f.Path] = true
	}
	var gone []string
	for f := range w.under(roots) {
		if !found[f.Path] {
			gone = append(gone, f.Path)
		}
	}
	next.Tree = w.Tree.With(l.files, gone...)
	w.disk.eol.announce(l.regular())

	looked := make(map[string]bool, len(roots))
	for _, root := range roots {
		looked[root] = true
	}
	stale := func(s Skipped) bool {
		for i := range len(s.Path) {
			if s.Path[i] == '/' && looked[s.Path[:i]] {
				return true
			}
		}
		return looked[s.Path]
	}
	next.Skipped = sortSkipped(append(slices.DeleteFunc(slices.Clone(w.Skipped), stale), l.skipped...))
}
