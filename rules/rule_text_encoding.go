package rules

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
)

var ruleTextEncoding = &Rule{
	ID:       "text-encoding",
	Severity: Warning,
	Summary:  "a file is UTF-8 text",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "A memory or skill file is not UTF-16, holds no NUL byte and no bytes that are not UTF-8. A UTF-16 file has this finding alone, whatever else would follow from its bytes; it is an error where the commit is refused for them.",
		Why:    "Windows tools save UTF-16 without saying so. The hook then misses the frontmatter, and the agent cannot read its own memory.",
		Bad:    "a file that starts with the bytes FF FE",
		Good:   "the same text in UTF-8",
		Fix:    "Writes a UTF-16 file as UTF-8 with LF line ends; takes NUL bytes out.",
	},
	explains: true,
	roles:    []Role{RoleMemory, RoleIndex, RoleLegacy, RoleSkill},
	text: func(p *Pass) {
		// An editor's buffer comes decoded: what it had to decode is not
		// known, and saving it again is up to the editor.
		if p.File.Unsaved {
			return
		}
		e := p.Facts().Encoding
		if e == facts.UTF8 {
			return
		}
		at, message, help := encodingProblem(p.Text(), e)
		f := p.found(at, "%s", message)
		f.Help = help
		switch {
		case isUTF16(e):
			f.explainsAll = true
			f.Fixes = []*Fix{p.decodeFix(e)}
		case e == facts.NUL:
			f.Fixes = []*Fix{p.removeNUL()}
		}
		p.emit(f)
	},
}

func isUTF16(e facts.Encoding) bool { return e == facts.UTF16LE || e == facts.UTF16BE }

// encodingProblem says what is wrong with text in an encoding that is not
// UTF-8, where, and what to do.
func encodingProblem(src []byte, e facts.Encoding) (at Span, message, help string) {
	switch e {
	case facts.NUL:
		return facts.InvalidAt(src), "contains a NUL byte", "take the byte out: tools end the text there, or take the file for binary"
	case facts.Invalid:
		at = facts.InvalidAt(src)
		return at, fmt.Sprintf("bytes that are not UTF-8 (% X)", src[at.Start:at.End]), "save the file as UTF-8"
	}
	kind := map[facts.Encoding]string{facts.UTF16LE: "little-endian", facts.UTF16BE: "big-endian"}[e] + ", no BOM"
	if !utf8.Valid(src[:2]) {
		kind = fmt.Sprintf("BOM % X", src[:2])
	}
	return Span{}, fmt.Sprintf("UTF-16 (%s): save as UTF-8", kind), "save the file as UTF-8; PowerShell: Set-Content -Encoding utf8"
}

func (p *Pass) decodeFix(e facts.Encoding) *Fix {
	src := p.Text()
	text, lossless := decodeUTF16(src, e)
	fix := newFix("utf8:"+p.File.Path, "Convert to UTF-8", func() ([]Op, error) {
		edit := Edit{Span: Span{End: len(src)}, New: text}
		return []Op{{Kind: OpEdit, Path: p.File.Path, Edits: []Edit{edit}}}, nil
	})
	if !lossless {
		fix.asGuess()
	}
	return fix
}

// decodeUTF16 is the text without byte order mark and with LF line ends: with
// CRLF ones it would be refused again. It is lossless unless half a character
// is in it.
func decodeUTF16(src []byte, e facts.Encoding) (text string, lossless bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if e == facts.UTF16BE {
		order = binary.BigEndian
	}
	units := make([]uint16, len(src)/2)
	for i := range units {
		units[i] = order.Uint16(src[2*i:])
	}
	if len(units) > 0 && units[0] == 0xFEFF {
		units = units[1:]
	}
	runes := utf16.Decode(units)
	lossless = len(src)%2 == 0 && !slices.Contains(runes, utf8.RuneError)
	return strings.ReplaceAll(string(runes), "\r\n", "\n"), lossless
}

func (p *Pass) removeNUL() *Fix {
	src, path := p.Text(), p.File.Path
	return newFix("nul:"+path, "Remove the NUL bytes", func() ([]Op, error) {
		var edits []Edit
		for i, b := range src {
			if b == 0 {
				edits = append(edits, Edit{Span: Span{Start: i, End: i + 1}})
			}
		}
		return []Op{{Kind: OpEdit, Path: path, Edits: edits}}, nil
	})
}
