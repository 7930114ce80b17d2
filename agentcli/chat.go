package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
)

const chatHelp = `Talk with a model that keeps the memory. Each message is a turn (see agentcli turn): when it has
changed the memory that is one commit.

Ctrl-C stops the model and keeps its work, which the next message goes on with; Ctrl-D or /quit
ends the conversation, and keeps on a ref what is not committed. Messages may come from a pipe,
one a line; the answers go to standard output, all else to standard error.`

const chatCommands = `/diff   the changes that are not committed, else those of the last commit
/help   this list
/quit   end; so does Ctrl-D
A line that ends in \ goes on in the next. Ctrl-C stops the model.`

func (a *app) chatCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with a model that keeps the memory",
		Long:  chatHelp,
		Example: `  agentcli chat
  agentcli chat --model ollama/qwen3 --session talk.jsonl`,
		Args: cobra.NoArgs,
	}
	o := turnFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}
		talk, err := a.openTalk(cmd.Context(), o)
		if err != nil {
			return err
		}
		defer talk.Close()
		return talk.chat(cmd.Context())
	}
	return cmd
}

// A chatRun is a conversation with a person.
type chatRun struct {
	*talk
	lines *lineReader
	print *chatPrinter

	now  *agentTurn   // whose work is not committed yet; nil before a message
	last *turn.Result // of the last message
	diff string       // of the last commit
}

func (t *talk) chat(ctx context.Context) (err error) {
	// Ctrl-C is for the model, not for the program.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), Endings()...)
	defer stop()
	c := &chatRun{talk: t, lines: newLineReader(t.app, t.history)}
	c.print = &chatPrinter{app: t.app, paint: t.painterOn(t.env.Stderr)}
	c.show = c.print.observe
	if _, err := t.provider(ctx); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	if c.lines.talks {
		c.print.aside(rules.Printable(t.modelName()) + ", /help for help")
	}
	err = c.converse(ctx)
	c.leave(ctx)
	if err == nil && !c.lines.talks && c.last != nil {
		return turnError(c.last)
	}
	return err
}

// ready begins a turn, unless there is one with work to go on with.
func (c *chatRun) ready(ctx context.Context) (err error) {
	if c.now == nil {
		c.now, err = c.begin(ctx)
	}
	return err
}

func (c *chatRun) converse(ctx context.Context) error {
	for {
		line, err := c.read(ctx)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return err
		}
		switch line = strings.TrimSpace(line); line {
		case "":
		case "/quit", "/exit":
			return nil
		case "/help":
			c.print.aside(chatCommands)
		case "/diff":
			c.showDiff()
		default:
			if strings.HasPrefix(line, "/") && !strings.ContainsAny(line, " \n") {
				c.print.aside(rules.Printable(line) + ": no such command; /help lists them")
				continue
			}
			switch line, err := checkMessage(line); {
			case err == nil:
				c.say(ctx, line)
			case c.lines.talks:
				c.print.aside(err.Error())
			default: // nobody would see that it was not sent
				return err
			}
		}
		if err := c.out.Flush(); err != nil {
			return fmt.Errorf("cannot write the answer: %w", err)
		}
	}
}

// read reads a message, of as many lines as end in a backslash and one more.
func (c *chatRun) read(ctx context.Context) (string, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	message := ""
	for {
		line, err := c.lines.read(ctx)
		if errors.Is(err, io.EOF) && message != "" {
			return message, nil
		}
		if err != nil {
			return "", err
		}
		more, ok := strings.CutSuffix(line, `\`)
		if message += more; !ok {
			return message, nil
		}
		message += "\n"
	}
}

// say is one turn of the conversation.
func (c *chatRun) say(ctx context.Context, message string) {
	if err := c.ready(ctx); err != nil {
		c.print.aside(printableLines(err.Error()))
		return
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	c.now.request = message
	c.last = c.now.run(ctx, message, false)
	c.print.endLine()
	if c.last.Outcome != turn.Done {
		c.print.aside(c.wentWrong())
		return
	}
	c.now.end(ctx, c.last)
	for _, line := range c.now.endLines(c.last) {
		c.print.aside(line)
	}
	c.print.aside(c.budget())
	if c.now.made != nil && c.now.made.commit != "" {
		c.diff = c.now.diff()
	}
	c.now.Close()
	c.now = nil
}

func (c *chatRun) wentWrong() string {
	text := "interrupted"
	if c.last.Outcome != turn.Interrupted {
		text = printableLines(c.last.Err.Error())
	}
	if n := len(c.now.work.Changes()); n > 0 {
		text += fmt.Sprintf("\n%s changed and not committed; the next message goes on with that, /diff shows it", plural(n, "file"))
	}
	return text
}

func (c *chatRun) showDiff() {
	diff := c.diff
	if c.now != nil && len(c.now.work.Changes()) > 0 {
		diff = c.now.diff()
	}
	if diff == "" {
		c.print.aside("nothing has been changed")
		return
	}
	_, _ = c.out.WriteString(diff)
	c.print.flush()
}

// budget says how full the memory is, and what the answer took.
func (c *chatRun) budget() string {
	text := ""
	if used, limit, err := c.now.work.View().CoreBudget(); err == nil && limit > 0 {
		text = fmt.Sprintf("core memory %d of %d characters; ", used, limit)
	}
	u := c.last.Usage
	text += fmt.Sprintf("%d tokens in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output)
	if u.Cost > 0 {
		text += fmt.Sprintf(", $%.4f", u.Cost)
	}
	return text
}

// leave keeps what is not committed.
func (c *chatRun) leave(ctx context.Context) {
	if c.now == nil {
		return
	}
	defer c.now.Close()
	if c.last == nil || c.last.Outcome == turn.Done {
		return
	}
	c.now.end(context.WithoutCancel(ctx), c.last)
	if ref := c.now.rescueRef(); ref != "" {
		c.print.aside(keptLine(ref))
	}
}
