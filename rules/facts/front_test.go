package facts_test

import (
	"strings"
	"testing"

	"github.com/memls/memls/rules/facts"
)

func TestFrontState(t *testing.T) {
	for _, c := range []struct {
		name, src string
		state     facts.FrontState
		fault     facts.FenceFault
		faulty    string // the text of FaultSpan
		body      string // what follows the block
	}{
		{"closed", "---\nname: A\n---\nbody", facts.FrontClosed, facts.NoFault, "", "body"},
		{"closed at the end", "---\n---", facts.FrontClosed, facts.NoFault, "", ""},
		{"a later fault is text", "---\n---\n--- \n", facts.FrontClosed, facts.NoFault, "", "--- \n"},
		{"unclosed", "---\nname: A\n", facts.FrontUnclosed, facts.NoFault, "", ""},
		{"only a fence", "---", facts.FrontUnclosed, facts.NoFault, "", ""},
		{"empty", "", facts.FrontMissing, facts.NoFault, "", ""},
		{"text", "name: A\n---\n", facts.FrontMissing, facts.NoFault, "", ""},
		{"four dashes", "----\nname: A\n----\n", facts.FrontMissing, facts.FaultDashes, "-", ""},
		{"a word after the dashes", "---x\n---\n", facts.FrontMissing, facts.NoFault, "", ""},
		{"a rule without a second one", "--- \ntext\n", facts.FrontMissing, facts.NoFault, "", ""},
		{"BOM", "\ufeff---\n---\n", facts.FrontMissing, facts.FaultBOM, "\ufeff", ""},
		{"CRLF", "---\r\n---\r\n", facts.FrontMissing, facts.FaultCRLF, "\r", ""},
		{"trailing space", "--- \t\n---\n", facts.FrontMissing, facts.FaultTrailing, " \t", ""},
		{"leading lines", "\n \n---\n---\n", facts.FrontMissing, facts.FaultLeading, "\n \n", ""},
		{"closing CRLF", "---\nname: A\n---\r\n", facts.FrontUnclosed, facts.FaultCRLF, "\r", ""},
		{"closing space", "---\nname: A\n--- \n", facts.FrontUnclosed, facts.FaultTrailing, " ", ""},
	} {
		f := facts.ParseFront([]byte(c.src))
		body := ""
		if f.Body > 0 {
			body = c.src[f.Body:]
		}
		if faulty := c.src[f.FaultSpan.Start:f.FaultSpan.End]; f.State != c.state || f.Fault != c.fault || faulty != c.faulty || body != c.body {
			t.Errorf("%s: state %d, fault %d %q, body %q", c.name, f.State, f.Fault, faulty, body)
		}
	}
}

func TestFrontLines(t *testing.T) {
	for _, c := range []struct {
		line, key, value, raw string
		colon, indented       bool
	}{
		{"name: A", "name", "A", "name", true, false},
		{" name : A:B ", "name", "A:B", " name ", true, true},
		{"\tname:\tA", "\tname", "\tA", "\tname", true, true},
		{"name", "name", "name", "name", false, false},
		{":", "", "", "", true, false},
		{"name: A\r", "name", "A\r", "name", true, false},
		{"# note", "# note", "# note", "# note", false, false},
	} {
		src := "---\n" + c.line + "\n---\n"
		f := facts.ParseFront([]byte(src))
		if len(f.Lines) != 1 {
			t.Fatalf("%q: %d lines", c.line, len(f.Lines))
		}
		l := f.Lines[0]
		if l.Key != c.key || l.Value != c.value || l.RawKey != c.raw || l.Colon != c.colon || l.Indented != c.indented {
			t.Errorf("%q: %+v", c.line, l)
		}
		if at := src[l.KeySpan.Start:l.KeySpan.End]; at != l.Key {
			t.Errorf("%q: key at %q", c.line, at)
		}
		if at := src[l.ValueSpan.Start:l.ValueSpan.End]; at != l.Value {
			t.Errorf("%q: value at %q", c.line, at)
		}
	}
	f := facts.ParseFront([]byte("---\na: 1\n\na: 2\nb\n---\n"))
	if v, ok := f.Value("a"); v != "1" || !ok || len(f.Lines) != 3 {
		t.Errorf("a = %q, %v of %d lines", v, ok, len(f.Lines))
	}
	if _, ok := f.Value("b"); ok {
		t.Error("a line without a colon has a value")
	}
}

func TestLinesIn(t *testing.T) {
	src := []byte("---\r\na: 1\r\n\r\n  b\r\n---\r\n")
	lines := facts.LinesIn(src, facts.Span{Start: 5, End: 18})
	if len(lines) != 2 || lines[0].Value != "1" || lines[1].Key != "b" || !lines[1].Indented {
		t.Errorf("%+v", lines)
	}
}

// FuzzFront holds the reading by spans against one that splits the text.
func FuzzFront(f *testing.F) {
	for _, s := range []string{
		"", "---", "---\n---", "---\nname: A\ndescription: b\n---\nx\n", "---\n a :b:c \n\n#\n--- \n---", "\ufeff---\r\na\r\n---\r\n",
		"\n---\n---", "----\n----\n", "---\n\xff: \x00\n---\n", "--- \ntext", "-", "---\n:\n---\n\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got := facts.ParseFront(src)
		lines := strings.Split(string(src), "\n")
		if lines[0] != "---" {
			if got.State != facts.FrontMissing {
				t.Fatalf("state %d without a fence", got.State)
			}
			checkSpan(t, src, got.FaultSpan)
			return
		}
		end := 1
		var want []string
		for ; end < len(lines) && lines[end] != "---"; end++ {
			if lines[end] != "" {
				want = append(want, lines[end])
			}
		}
		if closed := end < len(lines); closed != (got.State == facts.FrontClosed) {
			t.Fatalf("state %d, closed %v", got.State, closed)
		}
		if len(want) != len(got.Lines) {
			t.Fatalf("%d lines, want %d", len(got.Lines), len(want))
		}
		for i, l := range got.Lines {
			key, value, colon := strings.Cut(want[i], ":")
			if !colon {
				value = key
			}
			if l.Key != strings.Trim(key, " ") || l.Value != strings.Trim(value, " ") || l.RawKey != key || l.Colon != colon {
				t.Errorf("%q read as %+v", want[i], l)
			}
			if text(src, l.Span) != want[i] || text(src, l.KeySpan) != l.Key || text(src, l.ValueSpan) != l.Value {
				t.Errorf("%q: spans %+v", want[i], l)
			}
		}
		if got.State == facts.FrontClosed {
			if body := strings.Join(lines[min(end+1, len(lines)):], "\n"); string(src[got.Body:]) != body {
				t.Errorf("body %q, want %q", src[got.Body:], body)
			}
		}
		checkSpan(t, src, got.FaultSpan)
	})
}

func text(src []byte, s facts.Span) string { return string(src[s.Start:s.End]) }

func checkSpan(t *testing.T, src []byte, s facts.Span) {
	t.Helper()
	if s.Start < 0 || s.End < s.Start || s.End > len(src) {
		t.Fatalf("span %v in %d bytes", s, len(src))
	}
}
