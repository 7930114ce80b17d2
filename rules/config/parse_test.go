package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A found problem as the tests write it: the message without the file's name,
// and the text that it points to.
type found struct{ message, at string }

func problemsOf(t *testing.T, src string) []found {
	t.Helper()
	c, problems := Parse([]byte(src))
	if (c == nil) != (len(problems) > 0) {
		t.Fatalf("Parse(%q) = config %v with problems %v, want one of the two", src, c, problems)
	}
	var all []found
	for _, p := range problems {
		message, ok := strings.CutPrefix(p.Message, ".memfs.config.json: ")
		if !ok {
			t.Errorf("Parse(%q): message %q does not name the file", src, p.Message)
		}
		all = append(all, found{message, src[p.Start:p.End]})
	}
	return all
}

func TestParseProblems(t *testing.T) {
	const (
		noPattern = "pattern must be a non-empty repo-relative glob using '/'"
		noSegment = "'**' must be a complete path segment"
		noLimit   = "maxCharacters must be a positive integer or null"
	)
	tests := []struct {
		src  string
		want []found
	}{
		// the file as a whole
		{`[]`, []found{{"expected a JSON object", `[]`}}},
		{` null `, []found{{"expected a JSON object", `null`}}},
		{`"x"`, []found{{"expected a JSON object", `"x"`}}},
		{`{"version":1,"maxdepth":2}`, []found{{"unknown field 'maxdepth'", `"maxdepth"`}}},
		{`{"version":1,"$schema":"x"}`, []found{{"unknown field '$schema'", `"$schema"`}}},
		{`{"version":1,"__proto__":{}}`, []found{{"unknown field '__proto__'", `"__proto__"`}}},
		{`{"version":1,"\u0061b":{"c":[1,{}]}}`, []found{{"unknown field 'ab'", `"\u0061b"`}}},

		// version
		{`{}`, []found{{"version must be 1", `{`}}},
		{`{"version":"1"}`, []found{{"version must be 1", `"1"`}}},
		{`{"version":2}`, []found{{"version must be 1", `2`}}},
		{`{"version":null}`, []found{{"version must be 1", `null`}}},
		{`{"version":1,"version":2}`, []found{{"version must be 1", `2`}}},

		// numbers
		{`{"version":1,"maxDepth":1.5}`, []found{{"maxDepth must be a non-negative integer", `1.5`}}},
		{`{"version":1,"maxDepth":-1}`, []found{{"maxDepth must be a non-negative integer", `-1`}}},
		{`{"version":1,"maxDepth":null}`, []found{{"maxDepth must be a non-negative integer", `null`}}},
		{`{"version":1,"maxFileCharacters":null}`, []found{{"maxFileCharacters must be a positive integer", `null`}}},
		{`{"version":1,"maxFileCharacters": 0 }`, []found{{"maxFileCharacters must be a positive integer", `0`}}},
		{`{"version":1,"maxCoreMemoryCharacters":"9"}`, []found{{"maxCoreMemoryCharacters must be a positive integer", `"9"`}}},
		{`{"version":1,"maxFileCharacters":9007199254740992}`, []found{{"maxFileCharacters must be a positive integer", `9007199254740992`}}},
		{`{"version":1,"maxFileCharacters":1e400}`, []found{{"maxFileCharacters must be a positive integer", `1e400`}}},

		// fileCharacterLimits
		{`{"version":1,"fileCharacterLimits":{}}`, []found{{"fileCharacterLimits must be an array", `{}`}}},
		{`{"version":1,"fileCharacterLimits":null}`, []found{{"fileCharacterLimits must be an array", `null`}}},
		{`{"version":1,"fileCharacterLimits":["a", [ ]]}`, []found{
			{"fileCharacterLimits[0] must be an object", `"a"`},
			{"fileCharacterLimits[1] must be an object", `[ ]`},
		}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"a","maxCharacters":1,"max":2}]}`, []found{
			{"fileCharacterLimits[0]: unknown field 'max'", `"max"`},
		}},
		{`{"version":1,"fileCharacterLimits":[{}]}`, []found{
			{"fileCharacterLimits[0]: " + noPattern, `{`},
			{"fileCharacterLimits[0]: " + noLimit, `{`},
		}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"","maxCharacters":0}]}`, []found{
			{"fileCharacterLimits[0]: " + noPattern, `""`},
			{"fileCharacterLimits[0]: " + noLimit, `0`},
		}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":7,"maxCharacters":null}]}`, []found{{"fileCharacterLimits[0]: " + noPattern, `7`}}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"/a","maxCharacters":null}]}`, []found{{"fileCharacterLimits[0]: " + noPattern, `"/a"`}}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"a\\b","maxCharacters":null}]}`, []found{{"fileCharacterLimits[0]: " + noPattern, `"a\\b"`}}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"a/../b**","maxCharacters":null}]}`, []found{{"fileCharacterLimits[0]: " + noPattern, `"a/../b**"`}}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"ref/**.md","maxCharacters":9}]}`, []found{{"fileCharacterLimits[0]: " + noSegment, `"ref/**.md"`}}},
		{`{"version":1,"fileCharacterLimits":[{"pattern":"***","maxCharacters":9}]}`, []found{{"fileCharacterLimits[0]: " + noSegment, `"***"`}}},

		// readOnlyFiles
		{`{"version":1,"readOnlyFiles":null}`, []found{{"readOnlyFiles must be an array", `null`}}},
		{`{"version":1,"readOnlyFiles":["a",null,"b**"]}`, []found{
			{"readOnlyFiles[1]: " + noPattern, `null`},
			{"readOnlyFiles[2]: " + noSegment, `"b**"`},
		}},

		// formatting
		{`{"version":1,"formatting":[]}`, []found{{"formatting must be an object", `[]`}}},
		{`{"version":1,"formatting":null}`, []found{{"formatting must be an object", `null`}}},
		{`{"version":1,"formatting":{"eol":"lf"}}`, []found{{"formatting: unknown field 'eol'", `"eol"`}}},
		{`{"version":1,"formatting":{"lineEndings":"crlf"}}`, []found{{"formatting.lineEndings must be 'lf'", `"crlf"`}}},
		{`{"version":1,"formatting":{"lineEndings":null}}`, []found{{"formatting.lineEndings must be 'lf'", `null`}}},
		{`{"version":1,"formatting":{"finalNewline":1,"trailingWhitespace":"no"}}`, []found{
			{"formatting.finalNewline must be a boolean", `1`},
			{"formatting.trailingWhitespace must be a boolean", `"no"`},
		}},

		// everything at once, in document order; ranges hold after bytes that are not UTF-8
		{"{ \"maxDepth\" : true,\n\t\"ä\xff\": 0 , \"fileCharacterLimits\":[ {\"pattern\": \"..\" } ]}", []found{
			{"version must be 1", `{`},
			{"maxDepth must be a non-negative integer", `true`},
			{"unknown field 'ä\uFFFD'", "\"ä\xff\""},
			{"fileCharacterLimits[0]: " + noLimit, `{`},
			{"fileCharacterLimits[0]: " + noPattern, `".."`},
		}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, problemsOf(t, tt.src), cmp.AllowUnexported(found{})); diff != "" {
			t.Errorf("Parse(%q): -want +got\n%s", tt.src, diff)
		}
	}
}

func TestParseField(t *testing.T) {
	src := `{"b":1,"fileCharacterLimits":[{"pattern":"a","max":1}],"formatting":{"finalNewline":0}}`
	want := []string{"version", "b", "fileCharacterLimits[0].maxCharacters", "fileCharacterLimits[0].max", "formatting.finalNewline"}
	_, problems := Parse([]byte(src))
	var got []string
	for _, p := range problems {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields of the problems: -want +got\n%s", diff)
	}
}

func TestParseAccepts(t *testing.T) {
	globs := cmp.Transformer("pattern", func(g *Glob) string { return g.String() })
	tests := []struct {
		src  string
		want Config
	}{
		{`{"version":1}`, Config{}},
		{"\r\n\t{ \"version\" : 1.0 }\n", Config{}},
		{`{"version":1e0,"maxFileCharacters":1e3}`, Config{MaxFile: new(int64(1000))}},
		{`{"version":1,"maxDepth":-0,"maxCoreMemoryCharacters":9007199254740991}`, Config{MaxDepth: new(int64(0)), MaxCore: new(int64(9007199254740991))}},
		{`{"version":1,"maxDepth":null,"maxDepth":3}`, Config{MaxDepth: new(int64(3))}},
		{`{"\u0076ersion":1,"maxDepth":1e-400}`, Config{MaxDepth: new(int64(0))}},
		{`{"version":1,"fileCharacterLimits":[],"readOnlyFiles":[],"formatting":{}}`, Config{}},
		{
			`{"version":1,"fileCharacterLimits":[{"maxCharacters":9,"pattern":"a/**"},{"pattern":"[b]","maxCharacters":null}],"readOnlyFiles":["\u002a.png"]}`,
			Config{
				Limits: []Limit{
					{Glob: mustGlob(t, "a/**"), Pattern: "a/**", Max: new(int64(9))},
					{Glob: mustGlob(t, "[b]"), Pattern: "[b]"},
				},
				ReadOnly: []*Glob{mustGlob(t, "*.png")},
			},
		},
		{
			`{"version":1,"formatting":{"lineEndings":"lf","finalNewline":true,"trailingWhitespace":true}}`,
			Config{Formatting: Formatting{LF: true, FinalNewline: true, TrailingWhitespace: true}},
		},
		{`{"version":1,"formatting":{"finalNewline":false}}`, Config{}},
	}
	for _, tt := range tests {
		got, problems := Parse([]byte(tt.src))
		if got == nil {
			t.Errorf("Parse(%q) refused: %v", tt.src, problems)
			continue
		}
		if diff := cmp.Diff(tt.want, *got, globs); diff != "" {
			t.Errorf("Parse(%q): -want +got\n%s", tt.src, diff)
		}
	}
}

func TestParseInvalidJSON(t *testing.T) {
	tests := []struct{ src, why, at string }{
		{"", "the file is empty, line 1 column 1", ""},
		{" \n ", "the file is empty, line 1 column 1", " \n "},
		{"\uFEFF{\"version\":1}", "the file starts with a byte order mark, line 1 column 1", "\uFEFF"},
		{"\xFF\xFE{\x00", "the file is UTF-16 instead of UTF-8, line 1 column 1", "\xFF\xFE"},
		{`{"version":1,"maxDepth":2,}`, "trailing comma before '}', line 1 column 26", ","},
		{"{\"version\":1,\n \"readOnlyFiles\":[\"a\",\n]}", "trailing comma before ']', line 2 column 22", ","},
		{"// limits\n{\"version\":1}", "comment (JSON has none), line 1 column 1", "//"},
		{"{\"version\":1} /* ok */", "comment (JSON has none), line 1 column 15", "/*"},
		{"{\n# depth\n}", "comment (JSON has none), line 2 column 1", "#"},
		{`{'version':1}`, "string in ''' (JSON needs double quotes), line 1 column 2", "'"},
		{"{\"é😀\":“1”}", "typographic quote '“' (JSON needs '\"'), line 1 column 7", "“"},
		{`{version:1}`, "key without double quotes, line 1 column 2", "version"},
		{`{"version":one}`, "text without double quotes, line 1 column 12", "one"},
		{`{"version":nil}`, "text without double quotes, line 1 column 12", "nil"},
		{`{"formatting":{"finalNewline":True}}`, "'true' must be in lower case, line 1 column 31", "True"},
		{`{"a":tru}`, "misspelt true, false or null: unexpected '}', line 1 column 9", "}"},
		{`{"version":1`, "the file ends before every quote and bracket is closed, line 1 column 13", ""},
		{`{"version`, "the file ends before every quote and bracket is closed, line 1 column 10", ""},
		{`{"version":1}}`, "unexpected '}' after the end of the JSON value, line 1 column 14", "}"},
		{`{"version" 1}`, "expected ':' instead of '1', line 1 column 12", "1"},
		{"{\"version\":1\n \"maxDepth\":2}", "expected ',' or '}' instead of '\"', line 2 column 2", `"`},
		{`{"version":1,"readOnlyFiles":["a" "b"]}`, "expected ',' or ']' instead of '\"', line 1 column 35", `"`},
		{`{"version":,}`, "expected a value instead of ',', line 1 column 12", ","},
		{"{\u00a0}", "expected a key in double quotes instead of U+00A0, line 1 column 2", "\u00a0"},
		{"{\xff}", "expected a key in double quotes instead of a byte that is not UTF-8, line 1 column 2", "\xff"},
		{"{\"vers\nion\":1}", "line break inside a string: write it as an escape, or close the string before, line 1 column 7", "\n"},
		{`{"a\'b":1}`, `unknown escape in a string: \ before ''', line 1 column 5`, "'"},
		{`{"\u12'4":1}`, `\u needs four hexadecimal digits instead of ''', line 1 column 7`, "'"},
		{`{"version":01}`, "malformed number: leading zero, line 1 column 13", "1"},
		{`{"version":1.}`, "malformed number: unexpected '}', line 1 column 14", "}"},
		{`{"version":+1}`, "expected a value instead of '+', line 1 column 12", "+"},
		{"{\n<<<<<<< HEAD\n\"version\":1\n}", "unresolved merge conflict, line 2 column 1", "<<<<<<<"},
		{"{\"a\":" + strings.Repeat("[", 20000), "brackets nested too deep, line 1 column 10005", "["},
	}
	for _, tt := range tests {
		want := []found{{"invalid JSON (" + tt.why + ")", tt.at}}
		if diff := cmp.Diff(want, problemsOf(t, tt.src), cmp.AllowUnexported(found{})); diff != "" {
			t.Errorf("Parse(%.80q): -want +got\n%s", tt.src, diff)
		}
	}
}

func TestParseDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	want := []found{{"unknown field 'x'", `"x"`}}
	if diff := cmp.Diff(want, problemsOf(t, `{"version":1,"x":`+deep+`}`), cmp.AllowUnexported(found{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"", "\uFEFF{}", `{"version":1}`, `{"version":1,}`, "{'a':1}", "{\"a\xff\":tru",
		`{"version":1,"maxDepth":1e3,"fileCharacterLimits":[{"pattern":"a/**","maxCharacters":null}]}`,
		`{"version":2,"formatting":{"lineEndings":"crlf","x":[{}]},"readOnlyFiles":["/a",[1]]}`,
		"<<<<<<< HEAD\n{}", `[0]`, `{"a":"\ud83d"}`,
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, problems := Parse(src)
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("config %v with problems %v, want one of the two", c, problems)
		}
		last := 0
		for _, p := range problems {
			if p.Start < last || p.End < p.Start || p.End > len(src) {
				t.Errorf("%s: range %d to %d is out of order or outside the %d bytes", p.Message, p.Start, p.End, len(src))
			}
			last = p.Start
		}
	})
}
