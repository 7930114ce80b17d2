package config

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// The two ways in which a pattern can be wrong, in the words of the findings.
var (
	errPattern    = errors.New("pattern must be a non-empty repo-relative glob using '/'")
	errDoubleStar = errors.New("'**' must be a complete path segment")
)

// A Glob is a compiled path pattern. `*` and `?` do not cross `/`; `**/` is
// zero or more directories; a final `**` is everything below, not the directory
// itself. Every other character, `[`, `{` and `!` included, stands for itself.
//
// As in Letta Code, `?` is one UTF-16 code unit: a character outside the basic
// plane, such as an emoji, takes two.
//
// In contrast to Letta Code, `**` also matches names that hold line breaks, and
// a byte that is not valid UTF-8 counts as one character each.
type Glob struct {
	source  string
	pattern string // source in the syntax of doublestar
	units   string // pattern over UTF-16 code units; empty when it has no `?`
}

// CompileGlob compiles a pattern. It fails for a pattern that is empty, starts
// with `/`, holds a `\` or a `..` segment, or has `**` inside a longer segment.
func CompileGlob(pattern string) (*Glob, error) {
	segments := strings.Split(pattern, "/")
	if segments[0] == "" || strings.Contains(pattern, `\`) {
		return nil, errPattern
	}
	for _, s := range segments {
		if s == ".." {
			return nil, errPattern
		}
	}
	for _, s := range segments {
		if s != "**" && strings.Contains(s, "**") {
			return nil, errDoubleStar
		}
	}

	g := &Glob{source: pattern, pattern: literalBrackets.Replace(pattern)}
	if strings.HasSuffix(g.pattern, "/**") {
		g.pattern += "/*" // doublestar lets dir/** match dir itself
	}
	if strings.Contains(pattern, "?") {
		g.units = splitAstral(g.pattern)
	}
	return g, nil
}

// literalBrackets takes the special meaning from what doublestar knows beyond
// `*` and `?`.
var literalBrackets = strings.NewReplacer(`[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// Match reports whether the whole path matches. The path must be clean and
// relative to the repository, with `/` between segments, as git has them.
func (g *Glob) Match(path string) bool {
	if strings.HasSuffix(g.source, "/") {
		return false // no file's path does; doublestar lets dir/**/ match dir
	}
	if g.units != "" && hasAstral(path) {
		return doublestar.MatchUnvalidated(g.units, splitAstral(path))
	}
	return doublestar.MatchUnvalidated(g.pattern, path)
}

// String returns the pattern as it was written.
func (g *Glob) String() string { return g.source }

// hasAstral reports whether s may hold a character outside the basic plane: in
// UTF-8 these, and no others, start with a byte from 0xF0.
func hasAstral(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xF0 {
			return true
		}
	}
	return false
}

// splitAstral replaces every character outside the basic plane by two, one for
// each of its UTF-16 code units. Surrogates cannot be written in UTF-8, so they
// are moved to a plane that is free once all its characters are split.
func splitAstral(s string) string {
	const plane = 0x10000
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= plane {
			offset := r - plane
			b.WriteRune(plane + 0xD800 + offset>>10)
			b.WriteRune(plane + 0xDC00 + offset&0x3FF)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
