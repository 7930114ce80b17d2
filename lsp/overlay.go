package lsp

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// An overlay is a working tree with the open documents laid over it: what the
// tree would be if every buffer were saved. It is immutable.
type overlay struct {
	base     *gitrepo.Worktree
	tree     *tree.Tree
	buffers  map[string]*buffer // by path in the repository
	encoding wire.PositionEncoding
}

// A buffer is an open document's place in an overlay.
type buffer struct {
	doc *document
	// base is the file on disk, nil for none, and onDisk its bytes.
	base   *tree.File
	onDisk []byte
	// file is what the buffer would be saved as, nil when the document takes
	// no part: git ignores it, or the file was deleted under a clean buffer.
	file   *tree.File
	source *source
	gone   bool
}

// over lays documents, given by their paths in the repository, over the base.
// It costs in proportion to what differs from the overlay before.
func (o *overlay) over(ctx context.Context, g *gitrepo.Repo, base *gitrepo.Worktree, docs map[string]*document, enc wire.PositionEncoding) *overlay {
	next := &overlay{base: base, buffers: make(map[string]*buffer, len(docs)), encoding: enc}
	sameBase := o != nil && o.base == base
	changed := !sameBase || len(docs) != len(o.buffers)
	var files []*tree.File
	for path, doc := range docs {
		var old *buffer
		if o != nil {
			old = o.buffers[path]
		}
		if old != nil && !base.StagesLike(o.base) {
			again := *old // the ends of its lines are another matter now
			again.base, old = nil, &again
		}
		b := next.buffer(ctx, g, path, doc, old, sameBase)
		next.buffers[path] = b
		if b == old && sameBase {
			continue
		}
		changed = true
		if b.file != nil {
			files = append(files, b.file)
		}
	}
	if !changed {
		return o
	}
	next.tree = base.Tree
	var removed []string
	if sameBase {
		next.tree = o.tree
		for path, old := range o.buffers {
			if b := next.buffers[path]; old.file == nil || b != nil && b.file != nil {
				continue
			}
			if f := base.Tree.File(path); f != nil {
				files = append(files, f)
			} else {
				removed = append(removed, path)
			}
		}
	}
	next.tree = next.tree.With(files, removed...)
	return next
}

// buffer makes a document's part, or takes the old one when nothing that it
// depends on has changed.
func (o *overlay) buffer(ctx context.Context, g *gitrepo.Repo, path string, doc *document, old *buffer, sameBase bool) *buffer {
	base := o.base.Tree.File(path)
	if old != nil && old.doc == doc && old.base == base && (base != nil || sameBase) {
		return old
	}
	b := &buffer{doc: doc, base: base}
	switch {
	case base == nil && old != nil && old.doc == doc && (old.gone || old.clean()) && !exists(g, path):
		// The editor has not saved it since it was deleted or renamed, and
		// will ask before it does: the file is gone.
		b.gone = true
		return b
	case base != nil && old != nil && old.base == base:
		b.onDisk = old.onDisk
	case base != nil && base.Mode.IsRegular():
		// A file that cannot be read counts as another text.
		b.onDisk, _ = base.Bytes()
	}
	if base == nil && o.takesNoPart(ctx, g, path, old, sameBase) {
		return b
	}
	b.source = bufferSource(doc, o.base.StageBytes(ctx, path, doc.text), b.onDisk, o.encoding)
	mode, oid := tree.Regular, tree.OID("")
	if base != nil && base.Mode.IsRegular() {
		mode = base.Mode
		if bytes.Equal(b.source.staged, b.onDisk) {
			oid = base.OID
		}
	}
	b.file = tree.NewFile(path, mode, oid, tree.Buffer(b.source.staged))
	b.file.Unsaved = base == nil || !bytes.Equal(b.source.staged, b.onDisk)
	if old != nil && old.file != nil {
		parsers.New().Carry(old.file, b.file)
	}
	return b
}

// clean reports whether the buffer is what is on disk.
func (b *buffer) clean() bool { return b.file != nil && !b.file.Unsaved }

// takesNoPart reports whether a document that is not in the working tree
// would not be, either, once it is saved: git ignores it, or something that
// is no file is in its place.
func (o *overlay) takesNoPart(ctx context.Context, g *gitrepo.Repo, path string, old *buffer, sameBase bool) bool {
	if old != nil && sameBase {
		return old.file == nil && !old.gone
	}
	if o.base.Tree.Dir(path) != nil {
		return true
	}
	if info, err := os.Lstat(absolute(g, path)); err == nil && !info.Mode().IsRegular() {
		return true
	}
	// When git cannot tell, the file is judged: silence would look like praise.
	ignored, err := g.Ignored(ctx, path)
	return ignored && err == nil
}

func exists(g *gitrepo.Repo, path string) bool {
	_, err := os.Lstat(absolute(g, path))
	return err == nil
}

// absolute is where a path of the repository is.
func absolute(g *gitrepo.Repo, path string) string {
	return filepath.Join(g.Top, filepath.FromSlash(path))
}
