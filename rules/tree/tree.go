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

	files list[*File] // sorted by name
	dirs  list[*Dir]  // sorted as git sorts: by name + "/"

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
	b := builder{}
	b.open("")
	for i, f := range files {
		if i+1 < len(files) && files[i+1].Path == f.Path || hasEmptySegment(f.Path) {
			continue
		}
		b.add(f)
	}
	return &Tree{root: b.close(0), names: &baseNames{}}
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

// Files yields the directory's own files, sorted by name.
func (d *Dir) Files() iter.Seq[*File] { return d.fileList().all() }

// FileCount is the number of the directory's own files.
func (d *Dir) FileCount() int { return d.fileList().size }

// Dirs yields the sub-directories, in git's order.
func (d *Dir) Dirs() iter.Seq[*Dir] { return d.dirList().all() }

// DirCount is the number of the sub-directories.
func (d *Dir) DirCount() int { return d.dirList().size }

func (d *Dir) fileList() list[*File] {
	if d == nil {
		return list[*File]{}
	}
	d.expand()
	return d.files
}

func (d *Dir) dirList() list[*Dir] {
	if d == nil {
		return list[*Dir]{}
	}
	d.expand()
	return d.dirs
}

// File returns the directory's own file of that name, or nil.
func (d *Dir) File(name string) *File {
	files := d.fileList()
	if at, ok := files.find(d.orderFile(name)); ok {
		return files.get(at)
	}
	return nil
}

// Dir returns the sub-directory of that name, or nil.
func (d *Dir) Dir(name string) *Dir {
	dirs := d.dirList()
	if at, ok := dirs.find(d.orderDir(name)); ok {
		return dirs.get(at)
	}
	return nil
}

// prefix is the length of what the paths in the directory start with.
func (d *Dir) prefix() int {
	if d == nil || d.Path == "" {
		return 0
	}
	return len(d.Path) + 1
}

func (d *Dir) orderFile(name string) func(*File) int {
	n := d.prefix()
	return func(f *File) int { return cmp.Compare(f.Path[n:], name) }
}

func (d *Dir) orderDir(name string) func(*Dir) int {
	n, slash := d.prefix(), name+"/"
	return func(sub *Dir) int { return -cmpSlash(slash, sub.Path[n:]) }
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
	if d.load == nil {
		return
	}
	d.once.Do(func() {
		files, dirs, err := d.load()
		d.files, d.dirs, d.err = listOf(files), listOf(dirs), err
	})
}

func (d *Dir) firstErr() error {
	if d.err != nil {
		return d.err
	}
	for sub := range d.dirs.all() {
		if err := sub.firstErr(); err != nil {
			return err
		}
	}
	return nil
}

// walk merges files and directories: git sorts a directory as if its name
// ended in a slash, which is what byte order of whole paths amounts to.
func (d *Dir) walk(yield func(*File) bool) bool {
	files, dirs := d.fileList().cursor(), d.dirList().cursor()
	for !files.done() || !dirs.done() {
		if dirs.done() || !files.done() && cmpSlash(files.entry().Name(), dirs.entry().Name()) < 0 {
			if !yield(files.entry()) {
				return false
			}
			files.next()
			continue
		}
		if !dirs.entry().walk(yield) {
			return false
		}
		dirs.next()
	}
	return true
}

// with returns the directory with the file at path set to f, or taken out
// when f is nil. Only the directories on the way are copied.
func (d *Dir) with(path string, f *File) *Dir {
	name, _, nested := strings.Cut(path[d.prefix():], "/")
	c := &Dir{Path: d.Path, files: d.fileList(), dirs: d.dirList(), names: d.names, err: d.err}
	if !nested {
		c.setFile(name, f)
		return c
	}
	at, ok := c.dirs.find(d.orderDir(name))
	if !ok {
		if f == nil {
			return d
		}
		sub := newDir(join(d.Path, name)).with(path, f)
		c.dirs, c.names = c.dirs.inserted(at, sub), &nameIndex{}
		return c
	}
	if sub := c.dirs.get(at).with(path, f); sub.FileCount() == 0 && sub.DirCount() == 0 {
		c.dirs, c.names = c.dirs.removed(at), &nameIndex{}
	} else {
		c.dirs = c.dirs.replaced(at, sub)
	}
	return c
}

func (d *Dir) setFile(name string, f *File) {
	at, ok := d.files.find(d.orderFile(name))
	switch {
	case f == nil && !ok:
		return
	case f == nil:
		d.files, d.names = d.files.removed(at), &nameIndex{}
	case ok:
		d.files = d.files.replaced(at, f)
	default:
		d.files, d.names = d.files.inserted(at, f), &nameIndex{}
	}
}

// builder adds files in path order, keeping the open directories on a stack.
type builder struct{ stack []opened }

// opened is a directory whose entries are not complete.
type opened struct {
	path  string
	files []*File
	dirs  []*Dir
}

func (b *builder) open(path string) { b.stack = append(b.stack, opened{path: path}) }

// close completes the directories from the nth on and returns that one.
func (b *builder) close(n int) *Dir {
	for {
		last := len(b.stack) - 1
		o := &b.stack[last]
		d := newDir(o.path)
		d.files, d.dirs = listOf(slices.Clip(o.files)), listOf(o.dirs)
		b.stack = b.stack[:last]
		if last > 0 {
			above := &b.stack[last-1]
			above.dirs = append(above.dirs, d)
		}
		if last == n {
			return d
		}
	}
}

func (b *builder) add(f *File) {
	for n := len(b.stack) - 1; n > 0; n-- {
		if path := b.stack[n].path; strings.HasPrefix(f.Path, path) && len(f.Path) > len(path) && f.Path[len(path)] == '/' {
			break
		}
		b.close(n)
	}
	for {
		top := &b.stack[len(b.stack)-1]
		start := 0
		if top.path != "" {
			start = len(top.path) + 1
		}
		i := strings.IndexByte(f.Path[start:], '/')
		if i < 0 {
			top.files = append(top.files, f)
			return
		}
		b.open(f.Path[:start+i])
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
