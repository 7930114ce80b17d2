package compile

import (
	"bytes"
	"context"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// A source is a core file taken apart. All its text is valid UTF-8.
type source struct {
	path string
	// raw is the whole file, trailing white space trimmed.
	raw string
	// description is the frontmatter's, "" where it has none.
	description string
	// body is the file without frontmatter and byte order mark, with LF line
	// ends, trailing white space trimmed.
	body string
}

var encodingFaults = map[facts.Encoding]string{
	facts.UTF16LE: "is UTF-16, not UTF-8",
	facts.UTF16BE: "is UTF-16, not UTF-8",
	facts.NUL:     "holds NUL bytes",
	facts.Invalid: "is not valid UTF-8: what cannot be read became U+FFFD",
}

// read reads a core file, nil for what is no regular file.
func (c *compiler) read(ctx context.Context, f *tree.File) (*source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !c.regular(f) {
		return nil, nil
	}
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	if fault, ok := encodingFaults[facts.EncodingOf(src)]; ok {
		c.warn(f.Path, "%s; save it as UTF-8 text", fault)
	}
	front := c.frontOf(src)
	if front.unclosed {
		c.warn(f.Path, "frontmatter opened but never closed (missing closing ---): all of it is in the prompt as text")
	}
	return &source{
		path:        f.Path,
		raw:         trimEnd(facts.Decode(string(src))),
		description: facts.Decode(front.description),
		body:        trimEnd(facts.Decode(string(lf(src[front.body:])))),
	}, nil
}

// regular reports whether f is a regular file, and warns when it is none. A
// symbolic link's target may lie outside the tree, or be anything.
func (c *compiler) regular(f *tree.File) bool {
	switch {
	case f.Mode.IsRegular():
		return true
	case f.Mode == tree.Symlink:
		c.warn(f.Path, "is a symbolic link, which is not followed: left out of the prompt")
	default:
		c.warn(f.Path, "is no regular file: left out of the prompt")
	}
	return false
}

func lf(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// A front is what the compiler wants of a file's frontmatter.
type front struct {
	description string
	body        int // where the text after it starts
	unclosed    bool
}

// frontOf reads the frontmatter as YAML. Where it is none, as the value in
// "description: Deploy: staging first", the rest of the line is what is meant:
// the text check reads it so, and Letta Code.
func (c *compiler) frontOf(src []byte) front {
	y := c.parsers.YAML(src)
	f := front{body: facts.BodyStart(src), unclosed: y.State == facts.FrontUnclosed}
	const key = "description"
	switch field := y.Field(key); {
	case y.State != facts.FrontClosed:
	case field != nil && (field.IsString() || field.Value != "" && field.Tag != "!!null"):
		f.description = field.Value
	case y.Err != "" || field != nil && field.Tag != "!!null":
		for _, l := range facts.LinesIn(src, y.Text) {
			if l.Key == key && l.Colon && !l.Indented {
				f.description = unquoted(l.Value)
			}
		}
	}
	f.description = strings.TrimSpace(f.description)
	return f
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// OnlyForPeople reports whether a skill, given the text of its file, is one
// that only people start: no model is told of it (Letta Code's
// disable-model-invocation).
func OnlyForPeople(parsers *rules.Parsers, src []byte) bool {
	const key = "disable-model-invocation"
	if !bytes.Contains(src, []byte(key)) {
		return false
	}
	field := parsers.YAML(src).Field(key)
	return field != nil && strings.EqualFold(field.Value, "true")
}

// readSkill reads the file of a skill, nil for one that the model is not to
// see.
func (c *compiler) readSkill(f *tree.File) (*rules.Skill, error) {
	src, err := f.Bytes()
	if err != nil || OnlyForPeople(c.parsers, src) {
		return nil, err
	}
	return rules.SkillOf(c.parsers, tree.NewFile(f.Path, f.Mode, f.OID, tree.Buffer(src)))
}
