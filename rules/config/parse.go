package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// A Problem is one thing that is wrong with a constraint file.
type Problem struct {
	Message    string // the whole finding, file name included
	Field      string // e.g. "fileCharacterLimits[0].pattern"; "" for the file as a whole
	Start, End int    // byte offsets in the source, 0-based, End exclusive
}

// Parse reads a constraint file. It returns either the config or every problem
// in it, in document order; it never fills in defaults, and with a problem
// anywhere nothing of the file holds.
//
// It accepts exactly what Letta Code accepts: the JSON of JavaScript's
// JSON.parse, in which a later duplicate of a key replaces the earlier one. The
// one exception is nesting deeper than 10,000 levels, which the library refuses.
func Parse(src []byte) (*Config, []Problem) {
	if problem, bad := syntaxProblem(src); bad {
		return nil, []Problem{problem}
	}
	raw := bytes.TrimSpace(src) // valid JSON has only ASCII white space around it
	root := value{raw: raw, start: bytes.Index(src, raw[:1])}

	var (
		p parser
		c Config
	)
	if root.isObject() {
		readObject(&p, &c, root, rootFields)
	} else {
		p.report(root, "expected a JSON object")
	}
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Start, b.Start) })
		return nil, p.problems
	}
	return &c, nil
}

// A parser gathers the problems of one file.
type parser struct{ problems []Problem }

// report adds a problem with the value v. One that is missing is reported at the
// first byte of what should hold it.
func (p *parser) report(v value, format string, args ...any) {
	p.reportAt(v.path, v.start, v.start+max(len(v.raw), 1), format, args...)
}

func (p *parser) reportAt(field string, start, end int, format string, args ...any) {
	message := Path + ": " + fmt.Sprintf(format, args...)
	p.problems = append(p.problems, Problem{Message: message, Field: field, Start: start, End: end})
}

// readObject reads the members of v that table knows into dst and reports the
// others. A member that is required and missing is reported at v's opening brace.
func readObject[T any](p *parser, dst *T, v value, table []field[T]) {
	seen := make(map[string]bool)
	for _, m := range v.members() {
		i := slices.IndexFunc(table, func(f field[T]) bool { return f.Name == m.key })
		if i < 0 {
			label := ""
			if v.path != "" {
				label = v.path + ": "
			}
			p.reportAt(m.value.path, m.keyStart, m.keyEnd, "%sunknown field '%s'", label, m.key)
			continue
		}
		seen[m.key] = true
		table[i].read(p, dst, m.value)
	}
	for _, f := range table {
		if f.required && !seen[f.Name] {
			f.read(p, dst, value{path: v.field(f.Name), start: v.start})
		}
	}
}
