package lsp

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
)

// marks are what lstat said of files and directories the last time. Comparing
// them finds the changes of other processes that no client reports: clients
// without file watching report none, and Visual Studio Code leaves .git out by
// default. It costs some microseconds per open document, so it is done before
// every judgement. What it cannot see is a file changed in place that is
// neither open nor the index of a directory above an open one; for that there
// are the client's events and, without them, the listing that [repo.refresh]
// does at every request.
type marks map[string]os.FileInfo // nil: not there

// look returns the marks of paths as they are now.
func look(paths []string) marks {
	m := make(marks, len(paths))
	m.look(paths)
	return m
}

func (m marks) look(paths []string) {
	for _, path := range paths {
		if _, ok := m[path]; !ok {
			m[path], _ = os.Lstat(path)
		}
	}
}

// changed are the paths whose marks differ. A path that was not looked at
// before is not among them.
func (m marks) changed(before marks) []string {
	var paths []string
	for path, now := range m {
		if old, known := before[path]; known && !sameMark(old, now) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func sameMark(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// gitPaths are the files of the git directory that a judgement depends on:
// the index, where HEAD points, the policy, and what stands there while an
// operation waits for its end. The branch is one of them, too, see
// [repo.branch]; more than that is not watched.
func gitPaths(g *gitrepo.Repo) []string {
	return append(
		pathsIn(g.GitDir, "index", "HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"),
		pathsIn(g.CommonDir, config.PolicyFile, "config", "packed-refs", "reftable/tables.list", "info/exclude", "info/attributes")...)
}

func pathsIn(dir string, names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return paths
}

// branch is where the branch is that HEAD points to, nothing for none. HEAD is
// read only when it is another one than the last time.
func (r *repo) branch(now marks) []string {
	name := filepath.Join(r.git.GitDir, "HEAD")
	if before, known := r.marks[name]; !known || !sameMark(before, now[name]) {
		r.branchFile = nil
		if ref := symbolicHead(r.git); ref != "" {
			r.branchFile = pathsIn(r.git.CommonDir, ref)
		}
	}
	return r.branchFile
}

// symbolicHead is the name of the branch that HEAD points to, "" for none.
func symbolicHead(g *gitrepo.Repo) string {
	name := filepath.Join(g.GitDir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return ""
	}
	head, err := os.ReadFile(name)
	ref, symbolic := bytes.CutPrefix(head, []byte("ref:"))
	if err != nil || !symbolic || !filepath.IsLocal(string(bytes.TrimSpace(ref))) {
		return ""
	}
	return string(bytes.TrimSpace(ref))
}

// workingPaths are the files and directories that decide about open files:
// the file, and of each directory above it the names in it, its index and what
// git ignores.
func workingPaths(top string, open []string) []string {
	paths := map[string]bool{filepath.Join(top, config.Path): true}
	for _, file := range open {
		paths[filepath.Join(top, filepath.FromSlash(file))] = true
		for dir := file; dir != "."; {
			dir = parentOf(dir)
			abs := filepath.Join(top, filepath.FromSlash(dir))
			if paths[abs] {
				break // and so are those above
			}
			paths[abs] = true
			for _, name := range []string{rules.Index, ".gitignore", ".gitattributes"} {
				paths[filepath.Join(abs, name)] = true
			}
		}
	}
	return slices.Collect(maps.Keys(paths))
}

// parentOf is the directory of a path relative to a repository, "." for the
// top.
func parentOf(path string) string { return filepath.ToSlash(filepath.Dir(filepath.FromSlash(path))) }
