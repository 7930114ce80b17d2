package rules

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// A Graph finds the links that lead to a file. Of each file it keeps where its
// links stand and how they are written, some eighty bytes a link; what they
// lead to is asked of [Resolve] at each question, since a file that appears
// elsewhere can change it. So the graph never says anything else than Resolve.
//
// It follows trees: a question about another tree than the last costs what the
// two do not share. It may be used by several goroutines, also with different
// trees.
type Graph struct {
	// Seen, if set, is called for every file that is read, so that whoever else
	// wants to know something of all files need not read them again. It must be
	// safe for concurrent use and may not keep src.
	Seen func(f *tree.File, src []byte)

	parsers *Parsers
	waiting atomic.Int32 // how many wait for an answer

	turn  chan struct{} // holds a token while nobody works on what is below
	tree  *tree.Tree    // the last one that was taken in as a whole
	loose []*tree.File  // taken in after that, by a run that was cancelled
	links map[*tree.File]*fileLinks
	from  map[linkKey][]*tree.File
}

// A Ref is a link to what was asked for, or the definition that reference
// links take their target from.
type Ref struct {
	// From holds the link.
	From *tree.File
	// Link is the link without its title, label and text. Of a definition the
	// Span is the definition, and Kind is [markdown.Reference].
	Link       markdown.Link
	Definition bool
	Target     Target
	// Place is where the Span stands, nil where only the text can tell.
	Place *Place
}

// NewGraph returns a graph that knows of no file yet: the first question reads
// them all.
func NewGraph(parsers *Parsers) *Graph {
	g := &Graph{parsers: parsers, turn: make(chan struct{}, 1), links: map[*tree.File]*fileLinks{}, from: map[linkKey][]*tree.File{}}
	g.turn <- struct{}{}
	return g
}

// To returns the links of the tree that lead to a path, by the path of the
// file that they stand in and their place: to the file or to the directory at
// the path, or to nothing where nothing is there. A link to a directory leads
// to its index, too. A file that cannot be read has no links.
//
// The only error is ctx's. What was read until then is kept.
func (g *Graph) To(ctx context.Context, t *tree.Tree, path string) ([]Ref, error) {
	if err := g.hurry(ctx, t); err != nil {
		return nil, err
	}
	defer g.leave()
	keys := keysOfTarget(path)
	var files []*tree.File
	for _, key := range keys {
		files = append(files, g.from[key]...)
	}
	slices.SortFunc(files, func(a, b *tree.File) int { return cmp.Compare(a.Path, b.Path) })
	files = slices.Compact(files)
	refs := make([]Ref, 0, len(files))
	for _, f := range files {
		of := len(refs)
		refs = g.links[f].to(refs, t, f, path, keys)
		sortRefs(refs[of:])
	}
	return refs, ctx.Err()
}

// Near returns the links that a change of what is at some paths may concern:
// those that lead to one of them, or may when something else is there, and all
// that stand in the files at the paths in. Their Target is left to be found.
func (g *Graph) Near(ctx context.Context, t *tree.Tree, paths, in []string) ([]Ref, error) {
	if err := g.hurry(ctx, t); err != nil {
		return nil, err
	}
	defer g.leave()
	keys, files := map[linkKey]bool{}, map[*tree.File]map[linkKey]bool{}
	for _, path := range paths {
		for _, key := range keysOfTarget(path) {
			keys[key] = true
			for _, f := range g.from[key] {
				files[f] = keys
			}
		}
	}
	for _, path := range in {
		if f := t.File(path); g.links[f] != nil {
			files[f] = nil // whatever they lead to
		}
	}
	var refs []Ref
	for f, keys := range files {
		refs = g.links[f].near(refs, f, keys)
	}
	sortRefs(refs)
	return refs, nil
}

func sortRefs(refs []Ref) {
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.From.Path, b.From.Path), cmp.Compare(a.Link.Span.Start, b.Link.Span.Start))
	})
}

// Follow takes a tree in, so that the next question about it is quick. Until
// somebody asks one it keeps one CPU busy and leaves the others to what is waited
// for.
func (g *Graph) Follow(ctx context.Context, t *tree.Tree) error {
	if err := g.enter(ctx, t); err != nil {
		return err
	}
	g.leave()
	return nil
}

// hurry enters for somebody who waits, also for a Follow that is under way.
func (g *Graph) hurry(ctx context.Context, t *tree.Tree) error {
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	return g.enter(ctx, t)
}

func (g *Graph) enter(ctx context.Context, t *tree.Tree) error {
	select {
	case <-g.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := g.follow(ctx, t); err != nil {
		g.leave()
		return err
	}
	return nil
}

func (g *Graph) leave() { g.turn <- struct{}{} }

func (g *Graph) follow(ctx context.Context, t *tree.Tree) error {
	if g.tree == t {
		return nil
	}
	var added []*tree.File
	for _, f := range g.loose {
		if t.File(f.Path) != f {
			g.drop(f)
		}
	}
	g.loose = slices.DeleteFunc(g.loose, func(f *tree.File) bool { return g.links[f] == nil })
	tree.Diff(g.tree, t, func(before, after *tree.File) {
		if before != nil {
			g.drop(before)
		}
		if after != nil && linksCount(after) && g.links[after] == nil {
			added = append(added, after)
		}
	})
	if err := g.take(ctx, added); err != nil {
		// What was dropped is dropped for good only with the tree that it was in.
		g.tree, g.loose = nil, slices.AppendSeq(g.loose[:0], g.all())
		return err
	}
	g.tree, g.loose = t, nil
	return nil
}

func (g *Graph) all() func(yield func(*tree.File) bool) {
	return func(yield func(*tree.File) bool) {
		for f := range g.links {
			if !yield(f) {
				return
			}
		}
	}
}

// linksCount reports whether links in the file are followed.
func linksCount(f *tree.File) bool { return IsMarkdown(f.Path) && f.Mode.IsRegular() }

// take reads files, with all CPUs while somebody waits.
func (g *Graph) take(ctx context.Context, files []*tree.File) error {
	next := make(chan *tree.File)
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := func() {
		for f := range next {
			links := g.read(f)
			mu.Lock()
			g.put(f, links)
			mu.Unlock()
		}
	}
	defer wg.Wait()
	defer close(next)
	workers := 0
	for _, f := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if workers == 0 || workers < runtime.GOMAXPROCS(0) && g.waiting.Load() > 0 {
			workers++
			wg.Go(work)
		}
		next <- f
	}
	return nil
}

// read finds the links of a file. The Markdown of a file on disk is not kept:
// that of all files is ten times the size of the graph.
func (g *Graph) read(f *tree.File) *fileLinks {
	src, err := f.Bytes()
	if err != nil {
		return &fileLinks{}
	}
	if g.Seen != nil {
		g.Seen(f, src)
	}
	if f.Unsaved {
		if doc, err := g.parsers.docOf(f); err == nil {
			return packLinks(f.Path, src, doc)
		}
	}
	return packLinks(f.Path, src, g.parsers.doc(src))
}

func (g *Graph) put(f *tree.File, links *fileLinks) {
	g.links[f] = links
	for _, key := range links.keys(f.Path) {
		g.from[key] = append(g.from[key], f)
	}
}

func (g *Graph) drop(f *tree.File) {
	links := g.links[f]
	if links == nil {
		return
	}
	delete(g.links, f)
	for _, key := range links.keys(f.Path) {
		files := g.from[key]
		if i := slices.Index(files, f); i >= 0 {
			files[i] = files[len(files)-1]
			files[len(files)-1] = nil
			files = files[:len(files)-1]
		}
		if g.from[key] = files; len(files) == 0 {
			delete(g.from, key)
		}
	}
}
