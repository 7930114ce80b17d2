package commonmark

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// definitions takes link reference definitions off the start of a paragraph.
type definitions struct{}

// Transform implements parser.ParagraphTransformer.
func (definitions) Transform(node *ast.Paragraph, _ text.Reader, pc parser.Context) {
	s := stateOf(pc)
	lines := node.Lines()
	first := 0 // first line of the rest
	for first < lines.Len() {
		c := newCursor(s.src, lines, first, lines.At(first).Start)
		def, ok := s.definition(&c)
		if !ok {
			break
		}
		s.addDefinition(def)
		first = c.line
	}
	if first == 0 {
		return
	}
	// A node in their stead: a list item that holds only definitions is not empty.
	placeholder := ast.NewLinkReferenceDefinition(nil, nil, nil)
	node.Parent().InsertBefore(node.Parent(), node, placeholder)
	lines.SetSliced(first, lines.Len())
	if lines.Len() == 0 {
		node.Parent().RemoveChild(node.Parent(), node)
	}
}

// definition reads one definition and moves c to the start of the line after it.
func (s *state) definition(c *cursor) (Definition, bool) {
	c.skipSpace()
	if c.byte() != '[' {
		return Definition{}, false
	}
	start := c.off
	label, ok := c.label()
	if !ok || c.byte() != ':' || strings.TrimSpace(label) == "" {
		return Definition{}, false
	}
	c.off++
	c.skipSpace()
	d, ok := c.destination()
	if !ok {
		return Definition{}, false
	}
	end := c.off
	alone := c.restIsBlank() // then what follows need not be a title
	titled := *c
	if titled.skipSpace() {
		if title, ok := titled.title(); ok && titled.restIsBlank() {
			d.title, end, alone = title, titled.off, true
			*c = titled
		}
	}
	if !alone {
		return Definition{}, false
	}
	c.line++
	return Definition{Label: label, Span: s.span(start, end), Target: s.target(d)}, true
}

func (s *state) addDefinition(d Definition) {
	if s.defs == nil {
		s.defs = map[string]int{}
	}
	key := util.ToLinkReference([]byte(d.Label))
	if _, taken := s.defs[key]; !taken {
		s.defs[key] = len(s.doc.Definitions)
	}
	s.doc.Definitions = append(s.doc.Definitions, d)
}
