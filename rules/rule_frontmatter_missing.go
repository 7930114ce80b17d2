package rules

import (
	"bytes"

	"github.com/memls/memls/rules/facts"
)

var ruleFrontmatterMissing = &Rule{
	ID:       "frontmatter-missing",
	Severity: Error,
	Refusal:  true,
	Summary:  "a memory file must start with frontmatter",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The first line of a memory file is exactly `---`. A byte order mark, a carriage return (CRLF), a blank line before or a space after the dashes make the line something else.",
		Why:    "The name and the description are all an agent sees of a file before it reads it. The commit is refused, and so is every later one, until the file is mended.",
		Bad:    "- likes pnpm",
		Good:   "---\nname: Human\ndescription: The user\n---\n- likes pnpm",
		Fix:    "Adds frontmatter with a name taken from the path and a description taken from the text; or, when a fence is there but spoilt, mends the fence alone.",
	},
	roles: frontRoles,
	text:  checkFrontmatterMissing,
}

func checkFrontmatterMissing(p *Pass) {
	front := &p.Facts().Front
	if front.State != facts.FrontMissing {
		return
	}
	f := p.found(Span{}, "missing frontmatter (must start with ---)")
	switch {
	case p.File.IntentToAdd:
		f.Help = "the file is only marked with `git add -N`, its staged text is empty: stage it with `git add`"
	case p.Facts().Encoding == facts.UTF16LE || p.Facts().Encoding == facts.UTF16BE:
		f.Help = "the file is UTF-16: save it as UTF-8"
	case front.Fault != facts.NoFault:
		f.Help = faultHelp[front.Fault]
		f.Span, f.FirstLine = front.FaultSpan, false
		f.Fixes = []*Fix{p.mendFence()}
	case len(conflictsIn(p.Text(), nil)) > 0:
		f.Help = "resolve the merge conflict first"
	default:
		f.Help = "start the file with ---, name:, description: and --- lines"
		if p.Role == RoleLegacy {
			f.Help = "start the file with ---, description: and --- lines"
		}
		f.Fixes = []*Fix{p.addFront()}
	}
	p.emit(f)
}

// faultHelp says in words what the text check stumbles over.
var faultHelp = map[facts.FenceFault]string{
	facts.FaultBOM:      "the file starts with an invisible byte order mark (BOM): save it as UTF-8 without BOM",
	facts.FaultCRLF:     "the lines end in CRLF, so the first one is not exactly ---: convert the file to LF",
	facts.FaultTrailing: "the fence has trailing space: it must be exactly ---",
	facts.FaultLeading:  "there is white space before the fence: --- must be the first line",
	facts.FaultDashes:   "the fence has more than three dashes: it must be exactly ---",
}

// addFront puts derived frontmatter before the text.
func (p *Pass) addFront() *Fix {
	src := p.Text()
	start := 0
	if p.Facts().BOM {
		start = 3 // a byte order mark before the fence would spoil it
	}
	eol := "\n" // CRLF would spoil the fence as well
	return p.editFix("Add frontmatter", Edit{Span: Span{End: start}, New: p.derivedFront(string(src), eol)})
}

// mendFence makes every line that means to be a fence one. What spoils the
// opening fence mostly spoils the closing one too.
func (p *Pass) mendFence() *Fix {
	src := p.Text()
	if p.Facts().CRLF {
		return p.toLF()
	}
	mended := mendFences(src)
	title := map[facts.FenceFault]string{
		facts.FaultBOM: "Remove the byte order mark", facts.FaultLeading: "Remove white space before the frontmatter",
	}[p.Facts().Front.Fault]
	if title == "" {
		title = "Make the frontmatter fence exactly ---"
	}
	return p.editFix(title, minimalEdit(src, mended))
}

// toLF converts the whole file, byte order mark and fences included.
func (p *Pass) toLF() *Fix {
	src := p.Text()
	edits := carriageReturns(src)
	if front := &p.Facts().Front; front.State == facts.FrontMissing || front.Fault != facts.NoFault {
		lf := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		edits = []Edit{minimalEdit(src, mendFences(lf))}
	}
	path := p.File.Path
	return newFix("lf:"+path, "Convert line endings to LF", func() ([]Op, error) {
		return []Op{{Kind: OpEdit, Path: path, Edits: edits}}, nil
	})
}

// mendFences removes what stands before the first fence, and all but three
// dashes from the first two fence lines.
func mendFences(src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	src = bytes.TrimLeft(src, " \t\r\n")
	var out []byte
	fences := 0
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, " \t\r\n")
		if fences < 2 && len(text) >= 3 && len(bytes.TrimLeft(text, "-")) == 0 {
			fences++
			out = append(out, "---"...)
			if bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, '\n')
			}
			continue
		}
		out = append(out, line...)
	}
	return out
}

// minimalEdit is the one edit that turns a into b, without the common head
// and tail.
func minimalEdit(a, b []byte) Edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return Edit{Span: Span{Start: head, End: len(a) - tail}, New: string(b[head : len(b)-tail])}
}
