package rules

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// maxCompared bounds the names that a misspelt one is compared with.
const maxCompared = 2000

// suggest finds what is meant by a link to a path that does not exist: one
// file, or nothing where several come into question. exact says that the two
// differ in case, encoding or .md alone.
func (p *Pass) suggest(l *markdown.Link, t Target) (to string, exact bool) {
	if to := onlyOne(foldedPaths(p.Tree, t.Path)); to != "" {
		if IsIndex(t.Path) || base(t.Path) == "SKILL.md" {
			return "", false // it is the file that is misspelt
		}
		return to, true
	}
	if to := onlyOne(foldedPaths(p.Tree, t.Path+".md")); to != "" {
		return to, true
	}
	if again, err := unescapePath(t.Path); err == nil && again != t.Path && p.Tree.Has(again) {
		return again, true
	}
	for _, guess := range []string{
		strings.TrimPrefix(path.Join("/", l.Dest), "/"), // written from the root
		strings.ReplaceAll(t.Path, `\`, "/"),
	} {
		if guess != t.Path && p.Tree.Has(guess) {
			return guess, false
		}
	}
	if same := p.Tree.Named(base(t.Path)); len(same) > 0 && !IsIndex(t.Path) {
		return onlyOne(same), false
	}
	name, ok := closest(base(t.Path), fileNames(p.Tree.Dir(dirOf(t.Path))))
	if !ok || joinPath(dirOf(t.Path), name) == p.File.Path {
		return "", false
	}
	return joinPath(dirOf(t.Path), name), false
}

func onlyOne(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return ""
}

func fileNames(d *tree.Dir) []string {
	if d.FileCount() > maxCompared {
		return nil
	}
	names := make([]string, 0, d.FileCount())
	for f := range d.Files() {
		names = append(names, f.Name())
	}
	return names
}

// closest is the one name that is a few letters away from a misspelt one.
func closest(name string, among []string) (string, bool) {
	length := utf8.RuneCountInString(name)
	limit := min(2, (length-len(path.Ext(name))+1)/3)
	best, distance, tie := "", limit+1, false
	for _, other := range among {
		if d := utf8.RuneCountInString(other) - length; d > limit || -d > limit {
			continue
		}
		switch d := levenshtein.ComputeDistance(name, other); {
		case d < distance:
			best, distance, tie = other, d, false
		case d == distance && d <= limit:
			tie = true
		}
	}
	return best, best != "" && !tie
}

// foldedPaths are the files and directories that a case-insensitive or
// normalising file system takes for the path, itself included.
func foldedPaths(t *tree.Tree, p string) []string {
	dirs := []*tree.Dir{t.Root()}
	segments := strings.Split(p, "/")
	for _, name := range segments[:len(segments)-1] {
		var next []*tree.Dir
		for _, d := range dirs {
			for _, twin := range sameNames(d, name) {
				if sub := d.Dir(twin); sub != nil {
					next = append(next, sub)
				}
			}
		}
		dirs = next
	}
	var paths []string
	for _, d := range dirs {
		for _, twin := range sameNames(d, segments[len(segments)-1]) {
			paths = append(paths, joinPath(d.Path, twin))
		}
	}
	return paths
}

// sameNames are the names of a directory that fold to the same key as name,
// itself included if it is there.
func sameNames(d *tree.Dir, name string) []string {
	names := slices.Clone(d.Twins(name))
	if d.File(name) != nil || d.Dir(name) != nil {
		names = append(names, name)
	}
	return names
}
