package blocks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/blocks"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		want             []blocks.Block
	}{
		{"body of a request", "a.json", `{"name": "x", "memory_blocks": [{"label": "human", "value": "a\nb", "description": "d", "limit": 5000.0, "read_only": true, "id": 7}]}`,
			[]blocks.Block{{Label: "human", Value: "a\nb", Description: "d", Limit: 5000, ReadOnly: true, From: "a.json"}}},
		{"list alone", "a.json", "\uFEFF" + ` [{"label": "a", "value": "", "description": null, "limit": null, "read_only": null}, {"label": "b", "value": "x"}]`,
			[]blocks.Block{{Label: "a", From: "a.json"}, {Label: "b", Value: "x", From: "a.json"}}},
		{"no blocks", "a.json", `[]`, nil},
		{"JSON by its look", "standard input", "\n[{\"label\": \"a\", \"value\": \"x\"}]", []blocks.Block{{Label: "a", Value: "x", From: "standard input"}}},
		{"a prompt file", "persona.mdx", "---\nlabel: persona\ndescription: Who I am, what I value.\n---\n\nI'm an assistant.\n",
			[]blocks.Block{{Label: "persona", Value: "I'm an assistant.\n", Description: "Who I am, what I value.", From: "persona.mdx"}}},
		{"all keys, CRLF and BOM", "p.md", "\uFEFF---\r\nlabel: \"p\"\r\ndescription: >-\r\n  two\r\n  lines\r\nlimit: 100\r\nread_only: true\r\nother: 1\r\n---\r\nx\r\n---\r\ny",
			[]blocks.Block{{Label: "p", Value: "x\r\n---\r\ny", Description: "two lines", Limit: 100, ReadOnly: true, From: "p.md"}}},
		{"what YAML takes for something else", "p.md", "---\nlabel: 007\ndescription: yes\n---\n",
			[]blocks.Block{{Label: "007", Description: "yes", From: "p.md"}}},
		{"a fence in a block scalar", "p.md", "---\nlabel: p\ndescription: |\n  a\n  ---\n  b\n---\nx",
			[]blocks.Block{{Label: "p", Description: "a\n---\nb\n", Value: "x", From: "p.md"}}},
		{"Markdown by its look", "standard input", "---\nlabel: p\n---\nx", []blocks.Block{{Label: "p", Value: "x", From: "standard input"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := blocks.Parse(test.file, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseSaysWhereItIsWrong(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a.json", "{\n\"memory_blocks\": [,]}", `a.json:2: invalid JSON (invalid character ',' looking for beginning of value)`},
		{"a.json", "", "a.json:1: invalid JSON (unexpected end of JSON input)"},
		{"a.json", "{}", `a.json: the object has no "memory_blocks"; give the body of a request, or the list alone`},
		{"a.json", `{"memory_blocks": {}}`, "a.json: memory_blocks must be a list of blocks"},
		{"a.json", `"x"`, "a.json: must be a list of blocks"},
		{"a.json", `{"memory_blocks": [{"label": "a", "value": "x"}, {"label": 7, "value": "x", "limit": 1.5, "read_only": "yes"}, 3]}`,
			"a.json: memory_blocks[1].label must be a string\na.json: memory_blocks[1].limit must be a positive integer\na.json: memory_blocks[1].read_only must be true or false\na.json: memory_blocks[2] must be an object"},
		{"a.json", `[{"value": "x", "limit": 0}]`, "a.json: [0].label is missing\na.json: [0].limit must be a positive integer"},
		{"a.json", "[\n\"\xff\"]", "a.json:2: is not UTF-8"},
		{"standard input", "hello", `standard input: is neither JSON with "memory_blocks" nor Markdown with frontmatter`},
		{"p.md", "hello", `p.md:1: has no frontmatter; a block starts with "---" and has a label`},
		{"p.md", "---\nlabel: a\n", `p.md:1: the frontmatter is never closed; end it with a line "---"`},
		{"p.md", "---\ndescription: a\n---\n", "p.md:1: the frontmatter has no label"},
		{"p.md", "---\nlabel: a\ndescription: b: c\n---\n", "p.md:3: the frontmatter is not valid YAML: mapping values are not allowed in this context"},
		{"p.md", "---\nlabel: a\nlimit: many\n---\n", "p.md:3: limit must be a positive integer"},
		{"p.md", "---\nlabel: [a]\n---\n", "p.md:2: label must be a string"},
		{"p.md", "---\nlabel: a\nread_only: 1\n---\n", "p.md:3: read_only must be true or false"},
	} {
		got, err := blocks.Parse(test.file, []byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s %q: %v, %v; want the error\n%s", test.file, test.text, got, err, test.want)
		}
	}
}
