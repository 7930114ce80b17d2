package agentcli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules"
)

// lineWidth is what text for people fits in, in characters.
const lineWidth = 100

func writeText(w io.Writer, _ string, r *result) error {
	if r.nothing != "" {
		_, err := fmt.Fprintf(w, "nothing to check: %s\n", r.nothing)
		return err
	}
	var b bytes.Buffer
	r.writeFindings(&b)
	fmt.Fprintf(&b, "%s in %s (%s, policy %s)\n", r.summary(), r.extent(), r.layout(), r.view.Policy)
	_, err := w.Write(b.Bytes())
	return err
}

// writeFindings prints one line for each finding, with what to do below it.
// Findings with one cause stand below a line for the cause.
func (r *result) writeFindings(b *bytes.Buffer) {
	for i := 0; i < len(r.shown); {
		f := &r.shown[i]
		n := r.groupSize(i)
		if n < 2 {
			fmt.Fprintf(b, "%s%s: %s [%s]\n", f.place(), f.Severity, rules.Printable(f.Message), f.Rule.ID)
			f.writeAdvice(b, "    ")
			i++
			continue
		}
		if !r.isLead(i-1, f) {
			lead := rules.Finding{Path: f.Path, Span: f.Group.Span}
			at := shownFinding{&lead, lead.RangeIn(r.textOf(f.Path))}
			fmt.Fprintf(b, "%s%s: %s\n", at.place(), r.worst(i, n), rules.Printable(f.Group.Message))
		}
		for j := i; j < i+n; j++ {
			g := &r.shown[j]
			fmt.Fprintf(b, "    %d:%d: %s: %s [%s]\n", g.Start.Line, g.Start.Column, g.Severity, rules.Printable(g.Message), g.Rule.ID)
		}
		f.writeAdvice(b, "    ")
		i += n
	}
}

// isLead reports whether the finding at i says what the cause of f is.
func (r *result) isLead(i int, f *shownFinding) bool {
	return i >= 0 && r.shown[i].Path == f.Path && r.shown[i].Message == f.Group.Message
}

// groupSize counts the findings from i on that have the cause of the first.
func (r *result) groupSize(i int) int {
	first := &r.shown[i]
	if first.Group == nil {
		return 1
	}
	n := 1
	for i+n < len(r.shown) {
		next := &r.shown[i+n]
		if next.Path != first.Path || next.Group == nil || next.Group.Span != first.Group.Span || next.Group.Message != first.Group.Message {
			break
		}
		n++
	}
	return n
}

func (r *result) worst(i, n int) rules.Severity {
	worst := rules.Hint
	for _, f := range r.shown[i : i+n] {
		worst = min(worst, f.Severity)
	}
	return worst
}

// place is "path:line:column: ", "" for a finding about the tree.
func (f *shownFinding) place() string {
	if f.Path == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", rules.Display(f.Path), f.Start.Line, f.Start.Column)
}

func (f *shownFinding) writeAdvice(b *bytes.Buffer, indent string) {
	if f.Help != "" {
		writeWrapped(b, indent, indent+"  ", "help: "+rules.Printable(f.Help))
	}
	for _, fix := range f.fixes() {
		how := "fix: "
		if !fix.Safe() {
			how = "suggestion: "
		}
		writeWrapped(b, indent, indent+"  ", how+rules.Printable(fix.Title))
	}
}

// summary counts by severity. What there is none of is left out, but errors.
func (r *result) summary() string {
	parts := []string{plural(r.counts[rules.Error], "error")}
	for _, s := range []rules.Severity{rules.Warning, rules.Info, rules.Hint} {
		if n := r.counts[s]; n > 0 {
			parts = append(parts, plural(n, s.String()))
		}
	}
	return strings.Join(parts, ", ")
}

func (r *result) extent() string {
	if r.report.Checked == r.report.Total {
		return plural(r.report.Total, "file")
	}
	return fmt.Sprintf("%d of %s", r.report.Checked, plural(r.report.Total, "file"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// writeWrapped breaks text at spaces so that lines fit. The lines after the
// first have an indent of their own.
func writeWrapped(b *bytes.Buffer, indent, next, text string) {
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString(indent)
			used = len(indent)
		case used+1+n > lineWidth:
			b.WriteString("\n" + next)
			used = len(next)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
}
