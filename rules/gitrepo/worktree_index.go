package gitrepo

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// preferred is the entry that git takes a path's mode from when its conflict
// is resolved by adding: ours, else the base, else theirs.
func preferred(stages []IndexEntry) *IndexEntry {
	for i := range stages {
		if stages[i].Stage == 2 {
			return &stages[i]
		}
	}
	return &stages[0]
}

// storedOID is the blob that decides whether CRLF is kept: the entry's, or
// ours in a conflict, "" for none.
func storedOID(stages []IndexEntry) tree.OID {
	for _, e := range stages {
		if (e.Stage == 0 || e.Stage == 2) && !e.IntentToAdd && e.Mode != tree.Gitlink {
			return e.OID
		}
	}
	return ""
}

// at returns the stages of a path.
func (x *Index) at(path string) []IndexEntry {
	i, _ := slices.BinarySearchFunc(x.Entries, path, func(e IndexEntry, path string) int { return cmp.Compare(e.Path, path) })
	n := i
	for n < len(x.Entries) && x.Entries[n].Path == path {
		n++
	}
	return x.Entries[i:n]
}

// worktreeIndex reads the index with the marks that decide what is in the
// working tree. Index leaves them out when git had to read the file, which is
// just what a sparse index needs.
func (r *Repo) worktreeIndex(ctx context.Context) (*Index, error) {
	index, err := r.Index(ctx)
	if err != nil || len(index.Entries) == 0 || !index.ModTime.IsZero() {
		return index, err
	}
	out, err := r.Run(ctx, nil, "ls-files", "-t", "-z")
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		if path, ok := strings.CutPrefix(record, "S "); ok {
			skip[path] = true
		}
	}
	for i := range index.Entries {
		index.Entries[i].SkipWorktree = skip[index.Entries[i].Path]
	}
	return index, nil
}

// marks tell whether files of the git directory changed that the listing
// depends on.
type marks struct {
	index os.FileInfo
	// config and attributes decide about modes and line ends, exclude about
	// what is ignored.
	config, attributes, exclude os.FileInfo
}

func (r *Repo) marks() marks {
	// What cannot be looked at is nil, which compares well.
	stat := func(path string) os.FileInfo { info, _ := os.Stat(path); return info }
	return marks{
		index: stat(r.index), config: stat(r.CommonDir + "/config"),
		attributes: stat(r.CommonDir + "/info/attributes"), exclude: stat(r.CommonDir + "/info/exclude"),
	}
}

func unchanged(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
