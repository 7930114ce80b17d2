package agentcli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// convert is a file as it is in v2: at its new path, with v2's frontmatter, and
// its links leading where they led. The rest of its text is kept to the byte.
func (m *migration) convert(f *tree.File) (*tree.File, error) {
	to := m.to[f.Path]
	if !rules.IsMarkdown(to) || !f.Mode.IsRegular() {
		if to == f.Path {
			return f, nil
		}
		return tree.NewFile(to, f.Mode, f.OID, onceContent(f.Bytes)), nil
	}
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	edits := m.linkEdits(f.Path, src)
	var front v1Front
	if !rules.InSkills(to) {
		front = m.readFront(src)
		if front.closed {
			edits = append(edits, rules.Edit{Span: rules.Span{End: front.body}, New: m.newFront(f.Path, to, &front)})
		}
	}
	out, err := rules.ApplyEdits(src, edits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rules.Display(f.Path), err)
	}
	m.protect(f.Path, to, &front, facts.Characters(out))
	if to == f.Path && len(edits) == 0 {
		return f, nil
	}
	return tree.NewFile(to, f.Mode, "", tree.Buffer(out)), nil
}

// A v1Front is the frontmatter of a v1 file.
type v1Front struct {
	closed bool
	body   int // where the text after it starts
	// values are those of v1's keys and of name, others the other keys.
	values map[string]string
	others []string
}

// readFront reads frontmatter as YAML, and where that is not valid as the lines
// that v1 takes it for: "description: Deploy: staging first" is such a one.
func (m *migration) readFront(src []byte) v1Front {
	y := m.parsers.YAML(src)
	front := v1Front{closed: y.State == facts.FrontClosed, body: y.Body, values: map[string]string{}}
	if !front.closed {
		return front
	}
	if y.Err == "" {
		for i := range y.Fields {
			front.set(y.Fields[i].Key, y.Fields[i].Value)
		}
		return front
	}
	for _, line := range facts.LinesIn(src, y.Text) {
		if line.Colon && !line.Indented {
			front.set(line.Key, unquote(line.Value))
		}
	}
	return front
}

func (front *v1Front) set(key, value string) {
	switch key {
	case "name", "description", "limit", "read_only":
		front.values[key] = value
	default:
		front.others = append(front.others, key)
	}
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// newFront is what takes the frontmatter's place. An index has none: what it
// said of itself becomes its first line.
func (m *migration) newFront(from, to string, front *v1Front) string {
	if len(front.others) > 0 {
		m.note("%s: the frontmatter of v2 has no place for %s; the last commit before this one has it", rules.Display(from), strings.Join(front.others, ", "))
	}
	description := front.values["description"]
	if !rules.IsIndex(to) {
		return blocks.Front(to, strings.TrimSuffix(to, ".md"), description)
	}
	if description = strings.TrimSpace(description); description != "" {
		description += "\n\n"
	}
	return description
}

// protect carries limit and read_only over to the config. v1 enforces no limit,
// so that a file may be beyond its own.
func (m *migration) protect(from, to string, front *v1Front, characters int) {
	limit, err := strconv.ParseInt(strings.TrimSpace(front.values["limit"]), 10, 64)
	switch {
	case err != nil || limit < 1:
		limit = 0
	case int64(characters) > limit:
		m.note("%s: is beyond its limit of %d (%d characters, frontmatter included), which v2 would enforce; the limit is left out", rules.Display(from), limit, characters)
		limit = 0
	}
	m.limits.add(to, limit, strings.EqualFold(strings.TrimSpace(front.values["read_only"]), "true"))
}

// linkEdits makes the links of a file lead where they led before the move.
func (m *migration) linkEdits(from string, src []byte) []rules.Edit {
	doc := m.parsers.Markdown(src, facts.BodyStart(src))
	var edits []rules.Edit
	for i := range doc.Links {
		if l := &doc.Links[i]; !l.Ref {
			edits = append(edits, m.linkEdit(from, l)...)
		}
	}
	for i := range doc.Definitions {
		edits = append(edits, m.linkEdit(from, &markdown.Link{Kind: markdown.Inline, Target: doc.Definitions[i].Target})...)
	}
	return edits
}

func (m *migration) linkEdit(from string, l *markdown.Link) []rules.Edit {
	before := rules.Resolve(m.old, from, l)
	var want string
	switch before.Kind {
	case rules.TargetFile:
		want = m.to[before.Path]
	case rules.TargetDir:
		want = m.newDir(before.Path)
	default:
		return nil
	}
	if now := rules.Resolve(m.moved, m.to[from], l); now.Kind == before.Kind && now.Path == want {
		return nil
	}
	text := rules.WriteTarget(m.to[from], want, l) + before.Query
	return []rules.Edit{{Span: l.DestSpan, New: text}}
}

// newDir is what a link to a directory leads to now: the directory, if there is
// one, else the root index.
func (m *migration) newDir(dir string) string {
	rest := strings.TrimPrefix(dir, m.prefix)
	if m.moved.Dir(rest) == nil || rest+"/" == m.prefix || dir == "" {
		return rules.Index
	}
	return rest
}
