package lsp

import (
	"context"
	"strings"
	"sync"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A symbolIndex knows what the files of a memory call themselves. It follows
// trees: a search of another tree than the last reads what the two do not share.
type symbolIndex struct {
	mu    sync.Mutex
	tree  *tree.Tree // the last one that was taken in as a whole
	files map[*tree.File]symbolFile
}

// A symbolFile is a file as it is searched for.
type symbolFile struct {
	name         string
	lower, path  string // the name and the path in lower case
	inName, both letters
}

func newSymbolFile(path string, src []byte) symbolFile {
	name := nameOf(path, src)
	s := symbolFile{name: name, lower: strings.ToLower(name), path: strings.ToLower(path)}
	s.inName = lettersOf(s.lower)
	s.both = s.inName | lettersOf(s.path)
	return s
}

// see takes in a file that somebody else has read, before a tree was taken in as
// a whole.
func (x *symbolIndex) see(f *tree.File, src []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tree != nil {
		return
	}
	if x.files == nil {
		x.files = map[*tree.File]symbolFile{}
	}
	x.files[f] = newSymbolFile(f.Path, src)
}

// search calls each for every file of the tree that fits a query, by its name
// or its path, in no particular order. The only errors are ctx's and the tree's.
func (x *symbolIndex) search(ctx context.Context, t *tree.Tree, query string, progress *progress, each func(f *tree.File, name string, score int)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, t, progress); err != nil {
		return err
	}
	query = strings.ToLower(query)
	wanted := lettersOf(query)
	for f, s := range x.files {
		if !s.both.hold(wanted) {
			continue
		}
		score, ok := 0, false
		if s.inName.hold(wanted) {
			score, ok = fuzzy(query, s.lower)
		}
		if byPath, fits := fuzzy(query, s.path); fits && (!ok || byPath < score) {
			score, ok = byPath, true
		}
		if ok {
			each(f, s.name, score)
		}
	}
	return nil
}

// warmUp takes a tree in unless a search was here first.
func (x *symbolIndex) warmUp(ctx context.Context, t *tree.Tree) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tree != nil {
		return nil
	}
	return x.follow(ctx, t, nil)
}

// follow takes a tree in. What was read when ctx ends is kept.
func (x *symbolIndex) follow(ctx context.Context, t *tree.Tree, progress *progress) error {
	if x.files == nil {
		x.files = map[*tree.File]symbolFile{}
	}
	var added []*tree.File
	tree.Diff(x.tree, t, func(before, after *tree.File) {
		delete(x.files, before)
		if _, known := x.files[after]; !known && after != nil && rules.IsMarkdown(after.Path) && after.Mode.IsRegular() {
			added = append(added, after)
		}
	})
	if x.tree == nil { // what was seen may be of another tree
		for f := range x.files {
			if t.File(f.Path) != f {
				delete(x.files, f)
			}
		}
	}
	x.tree = nil
	for i, f := range added {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.report(i, len(added))
		src, err := f.Bytes()
		if err != nil {
			src = nil // judging says what is wrong with the file
		}
		x.files[f] = newSymbolFile(f.Path, src)
	}
	if err := t.Err(); err != nil {
		return err
	}
	x.tree = t
	return ctx.Err()
}

// letters is the set of bytes of a text, some of which share a bit: it tells of
// most texts that they lack a letter of the query without looking at them.
type letters uint64

func lettersOf(s string) (set letters) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

func (l letters) hold(wanted letters) bool { return wanted&^l == 0 }
