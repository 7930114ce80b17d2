package commonmark

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memls/memls/rules/markdown"
)

func TestHeadings(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string // level, span, text span -> text, slug
	}{
		{"ATX", "x\n# One\n###### Six ###  \n####### seven\n#no", []string{
			"1 `# One` `One` -> One one", "6 `###### Six ###  ` `Six` -> Six six"}},
		{"empty", "#\n## ##\n", []string{"1 `#` `` ->  ", "2 `## ##` `` ->  -1"}},
		{"indented, in containers", "   # a\n> - ## b\n", []string{"1 `# a` `a` -> a a", "2 `## b` `b` -> b b"}},
		{"after a tab", "-\t# a\n", []string{"1 `# a` `a` -> a a"}},
		{"setext", "One\n two \n===\n\nThree\n---  \n", []string{
			"1 `One\n two \n===` `One\n two` -> One two one-two", "2 `Three\n---  ` `Three` -> Three three"}},
		{"setext in a quote", "> a\n> b\n> =\n", []string{"1 `a\n> b\n> =` `a\n> b` -> a b a-b"}},
		{"setext after a definition", "[a]: b\nc\n===\n", []string{"1 `c\n===` `c` -> c c"}},
		{"underline below definitions only", "[a]: b\n===\n", nil},
		{"CRLF", "# a\r\nb\r\n===\r\n", []string{"1 `# a` `a` -> a a", "1 `b\r\n===` `b` -> b b"}},
		{"markup", "# *a* __b__ `c  *d*` \\*e\\* &amp; <i>f</i> [g *h*](i) <http://j.k>\n", []string{
			"1 `# *a* __b__ `c  *d*` \\*e\\* &amp; <i>f</i> [g *h*](i) <http://j.k>` " +
				"`*a* __b__ `c  *d*` \\*e\\* &amp; <i>f</i> [g *h*](i) <http://j.k>` -> " +
				"a b c  *d* *e* & f g h http://j.k a-b-c--d-e--f-g-h-httpjk"}},
		{"emphasis does not cross a link", "# *a [b*](c) d*\n", []string{
			"1 `# *a [b*](c) d*` `*a [b*](c) d*` -> a b* d a-b-d"}},
		{"brackets, wiki link", "# [x] a [[p/q|r]] [[s#t]] ]\n", []string{
			"1 `# [x] a [[p/q|r]] [[s#t]] ]` `[x] a [[p/q|r]] [[s#t]] ]` -> [x] a r s#t ] x-a-r-st-"}},
		{"image has no part in the anchor", "# ![logo *x*](l.png) Name\n", []string{
			"1 `# ![logo *x*](l.png) Name` `![logo *x*](l.png) Name` -> logo x Name -name"}},
		{"repeated", "# a\n# A\n# a-1\n# a\n", []string{
			"1 `# a` `a` -> a a", "1 `# A` `A` -> A a-1", "1 `# a-1` `a-1` -> a-1 a-1-1", "1 `# a` `a` -> a a-2"}},
		{"byte order mark", "\uFEFF# a\n", []string{"1 `# a` `a` -> a a"}},
		{"in code", "```\n# a\n```\n\n    # b\n", nil},
		{"long heading keeps its emphasis marks", "# *a*" + strings.Repeat("b", maxEmphasis), []string{
			"1 `# *a*" + strings.Repeat("b", maxEmphasis) + "` `*a*" + strings.Repeat("b", maxEmphasis) + "` -> *a*" +
				strings.Repeat("b", maxEmphasis) + " a" + strings.Repeat("b", maxEmphasis)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, h := range Parse([]byte(tt.src), 0).Headings {
				got = append(got, fmt.Sprintf("%d %s %s -> %s %s", h.Level, quote(tt.src, h.Span), quote(tt.src, h.TextSpan), h.Text, h.Slug))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%q\n got:\n%s\nwant:\n%s", tt.src, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World!":       "hello-world",
		"a  b - c_d":          "a--b---c_d",
		"C++ & C#":            "c--c",
		"Größe ÄÖ":            "größe-äö",
		"日本語 見出し":             "日本語-見出し",
		"e\u0301te\u0301":     "e\u0301te\u0301", // combining marks
		"🚀 Launch":            "-launch",
		"1.2.3 (beta)":        "123-beta",
		"٣ digits, ½ not":     "٣-digits--not",
		"Ⅷ and Ⓐ are letters": "ⅷ-and-ⓐ-are-letters",
		"tab\there":           "tabhere",
		"":                    "",
	} {
		if got := markdown.Slug(text); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}
