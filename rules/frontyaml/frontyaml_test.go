package frontyaml_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/frontyaml"
)

func TestParseYAML(t *testing.T) {
	const src = "\ufeff---\r\nname: A # note\r\n\"quoted\": 'it''s'\r\nfolded: >-\r\n  one\r\n  two: 2\r\nlist: [a, b]\r\nnothing:\r\nnumber: 1.0\r\nmulti: one\r\n  two\r\nünï: é x\r\n---\r\nbody"
	y := frontyaml.Parse([]byte(src))
	if y.Err != "" || y.State != facts.FrontClosed || src[y.Body:] != "body" {
		t.Fatalf("%q, state %d, body at %d", y.Err, y.State, y.Body)
	}
	var got [][4]string
	for _, f := range y.Fields {
		got = append(got, [4]string{src[f.KeySpan.Start:f.KeySpan.End], f.Value, f.Tag, src[f.ValueSpan.Start:f.ValueSpan.End]})
	}
	want := [][4]string{
		{"name", "A", "!!str", "A"},
		{`"quoted"`, "it's", "!!str", "'it''s'"},
		{"folded", "one two: 2", "!!str", ">-\r\n  one\r\n  two: 2"},
		{"list", "", "!!seq", "[a, b]"},
		{"nothing", "", "!!null", ""},
		{"number", "1.0", "!!float", "1.0"},
		{"multi", "one two", "!!str", "one\r\n  two"},
		{"ünï", "é x", "!!str", "é x"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("fields (-want +got):\n%s", d)
	}
}

// YAML takes more characters for line ends than the text check does.
func TestParseYAMLLineEnds(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "\u0085", "\u2028"} {
		src := "---\na: 'x" + end + "  y'\nb: z\n---\n"
		y := frontyaml.Parse([]byte(src))
		f := y.Field("b")
		if f == nil {
			t.Errorf("%q: %q", end, y.Err)
			continue
		}
		if got := src[f.ValueSpan.Start:f.ValueSpan.End]; got != "z" {
			t.Errorf("%q: the value of b is at %q", end, got)
		}
	}
}

func TestParseYAMLStates(t *testing.T) {
	for _, c := range []struct {
		name, src string
		state     facts.FrontState
		err, at   string
	}{
		{"none", "text", facts.FrontMissing, "", ""},
		{"not closed", "---\nname: A\n", facts.FrontUnclosed, "", ""},
		{"empty", "---\n---\n", facts.FrontClosed, "", ""},
		{"only a comment", "---\n# note\n---\n", facts.FrontClosed, "", ""},
		{"a list", "---\n- a\n---\n", facts.FrontClosed, "not a list of keys and values", "- a"},
		{"a colon in the second line", "---\nname: A\ndescription: a: b\n---\n", facts.FrontClosed, "mapping values are not allowed in this context", "description: a: b"},
		{"a fence in a block scalar", "---\na: |\n  ---\n  b\n---\nbody", facts.FrontClosed, "", ""},
	} {
		y := frontyaml.Parse([]byte(c.src))
		if at := c.src[y.ErrSpan.Start:y.ErrSpan.End]; y.State != c.state || y.Err != c.err || at != c.at {
			t.Errorf("%s: state %d, error %q at %q", c.name, y.State, y.Err, at)
		}
	}
	y := frontyaml.Parse([]byte("---\na: 1\na: 2\n---\n"))
	if f := y.Field("a"); len(y.Fields) != 2 || f == nil || f.Value != "2" {
		t.Errorf("of two equal keys the last one counts, got %+v", f)
	}
}

func TestParseValue(t *testing.T) {
	for _, c := range []struct{ text, value, tag, reason string }{
		{"plain text", "plain text", "!!str", ""},
		{"a: b", "", "", "mapping values are not allowed in this context"},
		{"a:b", "a:b", "!!str", ""},
		{"text # note", "text", "!!str", ""},
		{`"a\tb"`, "a\tb", "!!str", ""},
		{"12", "12", "!!int", ""},
		{"yes", "yes", "!!str", ""},
		{"~", "~", "!!null", ""},
		{"[a]", "", "!!seq", ""},
		{"@a", "", "", "found character that cannot start any token"},
		{"\nb: c", "", "", "more than one value"},
	} {
		f, reason := frontyaml.Value(c.text)
		if f.Value != c.value || f.Tag != c.tag || reason != c.reason {
			t.Errorf("%q: %q %s, %q", c.text, f.Value, f.Tag, reason)
		}
	}
}

func TestYAMLScalar(t *testing.T) {
	for s, want := range map[string]string{
		"Human": "Human", "": `""`, "a: b": `"a: b"`, "a:b": "a:b", "12": `"12"`, "true": `"true"`, "null": `"null"`,
		" a": `" a"`, "a #b": `"a #b"`, `say "hi"`: `say "hi"`, `"hi"`: `"\"hi\""`, `C:\x`: `C:\x`, "- a": `"- a"`,
		"*a*": `"*a*"`, "a\nb": `"a\nb"`, "\x1b[1m": `"\u001b[1m"`, "2024-01-01": `"2024-01-01"`, "é語": "é語", "\u0080": `"\u0080"`,
	} {
		if got := frontyaml.Scalar(s); got != want {
			t.Errorf("%q is written %s, want %s", s, got, want)
		}
	}
}

// FuzzYAML checks that every place lies in the text and holds what it is said
// to hold, and that what is written for YAML is read back by it.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"---\nname: A\n---\n", "---\na: |\n  x\n\n  y\nb: \"q\\\"\" # c\n---\nbody", "---\r\na: 'x''y'\r\n---", "\ufeff---\n? a\n: b\n---\n",
		"---\n&x a: *x\n---\n", "---\n{a: b, c: [d]}\n---\n", "---\n- a\n---\n", "---\na: b: c\n---\n", "---\na: \x80\n---\n", "---\n\ta: 1\n---\n",
		"a\u0085b\u2028\ufeff", "\x7f\x00\u009f\uffff", "yes", "0x1", "<<", "!!str", "---\n!!map {? \"\" : }\n---\n", "---\na:\n-\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		y := frontyaml.Parse(src)
		checkSpan(t, src, y.Text)
		checkSpan(t, src, y.ErrSpan)
		if y.State == facts.FrontClosed && (y.Body < y.Text.End || y.Body > len(src)) {
			t.Fatalf("body at %d, text %v of %d", y.Body, y.Text, len(src))
		}
		if body := facts.BodyStart(src); y.State == facts.FrontClosed && body != y.Body {
			t.Fatalf("body at %d and at %d", y.Body, body)
		}
		for _, field := range y.Fields {
			for _, s := range []facts.Span{field.KeySpan, field.ValueSpan} {
				checkSpan(t, src, s)
				if s.Start < y.Text.Start || s.End > y.Text.End {
					t.Fatalf("%+v lies outside of %v", field, y.Text)
				}
			}
			if field.ValueSpan.Start < field.KeySpan.End {
				t.Fatalf("%+v: the value starts in the key", field)
			}
		}
		frontyaml.Value(string(src))
		if s := string(src); utf8.ValidString(s) {
			readBack(t, s, facts.QuoteYAML(s))
			readBack(t, s, frontyaml.Scalar(s))
		}
	})
}

func readBack(t *testing.T, s, written string) {
	t.Helper()
	var got map[string]any
	err := yaml.Unmarshal([]byte("k: "+written+"\n"), &got)
	if err != nil || got["k"] != s || strings.ContainsAny(written, "\r\n") {
		t.Fatalf("%q is written %s and read as %q (%v)", s, written, got["k"], err)
	}
}

func checkSpan(t *testing.T, src []byte, s facts.Span) {
	t.Helper()
	if s.Start < 0 || s.Start > s.End || s.End > len(src) {
		t.Fatalf("span %v is not in a text of %d bytes", s, len(src))
	}
}
