package rules

import (
	"cmp"
	"slices"

	"github.com/memls/memls/rules/markdown"
)

// Severity orders findings; the numbers are those of the Language Server
// Protocol.
type Severity int

// The severities. Only Error refuses a commit or fails a check.
const (
	Error Severity = iota + 1
	Warning
	Info
	Hint
)

var severityNames = [...]string{Error: "error", Warning: "warning", Info: "info", Hint: "hint"}

// String is the lower-case English word.
func (s Severity) String() string { return severityNames[s] }

// Span is a half-open range of byte offsets into a file.
type Span = markdown.Span

// A Finding is one thing that a rule has to say.
type Finding struct {
	Rule     *Rule
	Severity Severity
	// Path is the file the finding is about; "" for the whole tree. The file
	// need not exist (a missing root index).
	Path string
	// Message says what is wrong, without the path.
	Message string
	// Line is the whole line that the hook prints: the message that agents
	// know, path included (spec, sections 4 and 5).
	Line string
	// Span is where in the file; it is meaningless when FirstLine is set,
	// which stands for the file's first line.
	Span      Span
	FirstLine bool
	// Help says what to do about it, in one line; it may be empty.
	Help  string
	Fixes []*Fix
	// Related are other places that explain the finding.
	Related []Related
	// Group is set when one cause has several findings, and an editor
	// should show the cause alone: the finding of the file that has the
	// group's place and message (conflict-marker) where there is one.
	Group *Group
	// Touched tells whether the file differs from the last commit.
	Touched bool
	// Scope says which open files an editor shows the finding in.
	Scope Scope

	// explainsAll marks the cause of whatever else a full judgement says of
	// the file's text, which it then leaves out.
	explainsAll bool
}

// Related is another place that explains a finding.
type Related struct {
	Path    string
	Span    Span
	Message string
}

// A Group is the common cause of several findings of one file.
type Group struct {
	Message string
	Span    Span
	Fixes   []*Fix
}

// Scope says which files a finding concerns.
type Scope int

// The scopes of findings. What concerns more than one file has no file of its
// own to be shown in.
const (
	ScopeFile Scope = iota
	ScopeCore       // the core memory as a whole
	ScopeTree       // every memory file
)

// SortFindings sorts by path, then place, then rule, then message.
func SortFindings(fs []Finding) {
	place := func(f *Finding) int {
		if f.FirstLine {
			return 0
		}
		return f.Span.Start
	}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(place(&a), place(&b)),
			cmp.Compare(a.Rule.ID, b.Rule.ID),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// CountErrors counts the findings of severity error.
func CountErrors(fs []Finding) int {
	n := 0
	for i := range fs {
		if fs[i].Severity == Error {
			n++
		}
	}
	return n
}
