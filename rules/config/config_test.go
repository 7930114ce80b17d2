package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, src string) *Config {
	t.Helper()
	c, problems := Parse([]byte(src))
	if c == nil {
		t.Fatalf("Parse(%q): %v", src, problems)
	}
	return c
}

func TestFileLimit(t *testing.T) {
	tests := []struct {
		name, src, path, want string
	}{
		{"no limit at all", `{"version":1}`, "a.md", "none"},
		{"the common limit", `{"version":1,"maxFileCharacters":80}`, "persona.md", "80 from maxFileCharacters"},
		{"the first glob wins", budgets, "reference/private/notes.md", "220 from glob 'reference/**/*.md'"},
		{"a later glob", budgets, "reference/private/notes.txt", "60 from glob 'reference/private/**'"},
		{"no glob", budgets, "persona.md", "80 from maxFileCharacters"},
		{"null lifts the limit", budgets, "log.md", "none"},
		{"null hides later globs", budgets, "big/log.md", "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := "none"
			if max, source, ok := mustParse(t, tt.src).FileLimit(tt.path); ok {
				got = fmt.Sprintf("%d from %s", max, source)
			}
			if got != tt.want {
				t.Errorf("FileLimit(%q) = %s, want %s", tt.path, got, tt.want)
			}
		})
	}
}

const budgets = `{"version":1,"maxFileCharacters":80,"fileCharacterLimits":[
	{"pattern":"reference/**/*.md","maxCharacters":220},
	{"pattern":"reference/private/**","maxCharacters":60},
	{"pattern":"**/log.md","maxCharacters":null},
	{"pattern":"big/*","maxCharacters":5}]}`

func TestIsReadOnly(t *testing.T) {
	c := mustParse(t, `{"version":1,"readOnlyFiles":["*.png","policy/**","**/policy/a.md"]}`)
	for path, want := range map[string]string{
		"me.png": "*.png", "policy/a.md": "policy/**", "x/policy/a.md": "**/policy/a.md", "x/me.png": "", "policy": "",
	} {
		if got, ok := c.IsReadOnly(path); got != want || ok != (want != "") {
			t.Errorf("IsReadOnly(%q) = %q, %v, want %q", path, got, ok, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	want := &Config{MaxDepth: new(int64(2)), MaxFile: new(int64(20000)), MaxCore: new(int64(65536))}
	if diff := cmp.Diff(want, Defaults()); diff != "" {
		t.Errorf("Defaults(): -want +got\n%s", diff)
	}
	written := mustParse(t, `{"version":1,"maxDepth":0,"formatting":{"finalNewline":true}}`)
	want = &Config{MaxDepth: new(int64(0)), MaxFile: new(int64(20000)), MaxCore: new(int64(65536)), Formatting: Formatting{FinalNewline: true}}
	if diff := cmp.Diff(want, written.WithDefaults()); diff != "" {
		t.Errorf("WithDefaults(): -want +got\n%s", diff)
	}
	if written.MaxFile != nil {
		t.Error("WithDefaults changed its receiver")
	}
}

func TestParsePolicy(t *testing.T) {
	tests := []struct {
		in   string
		want Policy
		ok   bool
	}{
		{"root-marker\n", RootMarker, true},
		{" \t\u00a0\uFEFFshared-memory\r\n\u2028", SharedMemory, true},
		{"legacy-only", LegacyOnly, true},
		{"", LegacyOnly, false},
		{"Root-Marker", LegacyOnly, false},
		{"root-marker legacy-only", LegacyOnly, false},
		{"root-marker\u0085", LegacyOnly, false},
		{"root-marker\x00", LegacyOnly, false},
	}
	for _, tt := range tests {
		if got, ok := ParsePolicy(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("ParsePolicy(%q) = %q, %v, want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

// The defaults that the fields are documented with are those that apply.
func TestDocumentedDefaults(t *testing.T) {
	var b strings.Builder
	for _, f := range Fields() {
		if f.Default != "" {
			fmt.Fprintf(&b, ",%q:%s", f.Name, f.Default)
		}
	}
	c := mustParse(t, "{"+b.String()[1:]+"}")
	if diff := cmp.Diff(Defaults(), c); diff != "" {
		t.Errorf("-Defaults +documented\n%s", diff)
	}
}

// The schema knows the same fields as the parser, with the same words.
func TestSchemaAgreesWithFields(t *testing.T) {
	var root node
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]Field)
	root.collect("", got)
	want := make(map[string]Field)
	for _, f := range Fields() {
		want[f.Name] = f
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-Fields +Schema\n%s", diff)
	}
}

// A node is what the test above reads of a JSON Schema.
type node struct {
	Description string
	Default     json.RawMessage
	Properties  map[string]*node
	Items       *node
}

func (n *node) collect(prefix string, into map[string]Field) {
	for name, p := range n.Properties {
		into[prefix+name] = Field{Name: prefix + name, Doc: p.Description, Default: string(p.Default)}
		p.collect(prefix+name+".", into)
	}
	if n.Items != nil {
		n.Items.collect(strings.TrimSuffix(prefix, ".")+"[].", into)
	}
}
