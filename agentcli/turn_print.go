package agentcli

import (
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
)

// A turnPrinter shows a turn.
type turnPrinter interface {
	observe(e turn.Event)
	end(r *turn.Result) error
}

func newTurnPrinter(t *agentTurn) turnPrinter {
	switch t.options.format.value {
	case "json":
		return &jsonTurn{agentTurn: t}
	case "stream-json":
		return newStreamTurn(t)
	}
	return &textTurn{agentTurn: t}
}

// A textTurn shows a turn to people: the answer on standard output, on
// standard error what happens to the memory.
type textTurn struct{ *agentTurn }

func (p *textTurn) observe(e turn.Event) {
	switch {
	case e.Call != nil:
		p.note("%s", describeCall(e.Call, e.Result))
	case e.Refusal != nil:
		p.note("not committed yet:\n%s", strings.TrimRight(e.Refusal.Show, "\n"))
	case e.Delta != nil && e.Delta.Retry != nil:
		p.note("%s", describeRetry(e.Delta.Retry))
	}
}

func (p *textTurn) end(r *turn.Result) error {
	p.noteEnd(r)
	if p.options.dry && r.Outcome == turn.Done {
		_, err := p.out.WriteString(p.diff())
		return err
	}
	if text := strings.TrimSpace(r.Text); text != "" {
		_, err := fmt.Fprintln(p.out, printableLines(text))
		return err
	}
	return nil
}

// noteEnd says what became of the work.
func (t *agentTurn) noteEnd(r *turn.Result) {
	for _, line := range t.endLines(r) {
		t.note("%s", line)
	}
	if r.Outcome == turn.Refused {
		t.note("%v", r.Err)
	}
	if ref := t.rescueRef(); ref != "" {
		t.note("%s", keptLine(ref))
	}
}

func keptLine(ref string) string {
	return fmt.Sprintf("nothing was committed; the work is kept on %s\nGo on with it: agentcli turn resume %[1]s", ref)
}

// endLines say what was committed, or that nothing came of the turn at all.
func (t *agentTurn) endLines(r *turn.Result) (lines []string) {
	if t.made == nil || t.made.commit == "" {
		if r.Outcome == turn.Done && strings.TrimSpace(r.Text) == "" && len(t.work.Changes()) == 0 {
			lines = append(lines, "the model answered nothing, and changed nothing")
		}
		return lines
	}
	for i := range t.made.changes {
		c := &t.made.changes[i]
		lines = append(lines, c.action()+" "+rules.Display(c.Path))
	}
	return append(lines, fmt.Sprintf("committed %s: %s", t.made.commit[:min(10, len(t.made.commit))], rules.Printable(t.made.subject())))
}

// diff is the work as a unified diff.
func (t *agentTurn) diff() string {
	p := &plan{}
	for _, c := range t.work.Changes() {
		s := step{path: c.Path, created: c.Before == nil, gone: c.After == nil, mode: 0o644}
		for _, side := range []struct {
			file *string
			into *[]byte
		}{{toldText(c.Before), &s.before}, {toldText(c.After), &s.after}} {
			if side.file != nil {
				*side.into = []byte(*side.file)
			}
		}
		p.steps = append(p.steps, s)
	}
	return printableLines(p.diff())
}

// describeCall is a call on one line: what was called, on what, and how it
// went where it went wrong.
func describeCall(c *model.Call, r *model.Result) string {
	words := []string{rules.Printable(c.Name)}
	for _, field := range []string{"command", "path", "file_path", "old_path", "new_path", "name"} {
		if value := inputText(c.Input, field); value != "" {
			words = append(words, rules.Display(cut(value, maxShown)))
		}
	}
	line := strings.Join(words, " ")
	if r.IsError {
		first, _, _ := strings.Cut(r.Text, "\n")
		line += ": " + rules.Printable(cut(first, maxShown))
	}
	return line
}

// maxShown bounds a word of a line about a call, in characters.
const maxShown = 200

func cut(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

func describeRetry(r *model.Retry) string {
	return fmt.Sprintf("the model does not answer (%s); try %d in %v", rules.Printable(cut(r.Err.Error(), maxShown)), r.Attempt, r.After)
}
