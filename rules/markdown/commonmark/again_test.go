package commonmark

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// typed is what a step of TestAgain puts into a text.
var typed = []string{
	"", "a", "\n", "\n\n", "# ", "\n# New\n", "## A\n", "\n```\n", "~~~", "<!--", "-->", "\n<div>\n", "</div>", "\n---\n", "\n===\n", "- ", "\n  ", "\t", "> ",
	"[a](b.md#c)", "[a]", "[a]: b\n", "[[w|x]]", "`", "``", "[", "](", ")", "<a id=\"x\">", "\\", "\r\n", "\r", "é", "\xff", "#", " ", "1. ", "\n\n\n# A\n\n",
}

// Reading a text again after an edit finds what reading it anew does.
func TestAgain(t *testing.T) {
	texts := slices.Clone(corpus)
	texts = append(texts, note(800), note(3000), "# A\n\n# A\n\n<a name=x>\n\n# A-1\n\n# A\n", "\uFEFF# A\nb\n# C\n")
	for seed := range uint64(len(texts) * 12) {
		random := rand.New(rand.NewPCG(seed, 1))
		old, oldBody := []byte(texts[int(seed)%len(texts)]), 0
		doc := Parse(old, oldBody)
		for step := range 40 {
			source, body := change(random, old), oldBody
			if random.IntN(8) == 0 {
				body = random.IntN(min(len(source), 30) + 1)
			}
			body = min(body, len(source))
			got := Again(doc, old, oldBody, source, body)
			if want := Parse(source, body); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, step %d: %q, read from %d, became %q, read from %d, with\n%+v\nwant\n%+v", seed, step, old, oldBody, source, body, got, want)
			}
			doc, old, oldBody = got, source, body
		}
	}
}

// change is a text with some bytes replaced.
func change(random *rand.Rand, src []byte) []byte {
	start := random.IntN(len(src) + 1)
	end := min(len(src), start+random.IntN(4)*random.IntN(8))
	return slices.Concat(src[:start], []byte(typed[random.IntN(len(typed))]), src[end:])
}

func FuzzAgain(f *testing.F) {
	for _, s := range corpus {
		f.Add([]byte(s), 0, []byte("# A\n"+s), 0)
	}
	f.Fuzz(func(t *testing.T, old []byte, oldBody int, source []byte, body int) {
		oldBody, body = min(max(0, oldBody), len(old)), min(max(0, body), len(source))
		got, want := Again(Parse(old, oldBody), old, oldBody, source, body), Parse(source, body)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("found %+v, want %+v", got, want)
		}
	})
}

// A letter typed into a long file costs a small part of reading all of it.
func TestAgainReadsOneSection(t *testing.T) {
	old := []byte(note(30_000))
	source := slices.Concat(old[:15_000], []byte("x"), old[15_000:])
	doc := Parse(old, 0)
	again := testing.AllocsPerRun(5, func() { Again(doc, old, 0, source, 0) })
	all := testing.AllocsPerRun(5, func() { Parse(source, 0) })
	if again > all/10 {
		t.Errorf("an edit allocates %.0f times, and all of the file %.0f", again, all)
	}
}

func BenchmarkAgain(b *testing.B) {
	old := []byte(note(20_000))
	source := slices.Concat(old[:10_000], []byte("x"), old[10_000:])
	doc := Parse(old, 0)
	b.ReportAllocs()
	for b.Loop() {
		Again(doc, old, 0, source, 0)
	}
}
