package rules

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// SkillFile is the name of the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// The limits of the Agent Skills format, in code points.
const (
	maxSkillName          = 64
	maxSkillDescription   = 1024
	maxSkillCompatibility = 500
)

// IsSkill reports whether the path is the file of a skill: SKILL.md (in other
// capitals where there is none, which rule index-case reports), in a folder at
// any depth below skills/ (v1: also memory/skills/). What lies in the folder
// of another skill, a template say, belongs to that one.
func IsSkill(t *tree.Tree, path string) bool {
	if !strings.EqualFold(base(path), SkillFile) {
		return false
	}
	root := "skills"
	if strings.HasPrefix(path, "memory/skills/") {
		root = "memory/skills"
	}
	dir := dirOf(path)
	if !strings.HasPrefix(dir, root+"/") {
		return false
	}
	if base(path) != SkillFile && t.Has(joinPath(dir, SkillFile)) {
		return false
	}
	for dir = dirOf(dir); dir != root; dir = dirOf(dir) {
		if d := t.Dir(dir); d.File(SkillFile) != nil || len(d.Twins(SkillFile)) > 0 {
			return false
		}
	}
	return true
}

// A Skill is what a skill's file says of it.
type Skill struct {
	// Path is that of the file, Folder the name of the folder it is in.
	Path, Folder string
	// Name is the name in the frontmatter, the folder's where there is none.
	Name string
	// Description is the decoded description, the first paragraph of the text
	// where there is none; it may have several lines, or be empty.
	Description string
	// Problems are what keeps other agents from loading the skill, and less,
	// in no order.
	Problems []SkillProblem
}

// A SkillProblem is one thing wrong with a skill's frontmatter.
type SkillProblem struct {
	Severity      Severity
	Message, Help string
	// Span is where in the file; zero stands for the first line.
	Span Span

	fixes func(*Pass) []*Fix
}

// FirstLine is the first line of the description: what a list shows.
func (s *Skill) FirstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(s.Description), "\n")
	return strings.TrimSpace(line)
}

// SkillOf reads a skill's file (see IsSkill). The error says why its bytes
// cannot be read; anything wrong with them is a problem of the skill.
func SkillOf(parsers *Parsers, f *tree.File) (*Skill, error) {
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	e := facts.EncodingOf(src)
	var s *Skill
	if isUTF16(e) {
		// Read as UTF-8 it would have neither a name nor a description.
		folder := base(dirOf(f.Path))
		s = &Skill{Path: f.Path, Folder: folder, Name: facts.Decode(folder)}
	} else {
		y, err := parsers.yamlOf(f)
		if err != nil {
			return nil, err
		}
		s = readSkill(parsers, f.Path, src, y)
	}
	if e != facts.UTF8 {
		at, message, help := encodingProblem(src, e)
		s.Problems = append(s.Problems, SkillProblem{Severity: Warning, Span: at, Message: message, Help: help})
	}
	return s, nil
}

// skillReader gathers what a skill's file says.
type skillReader struct {
	*Skill
	parsers *Parsers
	src     []byte
	y       *facts.YAML
}

func readSkill(parsers *Parsers, path string, src []byte, y *facts.YAML) *Skill {
	folder := base(dirOf(path))
	s := skillReader{Skill: &Skill{Path: path, Folder: folder}, parsers: parsers, src: src, y: y}
	switch {
	case y.State == facts.FrontMissing:
		s.add(Warning, Span{}, "missing frontmatter: other agents will not load this skill").
			with("start the file with ---, name:, description: and --- lines", addSkillFront)
	case y.State == facts.FrontUnclosed:
		s.add(Warning, Span{}, "frontmatter opened but never closed (missing closing ---): other agents will not load this skill").
			with("add a line that is exactly --- after the last key", closeSkillFront)
	case y.Err != "":
		s.invalidYAML()
	default:
		s.fields()
	}
	if y.State == facts.FrontClosed {
		s.lineEnds()
	}
	s.fallBack()
	return s.Skill
}

func (s *skillReader) add(sev Severity, at Span, format string, args ...any) *SkillProblem {
	s.Problems = append(s.Problems, SkillProblem{Severity: sev, Span: at, Message: fmt.Sprintf(format, args...)})
	return &s.Problems[len(s.Problems)-1]
}

func (p *SkillProblem) with(help string, fixes func(*Pass) []*Fix) {
	p.Help, p.fixes = help, fixes
}

// fallBack fills in what the frontmatter, read as YAML, does not tell: from
// its lines, for agents that read those find it there, then from the folder
// and the text.
func (s *skillReader) fallBack() {
	if s.y.State != facts.FrontMissing && (s.y.Err != "" || s.y.State == facts.FrontUnclosed) {
		s.Name, s.Description = s.lineValue("name"), s.lineValue("description")
	}
	if s.Name == "" {
		s.Name = facts.Decode(s.Folder)
	}
	if s.Description == "" && s.y.State != facts.FrontUnclosed {
		s.Description = firstParagraph(s.src)
	}
}

func (s *skillReader) lineValue(key string) string {
	part := s.y.Text
	if s.y.State == facts.FrontUnclosed {
		part = Span{End: len(s.src)}
	}
	for _, l := range facts.LinesIn(s.src, part) {
		if l.Colon && !l.Indented && l.Key == key {
			return facts.Decode(unquoted(l.Value))
		}
	}
	return ""
}

// firstParagraph is the first run of lines of the text that are no headings,
// on one line.
func firstParagraph(src []byte) string {
	var words []string
	for line := range bytes.Lines(src[facts.BodyStart(src):]) {
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			if len(words) > 0 {
				break
			}
			continue
		}
		words = append(words, strings.Fields(text)...)
	}
	return facts.Decode(strings.Join(words, " "))
}

// lineEnds hints at what this reader forgives and others do not.
func (s *skillReader) lineEnds() {
	bom, crlf := bytes.HasPrefix(s.src, []byte("\uFEFF")), bytes.Contains(s.src, []byte("\r\n"))
	what := "starts with a byte order mark (BOM)"
	switch {
	case !bom && !crlf:
		return
	case bom && crlf:
		what += " and has CRLF line ends"
	case crlf:
		what = "has CRLF line ends"
	}
	s.add(Hint, Span{}, "%s: some agents do not see the frontmatter", what).
		with("save the file as UTF-8 without BOM, with LF line ends", func(p *Pass) []*Fix {
			if crlf {
				return []*Fix{p.toLF()}
			}
			return []*Fix{p.editFix("Remove the byte order mark", Edit{Span: Span{End: len("\uFEFF")}})}
		})
}

// nameProblems says what is wrong with the form of a skill's name (spec,
// section 8). Letters are those of any script, as the format's own validator
// has it; so are the combining marks that some scripts cannot do without.
func nameProblems(name string) []string {
	allowed := func(r rune) bool {
		return r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
	}
	n := utf8.RuneCountInString(name)
	var problems []string
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{n > maxSkillName, fmt.Sprintf("is too long (%d > %d characters)", n, maxSkillName)},
		{name != strings.ToLower(name), "must be lower-case"},
		{strings.ContainsFunc(name, func(r rune) bool { return !allowed(r) }), "may hold letters, digits and hyphens only"},
		{strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"), "must not start or end with a hyphen"},
		{strings.Contains(name, "--"), "must not hold two hyphens in a row"},
	} {
		if c.bad {
			problems = append(problems, c.what)
		}
	}
	return problems
}

// normalName is the form in which names are compared: file systems and
// editors write the same letters in different ways.
func normalName(s string) string { return norm.NFKC.String(strings.TrimSpace(s)) }

// slug is the valid name nearest to s; it may be empty.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(normalName(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	runes := []rune(strings.Join(words, "-"))
	return strings.TrimRight(string(runes[:min(len(runes), maxSkillName)]), "-")
}
