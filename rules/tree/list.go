package tree

import (
	"iter"
	"slices"
)

// runLength is how many entries a run of a list has at most.
const runLength = 128

// A list is the sorted entries of a directory. It never changes: the lists
// that are made of it share its runs, but for the one with the change. So a
// change, and to find the difference of two lists, costs little in a directory
// of ten thousand files.
type list[E comparable] struct {
	runs [][]E // none is empty
	size int
}

// listOf takes sorted entries over.
func listOf[E comparable](entries []E) list[E] {
	return list[E]{slices.Collect(slices.Chunk(entries, runLength)), len(entries)}
}

func (l list[E]) all() iter.Seq[E] {
	return func(yield func(E) bool) {
		for _, run := range l.runs {
			for _, e := range run {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// A spot is a place in a list.
type spot struct{ run, at int }

// find returns where an entry is or has to be; order compares an entry with it.
// It is what every link is looked up with, and written so that order stays on the
// stack, which it would not as an argument of slices.BinarySearchFunc.
func (l list[E]) find(order func(E) int) (_ spot, found bool) {
	if len(l.runs) == 0 {
		return spot{}, false
	}
	from, to := 0, len(l.runs)-1 // the first run that ends behind the entry
	for from < to {
		if mid := (from + to) / 2; order(l.runs[mid][len(l.runs[mid])-1]) < 0 {
			from = mid + 1
		} else {
			to = mid
		}
	}
	run := from
	from, to = 0, len(l.runs[run])
	for from < to {
		if mid := (from + to) / 2; order(l.runs[run][mid]) < 0 {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return spot{run, from}, from < len(l.runs[run]) && order(l.runs[run][from]) == 0
}

func (l list[E]) get(s spot) E { return l.runs[s.run][s.at] }

func (l list[E]) replaced(s spot, e E) list[E] {
	run := slices.Clone(l.runs[s.run])
	run[s.at] = e
	return l.withRun(s.run, l.size, run)
}

func (l list[E]) inserted(s spot, e E) list[E] {
	if l.size == 0 {
		return listOf([]E{e})
	}
	run := slices.Insert(slices.Clone(l.runs[s.run]), s.at, e)
	if half := len(run) / 2; len(run) > runLength {
		return l.withRun(s.run, l.size+1, run[:half:half], run[half:])
	}
	return l.withRun(s.run, l.size+1, run)
}

func (l list[E]) removed(s spot) list[E] {
	run := slices.Delete(slices.Clone(l.runs[s.run]), s.at, s.at+1)
	if len(run) == 0 {
		return l.withRun(s.run, l.size-1)
	}
	return l.withRun(s.run, l.size-1, run)
}

// withRun has other runs in the place of one.
func (l list[E]) withRun(i, size int, runs ...[]E) list[E] {
	return list[E]{slices.Concat(l.runs[:i], runs, l.runs[i+1:]), size}
}

// A cursor goes through a list.
type cursor[E comparable] struct {
	runs [][]E
	at   int // in the first run
}

func (l list[E]) cursor() cursor[E] { return cursor[E]{runs: l.runs} }

func (c *cursor[E]) done() bool { return len(c.runs) == 0 }

func (c *cursor[E]) entry() E { return c.runs[0][c.at] }

func (c *cursor[E]) next() {
	if c.at++; c.at == len(c.runs[0]) {
		c.skip()
	}
}

// skip goes to the next run.
func (c *cursor[E]) skip() { c.runs, c.at = c.runs[1:], 0 }

// sameRun reports whether both cursors are at the start of one run.
func (c *cursor[E]) sameRun(o *cursor[E]) bool {
	return c.at == 0 && o.at == 0 && len(c.runs[0]) == len(o.runs[0]) && &c.runs[0][0] == &o.runs[0][0]
}
