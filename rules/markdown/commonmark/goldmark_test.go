package commonmark

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/memls/memls/rules/markdown"
)

// corpus holds constructs where link parsers go wrong, for the comparison with
// goldmark and as a start for the fuzzer.
var corpus = []string{
	"[a](b) ![c](d \"t\") <http://e.f> <g@h.i>",
	"[a](<b c> 'd') [e](f(g)h) [i](\\)j) [k]() [l](<>)",
	"[a](b\n'c\nd') [e\nf](\ng\n)",
	"[a][b] [b][] [b] ![b] [c][b [d]\n\n[b]: /u 't'\n[B]: /v\n",
	"[a](b \"c\" d) [e] (f) [g](h\"i\") [j](k 'l\" m')",
	"[a [b](c) d](e) ![a [b](c) d](e) [a ![b](c) d](e)",
	"[a][b][c]\n\n[b]: /b\n[c]: /c\n", "[a][b][c]\n\n[a]: /a\n[c]: /c\n",
	"[a]: /x\n===\n[a]\n", "# [a](b)\n[c](d)\n===\n\n[e]\n---\n\n[e]: f",
	"*a [b*](c) *d* [*e](f)*", "[a`](b)`", "[a<b c=\"](d)\">", "[a<http://b.c?](d)>",
	"> [a\n> b](c)\n> - [d](e\n  f)\n", "- [a]: b\n\n  [a]\n- c\n", "[a]: <b>c\n[a]", "[a]: b 'c' d\n[a]",
	"[a]:\nb\n\"c\"\n[a]", "[a]: b 'c\n\nd'\n[a]", "[\n]: b\n[]", "[a\\]]: b\n[a\\]]",
	"[ẞ]\n\n[SS]: /s", "[a  b]\n\n[A\nB]: c", "![a](b)](c)", "[![a](b)](c)", "\\![a](b) !\\[c](d) \\\\[e](f)",
	"a\\\n[b](c)  \n[d](e)\r\n[f](g)\\\r\n[h](i)", "- a\n\n\t[b](c)\n\n\t- [d](e)\n", "    [a](b)\n\n\t[c](d)\n",
	"```\n[a](b)\n```\n[c](d)\n~~~\n[e](f)", "<div>\n[a](b)\n\n[c](d)\n</div>\n", "`[a](b)` ``[c](d)` [e](f)",
	"1. [a](b)\n   > # [c](d)\n   > e\n[f](g)\n", "[a](b&amp;c&#35;d&nosuch;) [e](\\&amp;)", "- \n\n  [a](b)\n", "* * *\n- - [a](b)\n",
}

// What both read has to come out alike. The corpus leaves out wiki links, which
// are ours, and where goldmark departs from CommonMark: it lets control characters,
// unbalanced parentheses and < through in destinations, and gives a definition the
// title of a line with more text behind it.
func TestAgreesWithGoldmark(t *testing.T) {
	for _, src := range corpus {
		for _, s := range []string{src, strings.ReplaceAll(src, "\n", "\r\n"), "> " + strings.ReplaceAll(src, "\n", "\n> ")} {
			if got, want := summary(s), goldmarkSummary(s); got != want {
				t.Errorf("%q\n     got %s\ngoldmark %s", s, got, want)
			}
		}
	}
}

func summary(src string) string {
	doc := Parse([]byte(src), 0)
	var out strings.Builder
	for _, h := range doc.Headings {
		fmt.Fprintf(&out, "h%d ", h.Level)
	}
	for _, l := range doc.Links {
		dest := l.Dest
		if l.HasFragment {
			dest += "#" + l.Fragment
		}
		fmt.Fprintf(&out, "(%v %v %q %q) ", l.Kind == markdown.Image, l.Kind == markdown.Autolink, dest, l.Title)
	}
	return out.String()
}

func goldmarkSummary(src string) string {
	var headings, links strings.Builder
	root := goldmark.DefaultParser().Parse(text.NewReader([]byte(src)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			fmt.Fprintf(&headings, "h%d ", n.Level)
		case *ast.Link:
			fmt.Fprintf(&links, "(false false %q %q) ", unescape(n.Destination), unescape(n.Title))
		case *ast.Image:
			fmt.Fprintf(&links, "(true false %q %q) ", unescape(n.Destination), unescape(n.Title))
		case *ast.AutoLink:
			url := string(n.URL([]byte(src)))
			if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(url, "mailto:") {
				url = "mailto:" + url
			}
			fmt.Fprintf(&links, "(false true %q \"\") ", url)
		}
		return ast.WalkContinue, nil
	})
	return headings.String() + links.String()
}
