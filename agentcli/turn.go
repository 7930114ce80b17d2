package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
)

const turnHelp = `Ask a model, with the memory as its prompt and tools to keep it, and commit what it made of the
memory: all of a turn is one commit, or none.

The tools work on the last commit and touch no file. When the model is done the whole memory is
judged. What is refused, by the rules or by a hook of the repository, goes back to the model, at
most 3 times; what is accepted is committed, and the files follow. Edits of yours stay as they
are. If others have committed meanwhile the two are merged file by file, and the model is shown
what both have changed.

Work that cannot be committed (refused for good, interrupted, out of steps or time, the model
gone) is kept on a ref below refs/agentcli/rescue/; turn resume goes on from it.

The answer goes to standard output. A journal of all turns is in memls/turn.jsonl in the git
directory, without secrets. Exit code 1 is a turn that was refused.`

// maxMessage bounds what the model is asked, in bytes.
const maxMessage = 1 << 20

// turnOptions are the flags of turn and chat.
type turnOptions struct {
	model, system, session string
	dirty, format          *choice
	policy                 *choice
	steps                  int
	timeout                time.Duration // of one turn; 0 for none
	dry, indexes           bool
}

func turnFlags(cmd *cobra.Command, formats ...string) *turnOptions {
	o := &turnOptions{
		dirty:  choiceFlag(cmd, "dirty", "with uncommitted changes", "stop", "stop", "commit", "keep"),
		policy: policyFlag(cmd),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.model, "model", "", "`MODEL` as provider/name (default: what the environment has a key for)")
	flags.StringVar(&o.system, "system", "", "base prompt from `FILE`; each {CORE_MEMORY} in it is replaced by the memory, which else follows it")
	flags.StringVar(&o.session, "session", "", "keep the conversation in `FILE`, and go on with what is in it")
	flags.IntVar(&o.steps, "max-steps", turn.MaxSteps, "ask the model at most `N` times")
	flags.DurationVar(&o.timeout, "timeout", 0, "stop a turn after `DURATION`, 90s or 10m say, and keep its work (default: no limit)")
	flags.BoolVar(&o.indexes, "create-indexes", false, "create missing indexes of directories, rather than tell the model")
	if len(formats) > 0 {
		flags.BoolVar(&o.dry, "dry-run", false, "print what would be committed as a unified diff, and change nothing")
		o.format = choiceFlag(cmd, "format", "print as", formats[0], formats...)
	}
	return o
}

func (o *turnOptions) check() error {
	if o.steps < 1 {
		return fmt.Errorf("--max-steps %d: a turn takes at least one", o.steps)
	}
	if o.timeout < 0 {
		return fmt.Errorf("--timeout %v: a turn takes longer than that; 0 is no limit", o.timeout)
	}
	return nil
}

func (a *app) turnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "turn MESSAGE",
		Short: "Ask a model that keeps the memory, and commit what it did",
		Long:  turnHelp,
		Example: `  agentcli turn "My name is Ada. Remember it."
  agentcli turn --model anthropic/claude-sonnet-5-5 --session talk.jsonl - < question.txt
  agentcli turn --dry-run --model script/scenario.yaml "Tidy up"
  agentcli turn resume`,
		Args: cobra.ExactArgs(1),
	}
	o := turnFlags(cmd, "text", "json", "stream-json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request, err := a.turnRequest(args[0])
		if err != nil {
			return err
		}
		return a.talkOnce(cmd.Context(), o, func(ctx context.Context, t *agentTurn) *turn.Result {
			return t.run(ctx, request, false)
		})
	}
	cmd.AddCommand(a.turnResumeCommand())
	return cmd
}

// talkOnce is what turn and turn resume do around their work.
func (a *app) talkOnce(ctx context.Context, o *turnOptions, work func(context.Context, *agentTurn) *turn.Result) error {
	if err := o.check(); err != nil {
		return err
	}
	talk, err := a.openTalk(ctx, o)
	if err != nil {
		return err
	}
	defer talk.Close()
	return talk.oneTurn(ctx, work)
}

func (t *talk) oneTurn(ctx context.Context, work func(context.Context, *agentTurn) *turn.Result) error {
	one, err := t.begin(ctx)
	if err != nil {
		return err
	}
	defer one.Close()
	printer := newTurnPrinter(one)
	t.show = printer.observe
	result := work(ctx, one)
	one.end(ctx, result)
	return errors.Join(printer.end(result), turnError(result))
}

// turnError is nil, errFindings for a refusal that has been shown, or what
// went wrong.
func turnError(r *turn.Result) error {
	if r.Outcome == turn.Refused {
		return errFindings
	}
	return r.Err
}

// turnRequest is the message, from standard input where it is "-".
func (a *app) turnRequest(arg string) (string, error) {
	text := arg
	if arg == "-" {
		in, err := io.ReadAll(io.LimitReader(a.env.Stdin, maxMessage+1))
		if err != nil {
			return "", fmt.Errorf("cannot read the message: %w", err)
		}
		text = string(in)
	}
	return checkMessage(text)
}

// checkMessage is what a model can be asked, without what editors put before it.
func checkMessage(text string) (string, error) {
	switch {
	case len(text) > maxMessage:
		return "", fmt.Errorf("the message is larger than %d MiB", maxMessage>>20)
	case !utf8.ValidString(text):
		return "", errors.New("the message is not UTF-8 text")
	case strings.TrimSpace(text) == "":
		return "", errors.New("the message is empty: say what you want of the model")
	}
	return strings.TrimPrefix(text, "\uFEFF"), nil
}

// sessionPath is where the session is kept: not in the working tree, whose
// files are memory.
func (t *talk) sessionPath(file, top string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	real := filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs))
	if top != "" && isWithin(real, resolved(top)) && !isWithin(real, resolved(filepath.Join(top, ".git"))) {
		return "", fmt.Errorf("--session %s: lies in the memory, and would become part of it; name a file elsewhere", rules.Display(file))
	}
	return abs, nil
}
