package difftest_test

import (
	"bytes"
	"slices"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/difftest/oracle"
	"github.com/memls/memls/rules/tree"
)

// shrink returns a repository on which the judges differ still, from which
// nothing more can be taken.
func shrink(o *oracle.Oracle, r *repo) (*repo, verdict, error) {
	judge := func(r *repo) (verdict, error) {
		answers, err := ask(o, r)
		if err != nil {
			return verdict{}, err
		}
		return compare(r, answers[0]), nil
	}
	last, err := judge(r)
	for again := err == nil; again; {
		again = false
		for smaller := range r.smaller {
			var v verdict
			if v, err = judge(smaller); err != nil {
				return r, last, err
			}
			if v.differs() {
				r, last, again = smaller, v, true
				break
			}
		}
	}
	return r, last, err
}

// smaller yields the repositories that are one step simpler.
func (r *repo) smaller(yield func(*repo) bool) {
	with := func(change func(*repo)) bool {
		c := *r
		c.files, c.head = slices.Clone(r.files), slices.Clone(r.head)
		change(&c)
		return yield(&c)
	}
	if r.hasHead && !with(func(c *repo) { c.head, c.hasHead = nil, false }) {
		return
	}
	if r.approve && !with(func(c *repo) { c.approve = false }) {
		return
	}
	lists := []func(*repo) *[]file{func(c *repo) *[]file { return &c.files }, func(c *repo) *[]file { return &c.head }}
	for _, list := range lists {
		for i, f := range *list(r) {
			if !with(func(c *repo) { *list(c) = slices.Delete(*list(c), i, i+1) }) {
				return
			}
			if f.mode == tree.Executable && !with(func(c *repo) { (*list(c))[i].mode = tree.Regular }) {
				return
			}
			if f.path == config.Path && r.plainConfig != nil {
				continue // two texts that belong together
			}
			for text := range shorter(f.text) {
				if !with(func(c *repo) { (*list(c))[i].text = text }) {
					return
				}
			}
		}
	}
}

// shorter yields texts without some part: the larger parts first, then lines,
// then single bytes.
func shorter(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		cut := func(from, to int) bool { return yield(slices.Concat(text[:from], text[to:])) }
		for size := len(text); size > 16; size /= 2 {
			for from := 0; from+size <= len(text); from += size {
				if !cut(from, from+size) {
					return
				}
			}
		}
		at := 0
		for line := range bytes.Lines(text) {
			if !cut(at, at+len(line)) {
				return
			}
			at += len(line)
		}
		for i := range min(len(text), 400) {
			if !cut(i, i+1) {
				return
			}
		}
	}
}
