package tree

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameIndex finds the names of one directory that a case-insensitive or
// normalising file system takes for the same. It depends on the set of names
// alone, so trees that differ in content share it.
type nameIndex struct {
	once   sync.Once
	byFold map[string][]string
}

// FoldName maps names that a case-insensitive or normalising file system
// does not tell apart to one key: NFC and Unicode's simple case folding, which
// is what file systems use (they do not take "ß" for "ss").
func FoldName(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 {
			return norm.NFC.String(strings.Map(fold, norm.NFC.String(name)))
		}
	}
	return lowerASCII(name)
}

// fold is the least rune of those that differ in case alone.
func fold(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for j := range b {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// Twins returns the other names (of files or sub-directories) of the
// directory that fold to the same key as name.
func (d *Dir) Twins(name string) []string {
	if d == nil {
		return nil
	}
	d.names.once.Do(func() {
		d.names.byFold = make(map[string][]string, d.FileCount()+d.DirCount())
		add := func(name string) {
			key := FoldName(name)
			d.names.byFold[key] = append(d.names.byFold[key], name)
		}
		for f := range d.Files() {
			add(f.Name())
		}
		for s := range d.Dirs() {
			add(s.Name())
		}
	})
	var twins []string
	for _, other := range d.names.byFold[FoldName(name)] {
		if other != name {
			twins = append(twins, other)
		}
	}
	return twins
}
