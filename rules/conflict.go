package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/memls/memls/rules/facts"
)

// conflictMarks are what git writes around the sides of an unresolved merge,
// in the order in which they stand. The base of diff3 style is optional.
var conflictMarks = [...]string{"<<<<<<<", "=======", ">>>>>>>"}

// A conflict is one unresolved region: from its first to its last mark.
type conflict struct {
	Span
	marks [len(conflictMarks)]Span
	// base is the line that starts the common ancestor, in diff3 style; zero
	// without one.
	base Span
	// ambiguous is set when several lines could be the one between the
	// sides: seven = also underline a heading.
	ambiguous bool
}

const baseMark = "|||||||"

// isConflictMarker reports whether a line starts like one of the marks.
func isConflictMarker(line string) bool {
	for _, m := range conflictMarks {
		if rest, ok := strings.CutPrefix(line, m); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// conflictsIn finds the regions whose marks stand as a set, in order, at line
// starts and outside of fenced code.
func conflictsIn(src []byte, code []Span) []conflict {
	if !bytes.Contains(src, []byte(conflictMarks[0])) {
		return nil
	}
	var found []conflict
	var open conflict
	next, at := 0, 0
	for line := range bytes.Lines(src) {
		span := Span{Start: at, End: at + len(bytes.TrimRight(line, "\r\n"))}
		at += len(line)
		text := string(src[span.Start:span.End])
		switch {
		case next == 1 && open.base == Span{} && strings.HasPrefix(text, baseMark):
			open.base = span
			continue
		case !isConflictMarker(text) || inside(code, span.Start):
			continue
		case strings.HasPrefix(text, conflictMarks[0]):
			open, next = conflict{}, 0 // a new start takes over from one without an end
		case next == 2 && strings.HasPrefix(text, conflictMarks[1]):
			open.ambiguous = true
			continue
		case !strings.HasPrefix(text, conflictMarks[next]) || next == 0:
			continue
		}
		open.marks[next] = span
		if next++; next == len(conflictMarks) {
			open.Span = Span{Start: open.marks[0].Start, End: span.End}
			found, open, next = append(found, open), conflict{}, 0
		}
	}
	return found
}

func inside(spans []Span, at int) bool {
	for _, s := range spans {
		if s.Start <= at && at < s.End {
			return true
		}
	}
	return false
}

// frontConflict is the first conflict that starts in the frontmatter.
func (p *Pass) frontConflict() (conflict, bool) {
	front := &p.Facts().Front
	if front.State != facts.FrontClosed {
		return conflict{}, false
	}
	for _, c := range conflictsIn(p.Text(), nil) {
		if c.Start < front.Close.Start {
			return c, true
		}
	}
	return conflict{}, false
}

func (p *Pass) conflicted() bool {
	_, ok := p.frontConflict()
	return ok
}

// conflictGroup is the one cause of what a conflict does to frontmatter.
func (p *Pass) conflictGroup() *Group {
	c, ok := p.frontConflict()
	if !ok {
		return nil
	}
	return &Group{Span: c.Span, Message: conflictMessage(p.Text(), c.Span, "merge conflict in frontmatter")}
}

func conflictMessage(src []byte, at Span, what string) string {
	first := 1 + bytes.Count(src[:at.Start], []byte("\n"))
	last := first + bytes.Count(src[at.Start:at.End], []byte("\n"))
	return fmt.Sprintf("%s (lines %d-%d)", what, first, last)
}
