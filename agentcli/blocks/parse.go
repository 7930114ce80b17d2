package blocks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/frontyaml"
)

// Parse reads the blocks of one file: Markdown when its name ends in .md or
// .mdx, JSON when it ends in .json, and what the text looks like otherwise. name
// is where errors say they are.
func Parse(name string, src []byte) ([]Block, error) {
	if i := invalidAt(src); i >= 0 {
		return nil, fmt.Errorf("%s:%d: is not UTF-8", name, lineOf(src, i))
	}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	text := bytes.TrimSpace(src)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case ext == ".md" || ext == ".mdx":
	case ext == ".json" || bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")):
		return parseJSON(name, src)
	case !bytes.HasPrefix(text, []byte("---")):
		return nil, fmt.Errorf(`%s: is neither JSON with "memory_blocks" nor Markdown with frontmatter`, name)
	}
	b, err := parseMarkdown(name, src)
	return []Block{b}, err
}

func invalidAt(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func lineOf(src []byte, at int) int {
	return 1 + bytes.Count(src[:min(max(at, 0), len(src))], []byte("\n"))
}

// parseJSON reads the body of a request, or the list alone. Fields that a block
// does not have are those of other versions, and ignored.
func parseJSON(name string, src []byte) ([]Block, error) {
	var body any
	if err := json.Unmarshal(src, &body); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("%s:%d: invalid JSON (%w)", name, lineOf(src, int(syntax.Offset)-1), err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list, place := body, ""
	if object, ok := body.(map[string]any); ok {
		place = "memory_blocks"
		if list, ok = object[place]; !ok {
			return nil, fmt.Errorf(`%s: the object has no "memory_blocks"; give the body of a request, or the list alone`, name)
		}
	}
	items, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimSpace(place+" must be a list of blocks"))
	}
	var blocks []Block
	var errs []error
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", place, i)
		fields, ok := item.(map[string]any)
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s must be an object", name, at))
			continue
		}
		b := Block{From: name}
		for _, f := range jsonFields {
			if why := f.read(&b, fields[f.key]); why != "" {
				errs = append(errs, fmt.Errorf("%s: %s.%s %s", name, at, f.key, why))
			}
		}
		blocks = append(blocks, b)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return blocks, nil
}

// jsonFields read the fields of a block. The value is nil for one that is null
// or missing; the result says what it must be, "" when it is that.
var jsonFields = []struct {
	key  string
	read func(b *Block, v any) string
}{
	{"label", func(b *Block, v any) string { return text(&b.Label, v, true) }},
	{"value", func(b *Block, v any) string { return text(&b.Value, v, true) }},
	{"description", func(b *Block, v any) string { return text(&b.Description, v, false) }},
	{"limit", func(b *Block, v any) string {
		n, ok := v.(float64)
		if v != nil && (!ok || n < 1 || n != math.Trunc(n) || n >= 1<<53) {
			return badLimit
		}
		b.Limit = int64(n)
		return ""
	}},
	{"read_only", func(b *Block, v any) (why string) {
		ok := v == nil
		if !ok {
			b.ReadOnly, ok = v.(bool)
		}
		if !ok {
			why = "must be true or false"
		}
		return why
	}},
}

const badLimit = "must be a positive integer"

func text(to *string, v any, required bool) string {
	s, ok := v.(string)
	switch *to = s; {
	case ok, v == nil && !required:
		return ""
	case v == nil:
		return "is missing"
	}
	return "must be a string"
}

// parseMarkdown reads a block that is a file with frontmatter. Its value is the
// text after the frontmatter, without the blank lines that part the two.
func parseMarkdown(name string, src []byte) (Block, error) {
	b := Block{From: name}
	y := frontyaml.Parse(src)
	switch {
	case y.State == facts.FrontMissing:
		return b, fmt.Errorf(`%s:1: has no frontmatter; a block starts with "---" and has a label`, name)
	case y.State == facts.FrontUnclosed:
		return b, fmt.Errorf(`%s:1: the frontmatter is never closed; end it with a line "---"`, name)
	case y.Err != "":
		return b, fmt.Errorf("%s:%d: the frontmatter is not valid YAML: %s", name, lineOf(src, y.ErrSpan.Start), y.Err)
	}
	for i := range y.Fields {
		f := &y.Fields[i]
		if why := readField(&b, f); why != "" {
			return b, fmt.Errorf("%s:%d: %s %s", name, lineOf(src, f.KeySpan.Start), f.Key, why)
		}
	}
	if y.Field("label") == nil {
		return b, fmt.Errorf("%s:1: the frontmatter has no label", name)
	}
	b.Value = string(src[y.Body:])
	for {
		line, rest, found := strings.Cut(b.Value, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return b, nil
		}
		b.Value = rest
	}
}

// readField reads a key of the frontmatter; of a key that stands there twice
// the last one counts. Whatever a scalar is to YAML, as label and description
// it is text.
func readField(b *Block, f *facts.Field) string {
	scalar := f.Tag != "!!map" && f.Tag != "!!seq"
	if f.Tag == "!!null" && f.Key != "label" {
		return ""
	}
	switch f.Key {
	case "label", "description":
		if !scalar {
			return "must be a string"
		}
		if f.Key == "label" {
			b.Label = f.Value
		} else {
			b.Description = f.Value
		}
	case "limit":
		n, err := strconv.ParseInt(f.Value, 10, 64)
		if err != nil || n < 1 || n >= 1<<53 {
			return badLimit
		}
		b.Limit = n
	case "read_only":
		if f.Tag != "!!bool" {
			return "must be true or false"
		}
		b.ReadOnly = strings.EqualFold(f.Value, "true")
	}
	return ""
}
