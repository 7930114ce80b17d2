package commonmark

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/memls/memls/rules/markdown"
)

// show prints a link with everything that its spans cut out of src, and after the
// arrow what they were decoded to.
func show(src string, l Link) string {
	kinds := map[LinkKind]string{markdown.Inline: "inline", markdown.Reference: "reference", markdown.Image: "image", markdown.Wiki: "wiki", markdown.Autolink: "auto"}
	out := fmt.Sprintf("%s %s text=%s dest=%s", kinds[l.Kind],
		quote(src, l.Span), quote(src, l.TextSpan), quote(src, l.DestSpan))
	if l.HasFragment {
		out += " frag=" + quote(src, l.FragmentSpan)
	}
	out += " -> " + l.Dest
	if l.HasFragment {
		out += "#" + l.Fragment
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{l.Ref, " ref"}, {l.Angle, " angle"}, {l.Label != "", " label=" + l.Label}, {l.Title != "", " title=" + l.Title}} {
		if flag.on {
			out += flag.text
		}
	}
	return out
}

func quote(src string, s Span) string { return "`" + src[s.Start:s.End] + "`" }

func TestLinks(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"inline", "see [a b](dir/x.md)!", []string{"inline `[a b](dir/x.md)` text=`a b` dest=`dir/x.md` -> dir/x.md"}},
		{"fragment and title", `[a](x.md#top "The \"top\" &amp; more")`, []string{
			"inline `[a](x.md#top \"The \\\"top\\\" &amp; more\")` text=`a` dest=`x.md` frag=`top` -> x.md#top title=The \"top\" & more"}},
		{"titles in other quotes", "[a](x 'one') [b](y (two))", []string{
			"inline `[a](x 'one')` text=`a` dest=`x` -> x title=one",
			"inline `[b](y (two))` text=`b` dest=`y` -> y title=two"}},
		{"fragment only, empty fragment", "[a](#top) [b](x#)", []string{
			"inline `[a](#top)` text=`a` dest=`` frag=`top` -> #top",
			"inline `[b](x#)` text=`b` dest=`x` frag=`` -> x#"}},
		{"no destination", "[a]() [b](  <>  )", []string{
			"inline `[a]()` text=`a` dest=`` -> ",
			"inline `[b](  <>  )` text=`b` dest=`` ->  angle"}},
		{"angle brackets", "[a](<my notes.md#Top part>)", []string{
			"inline `[a](<my notes.md#Top part>)` text=`a` dest=`my notes.md` frag=`Top part` -> my notes.md#Top part angle"}},
		{"percent-encoding stays", "[a](my%20notes.md#Top%20part) [b](%zz.md)", []string{
			"inline `[a](my%20notes.md#Top%20part)` text=`a` dest=`my%20notes.md` frag=`Top%20part` -> my%20notes.md#Top%20part",
			"inline `[b](%zz.md)` text=`b` dest=`%zz.md` -> %zz.md"}},
		{"escapes and references", `[a](x\_\(y&amp;&#122;.md\#h) [b](\&amp;&nope;&#x23;f)`, []string{
			`inline ` + "`[a](x\\_\\(y&amp;&#122;.md\\#h)` text=`a` dest=`x\\_\\(y&amp;&#122;.md` frag=`h` -> x_(y&z.md#h",
			`inline ` + "`[b](\\&amp;&nope;&#x23;f)` text=`b` dest=`\\&amp;&nope;` frag=`f` -> &amp;&nope;#f"}},
		{"parentheses", "[a](x(1(2)).md) [b](y(.md)", []string{"inline `[a](x(1(2)).md)` text=`a` dest=`x(1(2)).md` -> x(1(2)).md"}},
		{"space in a bare destination", "[d](my notes.md)", nil},
		{"unicode", "日本語 [メモ](メモ.md#見出し)", []string{"inline `[メモ](メモ.md#見出し)` text=`メモ` dest=`メモ.md` frag=`見出し` -> メモ.md#見出し"}},
		{"over lines", "a [b\nc](\n  x.md\n  'two\nlines' ) d", []string{
			"inline `[b\nc](\n  x.md\n  'two\nlines' )` text=`b\nc` dest=`x.md` -> x.md title=two\nlines"}},
		{"over lines in a quote", "> a [b\n> c](\n> x.md 'two\n> lines')", []string{
			"inline `[b\n> c](\n> x.md 'two\n> lines')` text=`b\n> c` dest=`x.md` -> x.md title=two\nlines"}},
		{"CRLF", "a\r\n[b](x.md#h\r\n\"t\")\r\n\r\n[c]\r\n\r\n[c]: y.md\r\n", []string{
			"inline `[b](x.md#h\r\n\"t\")` text=`b` dest=`x.md` frag=`h` -> x.md#h title=t",
			"reference `[c]` text=`c` dest=`y.md` -> y.md ref label=c"}},
		{"tab-indented item", "-\tx\n\n\t[a](b.md)\n", []string{"inline `[a](b.md)` text=`a` dest=`b.md` -> b.md"}},
		{"nested brackets", "[a [b] [c](x.md) d](y.md)", []string{"inline `[c](x.md)` text=`c` dest=`x.md` -> x.md"}},
		{"brackets in the text", "[a [b] c](y.md)", []string{"inline `[a [b] c](y.md)` text=`a [b] c` dest=`y.md` -> y.md"}},
		{"image", "![alt [x](y)](p.png)", []string{
			"image `![alt [x](y)](p.png)` text=`alt [x](y)` dest=`p.png` -> p.png",
			"inline `[x](y)` text=`x` dest=`y` -> y"}},
		{"image in a link", "[![alt](p.png)](x.md)", []string{
			"inline `[![alt](p.png)](x.md)` text=`![alt](p.png)` dest=`x.md` -> x.md",
			"image `![alt](p.png)` text=`alt` dest=`p.png` -> p.png"}},
		{"references", "[one][ A  b ] [a B][] [a b] ![a b] [a b][no]\n\n[a\n  b]: <x y.md#h> 'T'", []string{
			"reference `[one][ A  b ]` text=`one` dest=`x y.md` frag=`h` -> x y.md#h ref angle label= A  b  title=T",
			"reference `[a B][]` text=`a B` dest=`x y.md` frag=`h` -> x y.md#h ref angle label=a B title=T",
			"reference `[a b]` text=`a b` dest=`x y.md` frag=`h` -> x y.md#h ref angle label=a b title=T",
			"image `![a b]` text=`a b` dest=`x y.md` frag=`h` -> x y.md#h ref angle label=a b title=T"}},
		{"shortcut before a bad tail", "[a](b c)\n\n[a]: x", []string{"reference `[a]` text=`a` dest=`x` -> x ref label=a"}},
		{"label over quoted lines", "> [a\n> b]\n\n[a b]: x", []string{"reference `[a\n> b]` text=`a\n> b` dest=`x` -> x ref label=a\nb"}},
		{"first definition counts", "[a]\n\n[a]: x\n[A]: y", []string{"reference `[a]` text=`a` dest=`x` -> x ref label=a"}},
		{"task list", "- [ ] todo\n- [x] done [a](b)", []string{"inline `[a](b)` text=`a` dest=`b` -> b"}},
		{"headings", "# A [b](c)\n\nD [e](f)\n===\n", []string{
			"inline `[b](c)` text=`b` dest=`c` -> c", "inline `[e](f)` text=`e` dest=`f` -> f"}},
		{"table", "| a | b |\n|---|---|\n| [x](y.md) | [[z\\|Z]] |", []string{
			"inline `[x](y.md)` text=`x` dest=`y.md` -> y.md",
			"wiki `[[z\\|Z]]` text=`z\\|Z` dest=`z` -> z label=Z"}},
		{"wiki", "[[x]] [[ dir/x # h | an alias ]] ![[p.png]] [[#top]]", []string{
			"wiki `[[x]]` text=`x` dest=`x` -> x",
			"wiki `[[ dir/x # h | an alias ]]` text=` dir/x # h | an alias ` dest=`dir/x` frag=`h` -> dir/x#h label=an alias",
			"wiki `![[p.png]]` text=`p.png` dest=`p.png` -> p.png",
			"wiki `[[#top]]` text=`#top` dest=`` frag=`top` -> #top"}},
		{"wiki text is raw", `[[a\_b&amp;%20]]`, []string{"wiki `[[a\\_b&amp;%20]]` text=`a\\_b&amp;%20` dest=`a\\_b&amp;%20` -> a\\_b&amp;%20"}},
		{"no wiki", "[[]] [[ ]] [[|a]] [[#]] [[a\nb]] [[a]b]] `[[c]]` \\[[d]]", nil},
		{"wiki with one bracket more", "[[[a]]]", []string{"wiki `[[a]]` text=`a` dest=`a` -> a"}},
		{"bracketed text of an inline link", "[[1]](https://example.org) [[2]](see below)", []string{
			"inline `[[1]](https://example.org)` text=`[1]` dest=`https://example.org` -> https://example.org",
			"wiki `[[2]]` text=`2` dest=`2` -> 2"}},
		{"autolinks", `<https://example.org/a\_b#c> <me@example.org> https://bare.example <no>`, []string{
			"auto `<https://example.org/a\\_b#c>` text=`https://example.org/a\\_b#c` dest=`https://example.org/a\\_b` frag=`c` -> https://example.org/a\\_b#c",
			"auto `<me@example.org>` text=`me@example.org` dest=`me@example.org` -> mailto:me@example.org"}},
		{"code and HTML", "`[a](b)` <!-- [a](b) --> <i title='[a](b)'>\n\n    [a](b)\n\n```\n[a](b) [[c]]\n```\n\n<!--\n[a](b)\n-->\n<div>\n[a](b)\n</div>\n", nil},
		{"destination wins over code", "[a](`b) c`", []string{"inline `[a](`b)` text=`a` dest=``b` -> `b"}},
		{"escaped brackets", `\[a](b) !\[e](f) [c\](d)`, nil},
		{"far-off stray brackets", "[ [ " + strings.Repeat("word ", 300) + "[a](b)", []string{"inline `[a](b)` text=`a` dest=`b` -> b"}},
		{"invalid UTF-8 and NUL", "\xff[a\x00\xc3](b\xff.md)\x00", []string{"inline `[a\x00\xc3](b\xff.md)` text=`a\x00\xc3` dest=`b\xff.md` -> b\xff.md"}},
	}
	const front = "---\nname: \"[n](m)\"\n---\n"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, prefix := range []string{"", front} {
				src := prefix + tt.src
				var got []string
				for _, l := range Parse([]byte(src), len(prefix)).Links {
					got = append(got, show(src, l))
				}
				if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
					t.Errorf("body at %d of %q\n got:\n%s\nwant:\n%s", len(prefix), src,
						strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
			}
		})
	}
}

func TestDefinitions(t *testing.T) {
	src := "> [A b]: <x y.md#h>\n>   'T\n> U'\n> [c]:\n> z.md\n> [d]: w.md \"no title\" here\n\n- [e]: v.md\n\n[f]: u.md 'open\ntext\n\n[g]: t s\n\n[h]: s\n\"no\" title\n"
	want := []string{
		"[A b]: <x y.md#h>\n>   'T\n> U'|A b|x y.md|x y.md|h|T\nU",
		"[c]:\n> z.md|c|z.md|z.md||",
		"[e]: v.md|e|v.md|v.md||",
		"[h]: s|h|s|s||",
		// [f]'s quotes never close, but its destination ends the line only
		// before them, so it is no definition, like [d] and [g].
	}
	var got []string
	for _, d := range Parse([]byte(src), 0).Definitions {
		got = append(got, strings.Join([]string{src[d.Span.Start:d.Span.End], d.Label,
			src[d.DestSpan.Start:d.DestSpan.End], d.Dest, d.Fragment, d.Title}, "|"))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestBlocks(t *testing.T) {
	src := "a `b` ``c\n` d``\n\n```go\nx\n\n\ny\n```\n> ~~~\n> q\n> ~~~\n\n\tindented\n\n      more\n\n" +
		"<div>\nh\n</div>\n\n<!-- c\n\n-->\nx <b id=\"p\" name=n>y</b> <a name='q'>\n\n- ~~~\n  open\n\n\n\nend\n\n``` \nto the end\r\n\r\n"
	doc := Parse([]byte(src), 0)
	wantCode := []string{"`b`", "``c\n` d``", "```go\nx\n\n\ny\n```", "~~~\n> q\n> ~~~", "indented\n\n      more",
		"~~~\n  open\n\n\n", "``` \nto the end\r\n"}
	wantHTML := []string{"<div>\nh\n</div>", "<!-- c\n\n-->", "<b id=\"p\" name=n>", "</b>", "<a name='q'>"}
	for _, check := range []struct {
		name  string
		spans []Span
		want  []string
	}{{"code", doc.Code, wantCode}, {"HTML", doc.HTML, wantHTML}} {
		var got []string
		for _, s := range check.spans {
			got = append(got, src[s.Start:s.End])
		}
		if !reflect.DeepEqual(got, check.want) {
			t.Errorf("%s: got\n%q\nwant\n%q", check.name, got, check.want)
		}
	}
	if want := []string{"p", "q"}; !reflect.DeepEqual(doc.Anchors, want) {
		t.Errorf("anchors %q, want %q", doc.Anchors, want)
	}
}

// A Doc outlives the source it was read from, which must not be kept for it.
func TestDocSharesNoMemoryWithSource(t *testing.T) {
	src := []byte(note(2000) + "\n[[w#h|alias]] <http://x.example/#f> [r] <a id=i>\n\n[r]: d#e 't'\n")
	doc, want := Parse(src, 0), fmt.Sprint(*Parse(src, 0))
	for i := range src {
		src[i] = '?'
	}
	if got := fmt.Sprint(*doc); got != want {
		t.Error("the facts changed with the source")
	}
}

func TestParseConcurrently(t *testing.T) {
	src := []byte(note(5000))
	want := Parse(src, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !reflect.DeepEqual(Parse(src, 0), want) {
				t.Error("facts differ between concurrent parses")
			}
		})
	}
	wg.Wait()
}

// note is a link-rich note of n bytes.
func note(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Heading %d about *things*\n\nSome prose with a [link](notes/file%d.md#part) and `code` and more words\n"+
			"on a second line, then **bold** text to the end of it.\n\n- item one with [[wiki/page]]\n- item two, plain text\n  continued here\n\n", i, i)
	}
	return b.String()[:n]
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{2_000, 20_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			src := []byte(note(size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				Parse(src, 0)
			}
		})
	}
}
