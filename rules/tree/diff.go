package tree

// Diff calls each for every path at which two trees do not hold the same File,
// with nil where there is none, in no particular order. What the trees share is
// not looked at, so it costs in proportion to the directories that differ. A
// nil tree is empty.
func Diff(a, b *Tree, each func(before, after *File)) {
	DiffDirs(rootOf(a), rootOf(b), each)
}

func rootOf(t *Tree) *Dir {
	if t == nil {
		return nil
	}
	return t.root
}

// DiffDirs is Diff for directories at one path.
func DiffDirs(a, b *Dir, each func(before, after *File)) {
	if a == b {
		return
	}
	merge(a.fileList(), b.fileList(), byPath, each)
	merge(a.dirList(), b.dirList(), byDirName, func(x, y *Dir) { DiffDirs(x, y, each) })
}

// merge walks two lists side by side, over what they do not share.
func merge[E comparable](x, y list[E], compare func(x, y E) int, each func(x, y E)) {
	var none E
	a, b := x.cursor(), y.cursor()
	for !a.done() || !b.done() {
		switch {
		case b.done():
			each(a.entry(), none)
			a.next()
		case a.done():
			each(none, b.entry())
			b.next()
		case a.sameRun(&b):
			a.skip()
			b.skip()
		default:
			order := 0
			if a.entry() != b.entry() {
				order = compare(a.entry(), b.entry())
			}
			before, after := none, none
			if order <= 0 {
				before = a.entry()
				a.next()
			}
			if order >= 0 {
				after = b.entry()
				b.next()
			}
			if before != after {
				each(before, after)
			}
		}
	}
}
