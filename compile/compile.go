// Package compile turns a committed tree into the system prompt that an agent
// gets from it (spec, section 10).
//
// It reads a [tree.Tree], so a revision, never the working tree: what is not
// committed is not in the prompt. The same tree and options give the same
// bytes. Only the files that stand in the prompt are read, so that a commit
// that touches deferred memory changes none of them.
//
// The package imports rules for what a memory file, an index or a skill is. It
// knows nothing of git, editors or commands.
package compile

import (
	"context"
	"fmt"
	"time"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// CoreMemory is the place in a base prompt where the memory goes.
const CoreMemory = "{CORE_MEMORY}"

// A Style is how memory of the v2 layout is written down.
type Style int

// The styles of spec section 10. Memory of the v1 layout has one form in both.
const (
	// Tags gives every core file an element named like the file.
	Tags Style = iota
	// Files has the structure of Letta Code's own prompts: a <file> element
	// for each core file, with its frontmatter.
	Files
)

var styleNames = [...]string{Tags: "tags", Files: "files"}

// String is the name that ParseStyle reads.
func (s Style) String() string {
	if s < 0 || int(s) >= len(styleNames) {
		return fmt.Sprintf("Style(%d)", int(s))
	}
	return styleNames[s]
}

// ParseStyle reads the name of a style.
func ParseStyle(name string) (Style, error) {
	for s, n := range styleNames {
		if n == name {
			return Style(s), nil
		}
	}
	return Tags, fmt.Errorf("unknown prompt style %q: use tags or files", name)
}

// A Layout says which files of a tree are core memory (spec, section 1).
type Layout int

// The layouts.
const (
	// AutoLayout is V2 for a tree with a MEMORY.md at its root, else V1.
	AutoLayout Layout = iota
	V1
	V2
)

// Options say what goes into the prompt besides the memory. The zero value
// compiles the memory alone.
type Options struct {
	Style  Style
	Layout Layout
	// System is the base prompt. Each CoreMemory in it is replaced by the
	// memory; without one the memory follows after a blank line.
	System string
	// Skills adds the list of skills.
	Skills bool
	// AgentID adds a block of metadata, of which the others are lines.
	AgentID        string
	ConversationID string
	// Now is the time of the compilation; the zero time leaves its line out.
	Now time.Time
	// PreviousMessages is the number of messages before this prompt.
	PreviousMessages int
}

// A Prompt is a compiled system prompt.
type Prompt struct {
	// Text is valid UTF-8. It ends with a line end only where the base prompt
	// does and is last.
	Text string
	// Memory is the memory alone, without base prompt, metadata and skills.
	// It depends on the tree, the style and the layout only.
	Memory string
	// Parts say where in Text what comes from, in order of place. They do not
	// overlap; the tags around them are in none. A base prompt with several
	// CoreMemory has the parts of the memory as often.
	Parts []Part
	// Warnings are what a person should know of, in the order it was met.
	Warnings []Warning
}

// Tokens estimates the tokens of the whole prompt (see Tokens).
func (p *Prompt) Tokens() int { return Tokens(len(p.Text)) }

// A PartKind is what sort of text a part is.
type PartKind string

// The kinds of parts.
const (
	PartSystem       PartKind = "system"       // of the base prompt
	PartInstructions PartKind = "instructions" // of this package: how to read the memory
	PartFile         PartKind = "file"         // a core file
	PartDeferred     PartKind = "deferred"     // the list of deferred directories
	PartTree         PartKind = "tree"         // v1: the paths of what is not resident
	PartMetadata     PartKind = "metadata"
	PartSkills       PartKind = "skills"
)

// A Part is a stretch of the prompt that comes from one place.
type Part struct {
	Kind PartKind
	// Path is that of a core file, "" for the other kinds.
	Path string
	// Offset is where the part starts in Prompt.Text, in bytes from 0.
	Offset int
	// Bytes is its length, Characters its number of Unicode code points.
	Bytes, Characters int
}

// Tokens estimates the tokens of the part (see Tokens).
func (p Part) Tokens() int { return Tokens(p.Bytes) }

// Tokens estimates how many tokens a text of so many bytes has: a quarter of
// them, rounded up (spec, section 10). It is an estimate and no more: models
// differ.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// A Warning is something wrong with the memory that does not keep it from
// being compiled.
type Warning struct {
	// Path is that of the file, in git's bytes.
	Path string
	// Message says what is wrong and what became of it.
	Message string
}

// String is the warning for a person, with a path that can be printed.
func (w Warning) String() string { return rules.Display(w.Path) + ": " + w.Message }

// Compile compiles the prompt of a tree; nil stands for a repository without
// a commit. The error names the file or directory that cannot be read: a
// prompt that lacks memory without a word is worse than none.
func Compile(ctx context.Context, t *tree.Tree, opt Options) (*Prompt, error) {
	if t == nil {
		t = tree.New(nil)
	}
	c := &compiler{tree: t, parsers: parsers.New(), opt: opt, v2: opt.Layout == V2}
	if opt.Layout == AutoLayout {
		c.v2 = t.Has(rules.Index)
	}
	memory, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	skills, err := c.skills(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.Err(); err != nil {
		return nil, fmt.Errorf("reading the committed tree: %w", err)
	}
	return c.assemble(memory, skills), nil
}

// A compiler compiles one prompt.
type compiler struct {
	tree     *tree.Tree
	parsers  *rules.Parsers
	opt      Options
	v2       bool
	warnings []Warning
}

func (c *compiler) warn(path, format string, args ...any) {
	c.warnings = append(c.warnings, Warning{Path: path, Message: fmt.Sprintf(format, args...)})
}

// memory writes the memory; the draft is empty when there is none.
func (c *compiler) memory(ctx context.Context) (*draft, error) {
	switch {
	case !c.v2:
		return c.legacy(ctx)
	case c.opt.Style == Files:
		return c.files(ctx)
	}
	return c.tags(ctx)
}
