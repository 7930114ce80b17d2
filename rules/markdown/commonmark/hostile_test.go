package commonmark

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// Inputs that take goldmark's own link parser, or goldmark without a limit on
// nesting, minutes or gigabytes at this size. The test is that they finish.
func TestHostileInputsFinish(t *testing.T) {
	repeat := func(unit string) string { return strings.Repeat(unit, 100_000) }
	tests := []struct {
		name, src string
		links     int
	}{
		{"open brackets", repeat("["), 0},
		{"nested brackets", repeat("[") + repeat("]"), 0},
		{"nested brackets with a definition", "[a]: b\n\n" + repeat("[") + repeat("]"), 0},
		{"open destinations", repeat("[a]("), 0},
		{"open angle destinations", repeat("[a](<b"), 0},
		{"open titles", repeat("[a](b \""), 0},
		{"images in images", repeat("![") + repeat("](x)"), 100_000},
		{"exclamation marks", repeat("!"), 0},
		{"open wiki links", repeat("[[a"), 0},
		{"definitions", repeat("[b]: c\n"), 0},
		{"references over many lines", "[a]: b\n\nx" + repeat("[a] b\n"), 100_000},
		{"quotes", repeat(">") + "[a](b)", 1},
		{"lists", repeat("- ") + "[a](b)", 1},
		{"blank lines in deep lists", strings.Repeat("- ", 50) + "a\n" + repeat("\n") + "[a](b)", 1},
		{"emphasis", repeat("*a_ "), 0},
		{"emphasis in a heading", "# " + repeat("*a_ "), 0},
		{"backticks", backtickRuns(200_000), 0},
		{"open comments", repeat("a <!--"), 0},
		{"one long line", strings.Repeat("word ", 1_000_000), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(Parse([]byte(tt.src), 0).Links); got != tt.links {
				t.Errorf("%d links, want %d", got, tt.links)
			}
		})
	}
}

// backtickRuns is a text of n bytes in which no run of backticks has a partner.
func backtickRuns(n int) string {
	var b strings.Builder
	for run := 1; b.Len() < n; run++ {
		b.WriteString(strings.Repeat("`", run) + "\n")
	}
	return b.String()
}

func TestNestingBelowTheLimitIsKept(t *testing.T) {
	// Each list level is two blocks, so 31 of them fit, and the code is code.
	src := strings.Repeat("- ", 31) + "```\n" + strings.Repeat("  ", 31) + "[a](b)"
	if doc := Parse([]byte(src), 0); len(doc.Code) != 1 || len(doc.Links) != 0 {
		t.Errorf("code %v, links %v", doc.Code, doc.Links)
	}
	// A list after one that is too deep is a list again.
	src = strings.Repeat("- ", 100) + "a\n- ```\n  [a](b)\n"
	if doc := Parse([]byte(src), 0); len(doc.Code) != 1 || len(doc.Links) != 0 {
		t.Errorf("after deep nesting: code %v, links %v", doc.Code, doc.Links)
	}
}

func TestTruncated(t *testing.T) {
	line := "[a](b) é\n"
	full := strings.Repeat(line, MaxBody/len(line))
	for _, tt := range []struct {
		name, src string
		truncated bool
		links     int
	}{
		{"below the limit", full, false, MaxBody / len(line)},
		{"cut at a line", full + full, true, MaxBody / len(line)},
		{"no line to cut at", "[a](b)" + strings.Repeat("é", MaxBody), true, 1},
		{"no character to cut at", "[a](b)" + strings.Repeat("\x80", MaxBody), true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := Parse([]byte(tt.src), 0)
			if doc.Truncated != tt.truncated || len(doc.Links) != tt.links {
				t.Errorf("truncated %v with %d links, want %v with %d", doc.Truncated, len(doc.Links), tt.truncated, tt.links)
			}
		})
	}
}

func TestBodyOutOfRange(t *testing.T) {
	for _, body := range []int{-1, 99} {
		Parse([]byte("# a"), body)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range corpus {
		f.Add([]byte(s), 0)
		f.Add([]byte("---\n---\n"+s), 8)
	}
	f.Fuzz(func(t *testing.T, src []byte, body int) {
		before := bytes.Clone(src)
		doc := Parse(src, body)
		if !bytes.Equal(src, before) {
			t.Fatal("the source was changed")
		}
		if !reflect.DeepEqual(doc, Parse(src, body)) {
			t.Fatal("a second parse differs")
		}
		inside := func(outer, s Span) {
			if s.Start < outer.Start || s.Start > s.End || s.End > outer.End {
				t.Fatalf("span %v is not in %v", s, outer)
			}
		}
		all := Span{Start: min(max(body, 0), len(src)), End: len(src)}
		last := all.Start
		for _, l := range doc.Links {
			inside(Span{Start: last, End: all.End}, l.Span)
			inside(l.Span, l.TextSpan)
			inside(all, l.DestSpan)
			inside(all, l.FragmentSpan)
			last = l.Span.Start
		}
		for _, h := range doc.Headings {
			inside(all, h.Span)
			inside(h.Span, h.TextSpan)
		}
		for _, d := range doc.Definitions {
			inside(all, d.Span)
			inside(d.Span, d.DestSpan)
			inside(d.Span, d.FragmentSpan)
		}
		for _, s := range append(doc.Code, doc.HTML...) {
			inside(all, s)
		}
	})
}
