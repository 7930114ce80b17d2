package rules

import (
	"bytes"
	"fmt"
)

// The three hygiene rules share this file: they are one field of the config,
// one formatter (Formatting) and one family of fixes.

var textRoles = []Role{RoleMemory, RoleIndex, RoleLegacy}

var ruleLineEndings = &Rule{
	ID:       "format-line-endings",
	Severity: Error,
	Refusal:  true,
	Summary:  "lines end in LF, when the config asks for it",
	Source:   "spec 5",
	Doc: Doc{
		Checks: "With `\"formatting\": {\"lineEndings\": \"lf\"}`, no line of a memory file ends in CRLF.",
		Why:    "Mixed line ends make whole-file diffs out of small changes. The commit is refused.",
		Bad:    "a file saved with CRLF",
		Good:   "a file saved with LF",
		Fix:    "Converts the file to LF.",
	},
	hygiene: true,
	roles:   textRoles,
	text: func(p *Pass) {
		src := p.Text()
		if p.formatFlags(p.File.Path)&cleanLF == 0 || !p.Facts().CRLF {
			return
		}
		at := bytes.Index(src, []byte("\r\n"))
		f := p.found(Span{Start: at, End: at + 1}, "formatting requires LF line endings")
		f.Help = "convert the file to LF"
		f.Fixes = []*Fix{p.toLF()}
		p.emit(f)
	},
}

var ruleFinalNewline = &Rule{
	ID:       "format-final-newline",
	Severity: Error,
	Refusal:  true,
	Summary:  "a file ends in a newline, when the config asks for it",
	Source:   "spec 5",
	Doc: Doc{
		Checks: "With `\"formatting\": {\"finalNewline\": true}`, a memory file that is not empty ends in a newline.",
		Why:    "Without one, the next line appended joins the last. The commit is refused.",
		Bad:    "a file whose last byte is not a newline",
		Good:   "a file whose last byte is a newline",
		Fix:    "Adds the newline.",
	},
	hygiene: true,
	roles:   textRoles,
	text: func(p *Pass) {
		src := p.Text()
		if p.formatFlags(p.File.Path)&cleanFinalNewline == 0 || !lacksFinalNewline(src) {
			return
		}
		end := Span{Start: len(src), End: len(src)}
		f := p.found(end, "formatting requires a final newline")
		f.Help = "end the last line with a newline"
		f.Fixes = []*Fix{p.editFix("Add a final newline", Edit{Span: end, New: eolOf(src)})}
		p.emit(f)
	},
}

var ruleTrailingWhitespace = &Rule{
	ID:       "format-trailing-whitespace",
	Severity: Error,
	Refusal:  true,
	Summary:  "lines have no trailing white space, when the config asks for it",
	Source:   "spec 5",
	Doc: Doc{
		Checks: "With `\"formatting\": {\"trailingWhitespace\": true}`, no line of a memory file ends in spaces or tabs. Code blocks are left alone, and so are two spaces after text, which Markdown reads as a line break.",
		Why:    "Nobody sees it, and it makes diffs. The commit is refused.",
		Bad:    "a line that ends in a tab",
		Good:   "a line that ends in a letter",
		Fix:    "Removes the white space.",
	},
	hygiene: true,
	roles:   textRoles,
	text: func(p *Pass) {
		if p.formatFlags(p.File.Path)&cleanTrailing == 0 {
			return
		}
		src := p.Text()
		for _, span := range trailingWhitespace(src) {
			f := p.found(span, "formatting disallows trailing whitespace")
			line := 1 + bytes.Count(src[:span.Start], []byte("\n"))
			f.Line = fmt.Sprintf("%s:%d: %s", Display(p.File.Path), line, f.Message)
			f.Help = "remove the spaces at the end of the line"
			f.Fixes = []*Fix{p.editFix("Remove trailing white space", Edit{Span: span})}
			p.emit(f)
		}
	},
}
