package tree

// Diff calls each for every path at which two trees do not hold the same File,
// with nil where there is none, in no particular order. What the trees share is
// not looked at, so it costs in proportion to the directories that differ. A
// nil tree is empty.
func Diff(a, b *Tree, each func(before, after *File)) {
	diffDirs(rootOf(a), rootOf(b), each)
}

func rootOf(t *Tree) *Dir {
	if t == nil {
		return nil
	}
	return t.root
}

func diffDirs(a, b *Dir, each func(before, after *File)) {
	if a == b {
		return
	}
	merge(a.Files(), b.Files(), byPath, func(x, y *File) {
		if x != y {
			each(x, y)
		}
	})
	merge(a.Dirs(), b.Dirs(), byDirName, func(x, y *Dir) { diffDirs(x, y, each) })
}

// merge walks two sorted lists side by side.
func merge[T any](a, b []*T, compare func(x, y *T) int, each func(x, y *T)) {
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		case a[0] != b[0]:
			order = compare(a[0], b[0])
		}
		switch {
		case order < 0:
			each(a[0], nil)
			a = a[1:]
		case order > 0:
			each(nil, b[0])
			b = b[1:]
		default:
			each(a[0], b[0])
			a, b = a[1:], b[1:]
		}
	}
}
