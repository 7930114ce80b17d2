package facts_test

import (
	"testing"

	"github.com/memls/memls/rules/facts"
)

func TestEncodingOf(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      facts.Encoding
		bad       string // the text of InvalidAt
	}{
		{"empty", "", facts.UTF8, ""},
		{"ASCII", "abc", facts.UTF8, ""},
		{"UTF-8", "é語\U0001f600", facts.UTF8, ""},
		{"UTF-8 with BOM", "\ufeffa", facts.UTF8, ""},
		{"a replacement character", "\ufffd", facts.UTF8, ""},
		{"UTF-16LE", "\xff\xfea\x00", facts.UTF16LE, "\xff"},
		{"UTF-16BE", "\xfe\xff\x00a", facts.UTF16BE, "\xfe"},
		{"UTF-16LE without BOM", "a\x00b\x00c\x00d\x00e\x00", facts.UTF16LE, "\x00"},
		{"UTF-16BE without BOM", "\x00a\x00b\x00c\x00d\x00e", facts.UTF16BE, "\x00"},
		{"one NUL", "abc\x00def", facts.NUL, "\x00"},
		{"Latin-1", "caf\xe9 x", facts.Invalid, "\xe9"},
		{"a cut character", "a\xe8\xaa", facts.Invalid, "\xe8\xaa"},
		{"a surrogate", "\xed\xa0\x80", facts.Invalid, "\xed"},
	} {
		got := facts.EncodingOf([]byte(c.src))
		at := facts.InvalidAt([]byte(c.src))
		if bad := c.src[at.Start:at.End]; got != c.want || bad != c.bad {
			t.Errorf("%s: encoding %d, bad %q", c.name, got, bad)
		}
	}
}

// The numbers are those of the WHATWG decoder: one character for each maximal
// ill-formed subsequence.
func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		src     string
		want    int
		decoded string
	}{
		{"", 0, ""},
		{"aé語\U0001f600", 4, "aé語\U0001f600"},
		{"\ufeffa", 2, "\ufeffa"},
		{"e\u0301", 2, "e\u0301"},
		{"a\r\nb", 4, "a\r\nb"},
		{"\xff\xfe", 2, "\ufffd\ufffd"},
		{"\xe8\xaax", 2, "\ufffdx"},
		{"\xf0\x9f\x98", 1, "\ufffd"},
		{"\xed\xa0\x80", 3, "\ufffd\ufffd\ufffd"},
		{"\xe0\x80\x80", 3, "\ufffd\ufffd\ufffd"},
		{"\xf4\x90\x80\x80", 4, "\ufffd\ufffd\ufffd\ufffd"},
	} {
		if got := facts.Characters([]byte(c.src)); got != c.want {
			t.Errorf("%q has %d characters, want %d", c.src, got, c.want)
		}
		if got := facts.Decode(c.src); got != c.decoded {
			t.Errorf("%q decodes to %q, want %q", c.src, got, c.decoded)
		}
	}
}

func TestOf(t *testing.T) {
	f := facts.Of([]byte("\ufeff---\r\nx"))
	if !f.BOM || !f.CRLF || f.Bytes != 9 || f.Characters != 7 || f.FirstLine != (facts.Span{End: 6}) {
		t.Errorf("%+v", f)
	}
}
