package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// A Target is what a link leads to.
type Target struct {
	Kind TargetKind
	// Path is relative to the repository, decoded: of the file, of the
	// directory ("" for the root), or of what is missing. It is empty for the
	// other kinds.
	Path string
	// File is the file to open: Path itself, or the index of a directory that
	// has one; "" where there is none.
	File string
	// Query is what follows the path from "?" on, as written.
	Query string
	// Fragment is what follows "#", percent-decoded where that is possible.
	Fragment string
}

// TargetKind says what kind of thing a link leads to.
type TargetKind int

// The kinds of targets.
const (
	TargetMissing  TargetKind = iota // in the repository, but not there
	TargetFile                       // a file, whatever its kind
	TargetDir                        // a directory
	TargetSelf                       // the linking file itself: "#heading"
	TargetExternal                   // another scheme or host
	TargetOutside                    // on this machine, but not in the repository: not judged
	TargetInvalid                    // percent-encoding that means nothing
)

// Resolve finds what a link of the file at from leads to. Every feature that
// follows links asks here.
//
// A target is read as a URL reference relative to the file, as browsers and
// GitHub do: percent-encoding is decoded, "?" starts a query, "/" in front
// stands for the root of the repository. An agent that opens the path without
// knowing of URLs has to get there too: what exists by exactly the written
// name is found as well.
func Resolve(t *tree.Tree, from string, l *markdown.Link) Target {
	switch l.Kind {
	case markdown.Wiki:
		return resolveWiki(t, from, &l.Target)
	case markdown.Autolink:
		return Target{Kind: TargetExternal}
	}
	return resolveURL(t, from, &l.Target)
}

// ResolveDefinition is Resolve for a link definition.
func ResolveDefinition(t *tree.Tree, from string, d *markdown.Definition) Target {
	return resolveURL(t, from, &d.Target)
}

func resolveURL(t *tree.Tree, from string, target *markdown.Target) Target {
	fragment := target.Fragment
	if s, err := unescapePath(fragment); err == nil {
		fragment = s
	}
	dest := target.Dest
	plain, query, hasQuery := strings.Cut(dest, "?")
	if hasQuery {
		query = "?" + query
	}
	switch {
	case plain == "":
		return Target{Kind: TargetSelf, Path: from, File: from, Query: query, Fragment: fragment}
	case strings.HasPrefix(dest, "//") || hasScheme(dest):
		return Target{Kind: TargetExternal}
	case strings.HasPrefix(dest, "~/"):
		return Target{Kind: TargetOutside}
	}
	decoded, err := unescapePath(plain)
	if err != nil {
		decoded = plain
	}
	r := locate(t, from, decoded)
	if r.Kind == TargetMissing {
		if asWritten := locate(t, from, dest); asWritten.Kind != TargetMissing {
			r, query = asWritten, ""
		} else if err != nil {
			r.Kind = TargetInvalid
		}
	}
	r.Query, r.Fragment = query, fragment
	return r
}

// hasScheme reports whether a URL starts with a scheme (RFC 3986, 3.1). The
// drive of a Windows path looks like one, and is as little of the repository.
func hasScheme(dest string) bool {
	for i := range len(dest) {
		switch c := dest[i]; {
		case c == ':':
			return i > 0
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// locate looks a decoded path up, relative to the file at from or, with a
// slash in front, to the root.
func locate(t *tree.Tree, from, dest string) Target {
	dir := dirOf(from)
	absolute := strings.HasPrefix(dest, "/")
	if absolute {
		dir = ""
	}
	clean := strings.TrimPrefix(path.Join(dir, dest), "/")
	if clean == "." {
		clean = ""
	}
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return Target{Kind: TargetOutside}
	}
	r := lookup(t, clean)
	if first, _, nested := strings.Cut(clean, "/"); absolute && nested && r.Kind == TargetMissing && t.Root().Dir(first) == nil {
		// A path of the machine, such as /etc/hosts, rather than of the repository.
		return Target{Kind: TargetOutside}
	}
	return r
}

// lookup finds a path in the tree. What lies below a symbolic link or a
// submodule is not in this repository, nor is git's own directory.
func lookup(t *tree.Tree, p string) Target {
	if f := t.File(p); f != nil {
		return Target{Kind: TargetFile, Path: p, File: p}
	}
	if d := t.Dir(p); d != nil {
		r := Target{Kind: TargetDir, Path: p}
		if d.File(Index) != nil {
			r.File = joinPath(p, Index)
		}
		return r
	}
	if p == ".git" || strings.HasPrefix(p, ".git/") {
		return Target{Kind: TargetOutside}
	}
	for dir := dirOf(p); dir != ""; dir = dirOf(dir) {
		if f := t.File(dir); f != nil && !f.Mode.IsRegular() {
			return Target{Kind: TargetOutside}
		}
	}
	return Target{Kind: TargetMissing, Path: p}
}

// resolveWiki finds the target of [[x]]: from the root, else from the file's
// own directory, as a file with or without .md, else as a directory. A bare
// name that is none of these is that of a file anywhere in memory; of several
// the one nearest to the root counts.
func resolveWiki(t *tree.Tree, from string, target *markdown.Target) Target {
	dest := target.Dest
	switch {
	case dest == "":
		return Target{Kind: TargetSelf, Path: from, File: from, Fragment: target.Fragment}
	case strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:"):
		return Target{Kind: TargetExternal} // a title may hold a colon
	case strings.HasPrefix(dest, "~/"):
		return Target{Kind: TargetOutside}
	}
	bases := []string{"", from}
	if strings.HasPrefix(dest, "./") || strings.HasPrefix(dest, "../") {
		bases = []string{from}
	}
	r, dir := Target{}, Target{}
	for _, base := range bases {
		for _, ext := range []string{"", ".md"} {
			found := locate(t, base, dest+ext)
			switch {
			case found.Kind == TargetDir && dir.Kind == TargetMissing && ext == "":
				dir = found
			case found.Kind == TargetFile && !strings.HasSuffix(dest, "/"), found.Kind == TargetOutside:
				found.Fragment = target.Fragment
				return found
			case r.Path == "" && wikiExt(dest) == ext:
				r = found // what would have to be there
			}
		}
	}
	if dir.Kind == TargetDir {
		r = dir
	} else if f := named(t, dest); f != "" {
		r = Target{Kind: TargetFile, Path: f, File: f}
	}
	r.Fragment = target.Fragment
	return r
}

// wikiExt is what a wiki link leaves out of the file's name.
func wikiExt(dest string) string {
	if ext := path.Ext(dest); len(ext) < 2 || strings.Contains(ext, " ") {
		return ".md"
	}
	return ""
}

// named is the file outside of skills with a bare name, with or without .md.
func named(t *tree.Tree, name string) string {
	if strings.Contains(name, "/") {
		return ""
	}
	best := ""
	for _, exact := range []string{name, name + ".md"} {
		for _, p := range t.Named(exact) {
			if base(p) == exact && !InSkills(p) && (best == "" || strings.Count(p, "/") < strings.Count(best, "/")) {
				best = p
			}
		}
	}
	return best
}

// FindAnchor looks a fragment up in a Markdown file: a heading by its GitHub
// slug, in any case, or by its text, or an anchor in HTML, where the heading
// is nil.
func FindAnchor(doc *markdown.Doc, fragment string) (*markdown.Heading, bool) {
	if i := strings.LastIndexByte(fragment, '#'); i >= 0 {
		fragment = fragment[i+1:] // [[a#Part#Section]]
	}
	fragment = strings.TrimPrefix(fragment, "user-content-")
	slug := markdown.Slug(fragment)
	for i := range doc.Headings {
		h := &doc.Headings[i]
		if strings.EqualFold(h.Slug, fragment) || h.Slug == slug || strings.HasSuffix(h.Text, "{#"+fragment+"}") {
			return h, true
		}
	}
	return nil, slices.ContainsFunc(doc.Anchors, func(a string) bool { return strings.EqualFold(a, fragment) })
}

// isPlainFragment reports whether a fragment is none that a heading answers:
// empty, lines (#L10-L20), a text (#:~:text=), a block of a wiki (#^id).
func isPlainFragment(fragment string) bool {
	if fragment == "" || strings.Contains(fragment, ":~:") || strings.HasPrefix(fragment, "^") {
		return true
	}
	rest, ok := strings.CutPrefix(fragment, "L")
	return ok && rest != "" && strings.Trim(rest, "0123456789LC-") == "" && '0' <= rest[0] && rest[0] <= '9'
}
