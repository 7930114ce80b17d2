// Package tree holds the immutable tree snapshot that every judgement reads:
// a set of (path, mode, bytes), whatever it was taken from.
//
// It imports nothing of git or of an editor; package gitrepo fills it.
package tree

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
)

// A Tree is an immutable snapshot. Trees share everything they do not differ
// in, so that With costs in proportion to the change.
type Tree struct {
	root  *Dir
	names *baseNames
}

// A Dir is one directory of a Tree.
type Dir struct {
	// Path is "" for the root and has no final slash.
	Path string

	files []*File // sorted by name
	dirs  []*Dir  // sorted as git sorts: by name + "/"

	once sync.Once
	load func() ([]*File, []*Dir, error)
	err  error

	names *nameIndex
}

// New builds a tree. Files are taken in any order; of two files with one
// path the last wins. A path with an empty segment ("/x", "a//b"), which no git
// object can hold and every source of files refuses, is left out.
func New(files []*File) *Tree {
	if !slices.IsSortedFunc(files, byPath) {
		files = slices.Clone(files)
		slices.SortStableFunc(files, byPath)
	}
	b := builder{stack: []*Dir{newDir("")}}
	for i, f := range files {
		if i+1 < len(files) && files[i+1].Path == f.Path || hasEmptySegment(f.Path) {
			continue
		}
		b.add(f)
	}
	return &Tree{root: b.stack[0], names: &baseNames{}}
}

// Lazy builds a tree whose directories are read when they are first looked
// into. load must be safe for concurrent use; it returns the files and the
// names of the sub-directories of a directory, in any order. An error is
// kept and returned by Err.
func Lazy(load func(dir string) (files []*File, dirs []string, err error)) *Tree {
	return &Tree{root: lazyDir("", load), names: &baseNames{}}
}

func lazyDir(path string, load func(string) ([]*File, []string, error)) *Dir {
	d := newDir(path)
	d.load = func() ([]*File, []*Dir, error) {
		files, names, err := load(path)
		slices.SortFunc(files, byPath)
		dirs := make([]*Dir, 0, len(names))
		for _, name := range names {
			dirs = append(dirs, lazyDir(join(path, name), load))
		}
		slices.SortFunc(dirs, byDirName)
		return files, dirs, err
	}
	return d
}

func newDir(path string) *Dir { return &Dir{Path: path, names: &nameIndex{}} }

// Root is the directory that holds everything.
func (t *Tree) Root() *Dir { return t.root }

// File returns the file at path, or nil.
func (t *Tree) File(path string) *File {
	if t == nil {
		return nil
	}
	dir, name := split(path)
	return t.Dir(dir).File(name)
}

// Has reports whether there is a file at path.
func (t *Tree) Has(path string) bool { return t.File(path) != nil }

// Dir returns the directory at path ("" for the root), or nil.
func (t *Tree) Dir(path string) *Dir {
	if t == nil {
		return nil
	}
	d := t.root
	for path != "" && d != nil {
		var name string
		name, path, _ = strings.Cut(path, "/")
		d = d.Dir(name)
	}
	return d
}

// All yields every file in byte order of the paths.
func (t *Tree) All() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		if t != nil {
			t.root.walk(yield)
		}
	}
}

// Len counts the files.
func (t *Tree) Len() int {
	n := 0
	for range t.All() {
		n++
	}
	return n
}

// Err is the first error met while reading directories of a lazy tree. A
// judgement over a tree with an error is worth nothing.
func (t *Tree) Err() error {
	if t == nil {
		return nil
	}
	return t.root.firstErr()
}

// With returns the tree with files added or replaced, then removed paths
// taken out. A directory that becomes empty disappears, as in git.
func (t *Tree) With(files []*File, removed ...string) *Tree {
	root := t.root
	for _, f := range files {
		root = root.with(f.Path, f)
	}
	for _, p := range removed {
		root = root.with(p, nil)
	}
	return &Tree{root: root, names: t.namesWith(files, removed)}
}

// Name is the last segment of the directory's path.
func (d *Dir) Name() string { return base(d.Path) }

// Files are the directory's own files, sorted by name.
func (d *Dir) Files() []*File {
	d.expand()
	if d == nil {
		return nil
	}
	return d.files
}

// Dirs are the sub-directories, in git's order.
func (d *Dir) Dirs() []*Dir {
	d.expand()
	if d == nil {
		return nil
	}
	return d.dirs
}

// File returns the directory's own file of that name, or nil.
func (d *Dir) File(name string) *File {
	files := d.Files()
	if i, ok := findFile(files, name); ok {
		return files[i]
	}
	return nil
}

// Dir returns the sub-directory of that name, or nil.
func (d *Dir) Dir(name string) *Dir {
	dirs := d.Dirs()
	if i, ok := findDir(dirs, name); ok {
		return dirs[i]
	}
	return nil
}

// All yields every file below the directory, in byte order of the paths.
func (d *Dir) All() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		if d != nil {
			d.walk(yield)
		}
	}
}

func (d *Dir) expand() {
	if d == nil || d.load == nil {
		return
	}
	d.once.Do(func() { d.files, d.dirs, d.err = d.load() })
}

func (d *Dir) firstErr() error {
	if d.err != nil {
		return d.err
	}
	for _, sub := range d.dirs {
		if err := sub.firstErr(); err != nil {
			return err
		}
	}
	return nil
}

// walk merges files and directories: git sorts a directory as if its name
// ended in a slash, which is what byte order of whole paths amounts to.
func (d *Dir) walk(yield func(*File) bool) bool {
	files, dirs := d.Files(), d.Dirs()
	for len(files) > 0 || len(dirs) > 0 {
		if len(dirs) == 0 || len(files) > 0 && cmpSlash(files[0].Name(), dirs[0].Name()) < 0 {
			if !yield(files[0]) {
				return false
			}
			files = files[1:]
			continue
		}
		if !dirs[0].walk(yield) {
			return false
		}
		dirs = dirs[1:]
	}
	return true
}

// with returns the directory with the file at path set to f, or taken out
// when f is nil. Only the directories on the way are copied.
func (d *Dir) with(path string, f *File) *Dir {
	rest := path
	if d.Path != "" {
		rest = path[len(d.Path)+1:]
	}
	name, _, nested := strings.Cut(rest, "/")
	c := &Dir{Path: d.Path, files: d.Files(), dirs: d.Dirs(), names: d.names, err: d.err}
	if !nested {
		c.setFile(name, f)
		return c
	}
	i, ok := findDir(c.dirs, name)
	if !ok {
		if f == nil {
			return d
		}
		sub := newDir(join(d.Path, name)).with(path, f)
		c.dirs, c.names = slices.Insert(slices.Clone(c.dirs), i, sub), &nameIndex{}
		return c
	}
	sub := c.dirs[i].with(path, f)
	c.dirs = slices.Clone(c.dirs)
	if len(sub.Files()) == 0 && len(sub.Dirs()) == 0 {
		c.dirs, c.names = slices.Delete(c.dirs, i, i+1), &nameIndex{}
	} else {
		c.dirs[i] = sub
	}
	return c
}

func (d *Dir) setFile(name string, f *File) {
	i, ok := findFile(d.files, name)
	switch {
	case f == nil && !ok:
		return
	case f == nil:
		d.files, d.names = slices.Delete(slices.Clone(d.files), i, i+1), &nameIndex{}
	case ok:
		d.files = slices.Clone(d.files)
		d.files[i] = f
	default:
		d.files, d.names = slices.Insert(slices.Clone(d.files), i, f), &nameIndex{}
	}
}

// builder adds files in path order, keeping the open directories on a stack.
type builder struct{ stack []*Dir }

func (b *builder) add(f *File) {
	for {
		top := b.stack[len(b.stack)-1]
		if top.Path == "" || strings.HasPrefix(f.Path, top.Path) && len(f.Path) > len(top.Path) && f.Path[len(top.Path)] == '/' {
			break
		}
		b.stack = b.stack[:len(b.stack)-1]
	}
	for {
		top := b.stack[len(b.stack)-1]
		start := 0
		if top.Path != "" {
			start = len(top.Path) + 1
		}
		i := strings.IndexByte(f.Path[start:], '/')
		if i < 0 {
			top.files = append(top.files, f)
			return
		}
		sub := newDir(f.Path[:start+i])
		top.dirs = append(top.dirs, sub)
		b.stack = append(b.stack, sub)
	}
}

func hasEmptySegment(path string) bool {
	return path == "" || path[0] == '/' || path[len(path)-1] == '/' || strings.Contains(path, "//")
}

func byPath(a, b *File) int { return cmp.Compare(a.Path, b.Path) }

func byDirName(a, b *Dir) int { return cmpSlash(a.Name()+"/", b.Name()) }

// cmpSlash compares name with dir + "/".
func cmpSlash(name, dir string) int {
	if n := len(dir); len(name) > n && name[:n] == dir {
		if name[n] != '/' {
			return cmp.Compare(name[n], '/')
		}
		return cmp.Compare(len(name), n+1)
	}
	if c := cmp.Compare(name, dir); c != 0 {
		return c
	}
	return -1
}

func findFile(files []*File, name string) (int, bool) {
	return slices.BinarySearchFunc(files, name, func(f *File, name string) int { return cmp.Compare(f.Name(), name) })
}

func findDir(dirs []*Dir, name string) (int, bool) {
	return slices.BinarySearchFunc(dirs, name, func(d *Dir, name string) int { return cmpSlash(d.Name()+"/", name) })
}

func split(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func base(path string) string { _, name := split(path); return name }

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
