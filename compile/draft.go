package compile

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
)

// A draft is text under way, line by line, and the parts in it so far.
type draft struct {
	text  strings.Builder
	parts []Part
}

func (d *draft) empty() bool { return d.text.Len() == 0 }

// line starts a new line.
func (d *draft) line(s string) {
	if !d.empty() {
		d.text.WriteByte('\n')
	}
	d.text.WriteString(s)
}

// blank leaves a blank line before the next one, unless that is the first.
func (d *draft) blank() {
	if !d.empty() {
		d.text.WriteByte('\n')
	}
}

// part writes the lines of a part. One without lines is an empty file: it is
// noted at the end of the line before.
func (d *draft) part(kind PartKind, path string, lines ...string) {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 {
		d.line("")
	}
	d.raw(kind, path, text)
}

// raw writes a part where the text stands.
func (d *draft) raw(kind PartKind, path, text string) {
	d.parts = append(d.parts, Part{
		Kind: kind, Path: path, Offset: d.text.Len(),
		Bytes: len(text), Characters: utf8.RuneCountInString(text),
	})
	d.text.WriteString(text)
}

// add writes another draft where the text stands.
func (d *draft) add(other *draft) {
	at := d.text.Len()
	for _, p := range other.parts {
		p.Offset += at
		d.parts = append(d.parts, p)
	}
	d.text.WriteString(other.text.String())
}

// assemble puts memory, metadata and skills into the base prompt.
//
// The base prompt is cut at its placeholders rather than replaced in: text of
// the memory that looks like a placeholder, or like a reference of some
// replacement language, is text.
func (c *compiler) assemble(memory, skills *draft) *Prompt {
	core := &draft{}
	core.add(memory)
	if lines := c.metadata(); lines != nil {
		core.blank()
		core.part(PartMetadata, "", lines...)
	}

	base := strings.Split(facts.Decode(c.opt.System), CoreMemory)
	switch {
	case core.empty():
		base = []string{strings.Join(base, "")}
	case len(base) == 1:
		base = []string{trimEnd(base[0]), ""}
		if base[0] != "" {
			base[0] += "\n\n"
		}
	}
	if last := len(base) - 1; !skills.empty() {
		base[last] = trimEnd(base[last])
	}
	d := &draft{}
	for i, piece := range base {
		if i > 0 {
			d.add(core)
		}
		if piece != "" {
			d.raw(PartSystem, "", piece)
		}
	}
	if !skills.empty() {
		if !d.empty() {
			d.text.WriteString("\n\n")
		}
		d.add(skills)
	}
	return &Prompt{Text: d.text.String(), Memory: memory.text.String(), Parts: d.parts, Warnings: c.warnings}
}

// metadata is the block on the agent and this compilation. The time has a line
// of its own, so that two prompts of the same memory differ in that line only.
func (c *compiler) metadata() []string {
	if c.opt.AgentID == "" {
		return nil
	}
	lines := []string{"<memory_metadata>", "- AGENT_ID: " + oneLine(c.opt.AgentID)}
	if c.opt.ConversationID != "" {
		lines = append(lines, "- CONVERSATION_ID: "+oneLine(c.opt.ConversationID))
	}
	if !c.opt.Now.IsZero() {
		lines = append(lines, "- Compiled at: "+c.opt.Now.UTC().Format(time.DateTime)+" UTC")
	}
	return append(lines,
		"- Earlier messages in this conversation: "+strconv.Itoa(c.opt.PreviousMessages),
		"</memory_metadata>")
}

// trimEnd trims trailing white space as Letta Code's compiler does, so that
// the styles that preview its prompts agree to the byte: Unicode's spaces but
// the next-line control, and byte order marks.
func trimEnd(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool {
		return r == '\uFEFF' || unicode.IsSpace(r) && r != '\u0085'
	})
}

// oneLine is the text as UTF-8 with all white space folded to single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(facts.Decode(s)), " ") }
