package config

import (
	_ "embed"
	"strings"
)

// A Field describes one field of the constraint file.
type Field struct {
	Name    string // path of the field; "[]" stands for any entry of a list
	Doc     string // one or two sentences
	Default string // JSON of the v2 default; empty when there is none
}

// Fields returns every field of the constraint file, each before the fields
// inside it.
func Fields() []Field {
	inside := map[string][]Field{
		"fileCharacterLimits": nested("fileCharacterLimits[].", limitFields),
		"formatting":          nested("formatting.", formattingFields),
	}
	var all []Field
	for _, f := range nested("", rootFields) {
		all = append(all, f)
		all = append(all, inside[f.Name]...)
	}
	return all
}

func nested[T any](prefix string, table []field[T]) []Field {
	var all []Field
	for _, f := range table {
		all = append(all, Field{Name: prefix + f.Name, Doc: f.Doc, Default: f.Default})
	}
	return all
}

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (draft 7) of the constraint file, for editors.
func Schema() []byte { return []byte(schema) }

// A field is a Field of an object that is read into a T.
type field[T any] struct {
	Field
	required bool
	read     func(p *parser, dst *T, v value) // v.raw is nil if a required field is missing
}

var rootFields = []field[Config]{
	{
		Field: Field{
			Name:    "version",
			Doc:     "Version of this file's format. Must be 1.",
			Default: "1",
		},
		required: true,
		read:     readVersion,
	},
	{
		Field: Field{
			Name:    "maxDepth",
			Doc:     "How many directories may stand above a memory file: `projects/archive/2025.md` has depth 2.",
			Default: "2",
		},
		read: func(p *parser, c *Config, v value) {
			if n, ok := v.integer(); ok && n >= 0 {
				c.MaxDepth = &n
			} else {
				p.report(v, "%s must be a non-negative integer", v.path)
			}
		},
	},
	{
		Field: Field{
			Name:    "maxFileCharacters",
			Doc:     "How many characters (Unicode code points, frontmatter included) one memory file may hold.",
			Default: "20000",
		},
		read: func(p *parser, c *Config, v value) { c.MaxFile = readPositive(p, v) },
	},
	{
		Field: Field{
			Name:    "maxCoreMemoryCharacters",
			Doc:     "How many characters (Unicode code points) all Markdown at the root, `MEMORY.md` included, may hold together.",
			Default: "65536",
		},
		read: func(p *parser, c *Config, v value) { c.MaxCore = readPositive(p, v) },
	},
	{
		Field: Field{
			Name: "fileCharacterLimits",
			Doc:  "Limits for some files in place of `maxFileCharacters`. The first entry whose pattern matches decides.",
		},
		read: readLimits,
	},
	{
		Field: Field{
			Name: "readOnlyFiles",
			Doc:  "Patterns of files, Markdown or not, that a commit may not create, change or remove.",
		},
		read: readReadOnly,
	},
	{
		Field: Field{
			Name: "formatting",
			Doc:  "Checks on how memory files are formatted. Each is off unless it is asked for.",
		},
		read: func(p *parser, c *Config, v value) {
			if !v.isObject() {
				p.report(v, "%s must be an object", v.path)
				return
			}
			readObject(p, &c.Formatting, v, formattingFields)
		},
	},
}

var limitFields = []field[Limit]{
	{
		Field: Field{
			Name: "pattern",
			Doc:  "Which files: a path from the root in which `*` and `?` do not cross `/`, `**/` is any number of directories, and a final `**` is everything below.",
		},
		required: true,
		read: func(p *parser, l *Limit, v value) {
			if l.Glob = readGlob(p, v, strings.TrimSuffix(v.path, ".pattern")); l.Glob != nil {
				l.Pattern = l.Glob.String()
			}
		},
	},
	{
		Field: Field{
			Name: "maxCharacters",
			Doc:  "How many characters (Unicode code points) such a file may hold; `null` for no limit.",
		},
		required: true,
		read: func(p *parser, l *Limit, v value) {
			if v.isNull() {
				return
			}
			if n, ok := v.integer(); ok && n > 0 {
				l.Max = &n
			} else {
				p.report(v, "%s: maxCharacters must be a positive integer or null", strings.TrimSuffix(v.path, ".maxCharacters"))
			}
		},
	},
}

var formattingFields = []field[Formatting]{
	{
		Field: Field{
			Name: "lineEndings",
			Doc:  "`\"lf\"`: lines end in a line feed; a carriage return anywhere is refused.",
		},
		read: func(p *parser, f *Formatting, v value) {
			if s, ok := v.text(); ok && s == "lf" {
				f.LF = true
			} else {
				p.report(v, "%s must be 'lf'", v.path)
			}
		},
	},
	{
		Field: Field{
			Name: "finalNewline",
			Doc:  "`true`: a file that is not empty ends in a newline.",
		},
		read: func(p *parser, f *Formatting, v value) { f.FinalNewline = readBoolean(p, v) },
	},
	{
		Field: Field{
			Name: "trailingWhitespace",
			Doc:  "`true`: no white space at the end of a line, except in code and for a hard line break (two spaces).",
		},
		read: func(p *parser, f *Formatting, v value) { f.TrailingWhitespace = readBoolean(p, v) },
	},
}

func readVersion(p *parser, _ *Config, v value) {
	if n, ok := v.integer(); !ok || n != 1 {
		p.report(v, "%s must be 1", v.path)
	}
}

func readLimits(p *parser, c *Config, v value) {
	if !v.isArray() {
		p.report(v, "%s must be an array", v.path)
		return
	}
	for _, entry := range v.elements() {
		if !entry.isObject() {
			p.report(entry, "%s must be an object", entry.path)
			continue
		}
		var l Limit
		readObject(p, &l, entry, limitFields)
		c.Limits = append(c.Limits, l)
	}
}

func readReadOnly(p *parser, c *Config, v value) {
	if !v.isArray() {
		p.report(v, "%s must be an array", v.path)
		return
	}
	for _, entry := range v.elements() {
		if g := readGlob(p, entry, entry.path); g != nil {
			c.ReadOnly = append(c.ReadOnly, g)
		}
	}
}

// readGlob compiles the pattern v. It returns nil if it is none; the problem is
// reported under label.
func readGlob(p *parser, v value, label string) *Glob {
	pattern, _ := v.text() // what is not a string is refused like the empty one
	g, err := CompileGlob(pattern)
	if err != nil {
		p.report(v, "%s: %v", label, err)
		return nil
	}
	return g
}

func readPositive(p *parser, v value) *int64 {
	if n, ok := v.integer(); ok && n > 0 {
		return &n
	}
	p.report(v, "%s must be a positive integer", v.path)
	return nil
}

func readBoolean(p *parser, v value) bool {
	b, ok := v.boolean()
	if !ok {
		p.report(v, "%s must be a boolean", v.path)
	}
	return b
}
