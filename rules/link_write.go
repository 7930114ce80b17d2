package rules

import (
	"strings"

	"github.com/memls/memls/rules/markdown"
)

// WriteTarget is the destination, without a fragment, by which the file at
// from links to the file or directory at to. It is written in the manner of
// the link that it takes the place of: relative to the file or from the root,
// encoded only as far as its syntax asks, a wiki link with or without .md. It
// takes the place of the bytes of like.DestSpan.
func WriteTarget(from, to string, like *markdown.Link) string {
	if like.Kind == markdown.Wiki {
		return writeWiki(from, to, like.Dest)
	}
	if strings.HasSuffix(like.Dest, "/") && !IsMarkdown(to) {
		to += "/"
	}
	rel := "/" + to
	if !strings.HasPrefix(like.Dest, "/") {
		rel = relativePath(dirOf(from), to)
		first, _, _ := strings.Cut(rel, "/")
		if strings.HasPrefix(like.Dest, "./") && !strings.HasPrefix(rel, ".") || hasScheme(first) {
			rel = "./" + rel
		}
	}
	if like.Angle {
		// Between < and > spaces and parentheses stand for themselves.
		return strings.NewReplacer("%20", " ", "%28", "(", "%29", ")").Replace(EscapeTarget(rel))
	}
	return EscapeTarget(rel)
}

func writeWiki(from, to, written string) string {
	if !strings.HasSuffix(written, ".md") {
		to = strings.TrimSuffix(to, ".md")
	}
	if strings.HasPrefix(written, "./") || strings.HasPrefix(written, "../") {
		if to = relativePath(dirOf(from), to); !strings.HasPrefix(to, ".") {
			to = "./" + to
		}
	}
	return to
}

// relativePath is the way from a directory to a path, both relative to the
// root. (filepath.Rel speaks the paths of the machine it runs on.)
func relativePath(dir, to string) string {
	up := ""
	for dir != "" && to != dir && !strings.HasPrefix(to, dir+"/") {
		up += "../"
		dir = dirOf(dir)
	}
	if dir != "" {
		to = strings.TrimPrefix(strings.TrimPrefix(to, dir), "/")
	}
	if to = up + to; to == "" {
		return "."
	}
	return to
}

// RelativePath is the way from the file at from to a path, both relative to
// the root.
func RelativePath(from, to string) string { return relativePath(dirOf(from), to) }
