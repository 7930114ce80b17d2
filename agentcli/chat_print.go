package agentcli

import (
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/turn"
)

// A chatPrinter shows a conversation while it goes on: what the model says on
// standard output, as it comes, everything else on standard error.
type chatPrinter struct {
	*app
	paint    painter
	streamed bool // text of this answer has come piece by piece
	midLine  bool // the cursor is in the middle of a line
}

func (p *chatPrinter) observe(e turn.Event) {
	switch {
	case e.Step > 0:
		p.streamed = false
	case e.Delta != nil:
		p.delta(e.Delta)
	case e.Answer != nil && !p.streamed:
		for _, part := range e.Answer.Message.Parts {
			p.text(part.Text)
		}
	case e.Call != nil:
		p.aside(describeCall(e.Call, e.Result))
	case e.Refusal != nil:
		p.aside("not committed yet:\n" + strings.TrimRight(e.Refusal.Show, "\n"))
	}
}

func (p *chatPrinter) delta(e *model.Event) {
	switch {
	case e.Retry != nil:
		p.aside(describeRetry(e.Retry))
	case e.Text != "":
		p.streamed = true
		p.text(e.Text)
	}
}

// text prints a piece of an answer. Each control character in it is escaped by
// itself, so that it does not matter where the pieces end.
func (p *chatPrinter) text(piece string) {
	if piece == "" {
		return
	}
	_, _ = p.out.WriteString(printableLines(piece)) // flushing tells of errors
	p.midLine = !strings.HasSuffix(piece, "\n")
	p.flush()
}

// aside prints lines that the model did not say.
func (p *chatPrinter) aside(text string) {
	p.endLine()
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(p.env.Stderr, p.paint.paint(colorFaint, line))
	}
}

func (p *chatPrinter) endLine() {
	if p.midLine {
		p.midLine = false
		_ = p.out.WriteByte('\n')
		p.flush()
	}
}

func (p *chatPrinter) flush() { _ = p.out.Flush() } // a pipe that is gone ends the program at its end
