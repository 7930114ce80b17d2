// Package frontyaml reads frontmatter as YAML, with the place of each key and
// value.
//
// It is apart from package facts because the hook, which judges frontmatter
// as plain lines, starts faster without the libraries behind it.
package frontyaml

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/adrg/frontmatter"
	"gopkg.in/yaml.v3"

	"github.com/memls/memls/rules/facts"
)

type span = facts.Span

// Parse reads the frontmatter of src as YAML. Sequences of one document
// only; tags and anchors are YAML's own business.
func Parse(src []byte) *facts.YAML {
	y := facts.SplitYAML(src)
	if y.State != facts.FrontClosed {
		return &y
	}
	text := src[y.Text.Start:y.Text.End]
	// The library splits and hands the text over; where its split differs
	// from ours (it ends at an indented "---" in a block scalar, and
	// skips blank lines before the fence) ours holds.
	format := frontmatter.NewFormat("---", "---", func(b []byte, _ any) error {
		if len(b) == len(text) {
			text = b
		}
		return nil
	})
	_, _ = frontmatter.Parse(bytes.NewReader(bytes.TrimPrefix(src, []byte("\uFEFF"))), &struct{}{}, format)

	var doc yaml.Node
	if err := unmarshal(text, &doc); err != nil {
		fail(&y, src, err)
		return &y
	}
	if len(doc.Content) == 0 {
		return &y
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		y.Err, y.ErrSpan = "not a list of keys and values", lineSpanAt(src, y.Text, 1)
		return &y
	}
	p := newPositions(src, y.Text)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		limit := y.Text.End
		if i+2 < len(root.Content) {
			limit = p.offset(root.Content[i+2])
		}
		y.Fields = append(y.Fields, p.field(key, value, limit))
	}
	return &y
}

// unmarshal parses text into a node. The parser panics on some malformed
// input, which is an error of the input like any other.
func unmarshal(text []byte, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: cannot be read (%v)", r)
		}
	}()
	return yaml.Unmarshal(text, doc)
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): `) })

// fail records a parser error.
func fail(y *facts.YAML, src []byte, err error) {
	var line int
	line, y.Err = parserError(err)
	y.ErrSpan = lineSpanAt(src, y.Text, line)
}

// parserError takes apart what the parser says. It counts lines within its
// text and knows no columns.
func parserError(err error) (line int, reason string) {
	line, reason = 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine().FindStringSubmatch(reason); m != nil {
		line, _ = strconv.Atoi(m[1])
		reason = strings.TrimPrefix(strings.Replace(reason, m[0], "", 1), "unmarshal errors:\n  ")
	}
	return line, reason
}

func lineSpanAt(src []byte, text span, line int) span {
	at := text.Start
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(src[at:text.End], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	l := span{Start: min(at, len(src)), End: len(src)}
	if i := bytes.IndexByte(src[l.Start:], '\n'); i >= 0 {
		l.End = l.Start + i
	}
	if l.End > l.Start && src[l.End-1] == '\r' {
		l.End--
	}
	return l
}

// positions turns the parser's line and column (in runes, 1-based) into bytes.
type positions struct {
	src   []byte
	text  span
	lines []int // where each line starts
}

func newPositions(src []byte, text span) positions {
	p := positions{src: src, text: text, lines: []int{text.Start}}
	for at, r := range string(src[text.Start:text.End]) {
		// YAML has more line ends than the text check.
		switch next := text.Start + at + utf8.RuneLen(r); r {
		case '\r':
			if next == text.End || src[next] != '\n' {
				p.lines = append(p.lines, next)
			}
		case '\n', '\u0085', '\u2028', '\u2029':
			p.lines = append(p.lines, next)
		}
	}
	return p
}

func (p positions) offset(n *yaml.Node) int {
	at := p.lines[min(max(n.Line, 1), len(p.lines))-1]
	for c := 1; c < n.Column && at < p.text.End; c++ {
		_, w := utf8.DecodeRune(p.src[at:])
		at += w
	}
	return min(at, p.text.End)
}

func (p positions) field(key, value *yaml.Node, limit int) facts.Field {
	f := facts.Field{Key: key.Value}
	describe(&f, value)
	f.KeySpan.Start = p.offset(key)
	f.KeySpan.End = p.end(key, f.KeySpan.Start, limit)
	f.ValueSpan.Start = max(p.offset(value), f.KeySpan.End)
	f.ValueSpan.End = p.end(value, f.ValueSpan.Start, limit)
	return f
}

// describe takes from the node all but its place.
func describe(f *facts.Field, value *yaml.Node) {
	f.Tag = value.ShortTag()
	if value.Kind == yaml.ScalarNode {
		f.Value = value.Value
		f.Block = value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		f.Quoted = value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	}
}

// end finds where the source of a node stops, before limit.
func (p positions) end(n *yaml.Node, start, limit int) int {
	if start >= limit {
		return start
	}
	s := p.src[start:limit]
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0 && s[0] == '"':
		return start + quotedEnd(s, '\\')
	case n.Kind == yaml.ScalarNode && n.Style&yaml.SingleQuotedStyle != 0 && s[0] == '\'':
		return start + quotedEnd(s, '\'')
	case n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value != "" && bytes.HasPrefix(s, []byte(n.Value)):
		return start + len(n.Value)
	case n.Kind == yaml.ScalarNode && n.Value == "" && n.Tag == "!!null":
		return start
	case n.Kind == yaml.ScalarNode && n.Style == 0:
		if i := bytes.Index(s, []byte(" #")); i >= 0 {
			s = s[:i]
		}
	}
	return start + len(bytes.TrimRight(s, " \t\r\n"))
}

// quotedEnd is the length of the quoted scalar that s starts with; escape is
// what takes the quote's meaning away.
func quotedEnd(s []byte, escape byte) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == escape && i+1 < len(s) && (escape != quote || s[i+1] == quote):
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(bytes.TrimRight(s, " \t\r\n"))
}
