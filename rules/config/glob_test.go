package config

import (
	"math/rand/v2"
	"path"
	"regexp"
	"strings"
	"testing"
)

func mustGlob(t testing.TB, pattern string) *Glob {
	t.Helper()
	g, err := CompileGlob(pattern)
	if err != nil {
		t.Fatalf("CompileGlob(%q): %v", pattern, err)
	}
	return g
}

func TestGlobMatch(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"notes/**", []string{"notes/a.md", "notes/b/c", "notes/.x"}, []string{"notes", "notes2/a", "x/notes/a"}},
		{"**", []string{"a", "a/b.md", ".x"}, nil},
		{"**/*.md", []string{"a.md", "a/b/c.md", ".md"}, []string{"a.png", "a.md/x"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "a/b/c"}},
		{"**/a/**", []string{"a/x", "b/a/x/y"}, []string{"a", "b/a", "ba/x"}},
		{"*.md", []string{"a.md", ".md"}, []string{"a/b.md", "a.mdx", "xa.md/"}},
		{"a/*", []string{"a/b", "a/.b"}, []string{"a", "a/b/c"}},
		{"?.md", []string{"a.md", "é.md", "?.md"}, []string{".md", "ab.md", "/.md"}},
		{"[ab].md", []string{"[ab].md"}, []string{"a.md"}},
		{"[", []string{"["}, []string{"a"}},
		{"{a,b}", []string{"{a,b}"}, []string{"a", "b"}},
		{"!a", []string{"!a"}, []string{"b"}},
		{"a.b+(c)|^$", []string{"a.b+(c)|^$"}, []string{"axb+(c)|^$"}},
		{"A.md", []string{"A.md"}, []string{"a.md"}},
		{"./a", nil, []string{"a"}},
		{"a/", nil, []string{"a"}},
		{"a/**/", nil, []string{"a", "a/b"}},

		// `?` is a UTF-16 code unit
		{"?.md", nil, []string{"😀.md"}},
		{"??.md", []string{"😀.md", "éé.md"}, []string{"😀😀.md", "😀a.md"}},
		{"😀?", []string{"😀a"}, []string{"😀", "😀😀", "😁a"}},
		{"😀*", []string{"😀", "😀😀"}, []string{"😁"}},
		{"[??]", []string{"[😀]"}, []string{"😀"}},

		// names that a regular expression's dot does not match
		{"a/**", []string{"a/b\nc", "a/\u2028", "a/\xff"}, nil},
		{"a/?", []string{"a/\n", "a/\xff"}, []string{"a/\xff\xfe"}},
	}
	for _, tt := range tests {
		g := mustGlob(t, tt.pattern)
		if g.String() != tt.pattern {
			t.Errorf("String() of %q = %q", tt.pattern, g)
		}
		for _, p := range tt.yes {
			if !g.Match(p) {
				t.Errorf("%q does not match %q", tt.pattern, p)
			}
		}
		for _, p := range tt.no {
			if g.Match(p) {
				t.Errorf("%q matches %q", tt.pattern, p)
			}
		}
	}
}

func TestCompileGlobErrors(t *testing.T) {
	tests := []struct {
		pattern string
		want    error
	}{
		{"", errPattern}, {"/a", errPattern}, {"/", errPattern}, {`a\b`, errPattern},
		{"..", errPattern}, {"a/..", errPattern}, {"../a**", errPattern},
		{"a**", errDoubleStar}, {"**a", errDoubleStar}, {"a/***/b", errDoubleStar}, {"****", errDoubleStar},
		{"...", nil}, {"a..b", nil}, {"a//b", nil}, {"**/**", nil}, {"a/**/", nil},
	}
	for _, tt := range tests {
		if _, err := CompileGlob(tt.pattern); err != tt.want {
			t.Errorf("CompileGlob(%q) = %v, want %v", tt.pattern, err, tt.want)
		}
	}
}

// globRegexp says the rules for patterns once more, as a regular expression.
func globRegexp(pattern string) *regexp.Regexp {
	var b strings.Builder
	for rest := pattern; rest != ""; {
		for _, rule := range []struct{ glob, re string }{
			{"**/", "(?:.*/)?"}, {"**", ".*"}, {"*", "[^/]*"}, {"?", "[^/]"},
			{rest[:1], regexp.QuoteMeta(rest[:1])},
		} {
			if after, ok := strings.CutPrefix(rest, rule.glob); ok {
				b.WriteString(rule.re)
				rest = after
				break
			}
		}
	}
	return regexp.MustCompile(`(?s)^` + b.String() + `$`)
}

func TestGlobAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string, most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	patterns := strings.Split("a b a b ab . * ? / / ** **/ /**/ /** [ ] { } , ! ^ - ( $", " ")
	names := strings.Split("a b a b ab . .. / / / * ? [ ] { } , ! ^ - \n", " ")

	matched, compared := 0, 0
	for compared < 60000 {
		pattern := pick(patterns, 7)
		g, err := CompileGlob(pattern)
		if err != nil {
			continue
		}
		re := globRegexp(pattern)
		for range 10 {
			name := pick(names, 8)
			if path.Clean(name) != name || path.IsAbs(name) || name == "." || strings.HasPrefix(name, "..") {
				continue
			}
			got, want := g.Match(name), re.MatchString(name)
			if got != want {
				t.Errorf("%q on %q: glob %v, regexp %s %v", pattern, name, got, re, want)
			}
			compared++
			if want {
				matched++
			}
		}
	}
	if matched < compared/100 {
		t.Errorf("only %d of %d pairs match: the comparison says little", matched, compared)
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("notes/**", "notes/a.md")
	f.Add("**/?*.md", "a/😀.md")
	f.Add("[{!", "[{!")
	f.Add("a\xff?", "a\xff\xf0")
	f.Add("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := CompileGlob(pattern)
		if err != nil {
			return
		}
		got := g.Match(name)
		if !strings.ContainsAny(pattern, "*?") && !strings.HasSuffix(pattern, "/") && pattern == name && !got {
			t.Errorf("%q does not match itself", pattern)
		}
		if !strings.ContainsAny(pattern, "*?\uFFFD") && pattern != name && got {
			t.Errorf("literal %q matches %q", pattern, name)
		}
	})
}
