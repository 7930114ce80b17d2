package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/gitrepo"
)

const remindHelp = `Print what an agent has to be told of its memory at its next turn: changes that are not committed,
and what refuses them; a merge that waits for its end; a budget that is used up, or nearly so; why
the last commit was refused; work that an unfinished turn has left.

Each is told once, until it changes or comes again; --all tells it all the same. Of several
conversations at one memory each is told for itself when --conversation names it. With nothing to
tell nothing is printed. --format gemini is the JSON that hooks of Gemini CLI print.`

// A reminder is one thing that an agent has to be told.
type reminder struct {
	// Kind is dirty, merge, budget, refused, rescue or interrupted.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// remindOptions are the flags of remind.
type remindOptions struct {
	conversation          string
	all, prompt, exitCode bool
	format                *choice
}

func (a *app) remindCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remind",
		Short: "Tell an agent what its memory needs",
		Long:  remindHelp,
		Example: `  agentcli remind
  agentcli remind --prompt --all                   at the start of a session
  agentcli remind --exit-code >&2 || exit 2        in a hook that can hold an agent up`,
		Args: cobra.NoArgs,
	}
	o := remindOptions{format: formatFlag(cmd, "gemini")}
	flags := cmd.Flags()
	flags.StringVar(&o.conversation, "conversation", "", "`ID` of the conversation that is told")
	flags.BoolVar(&o.all, "all", false, "tell also what was told before")
	flags.BoolVar(&o.prompt, "prompt", false, "begin with the prompt that compile --skills prints")
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when there is something to tell")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.remind(cmd.Context(), o) }
	return cmd
}

func (a *app) remind(ctx context.Context, o remindOptions) error {
	repo, err := a.find(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if repo.Top == "" {
		return fmt.Errorf("%s: %w; run this where the files are checked out", repo.GitDir, gitrepo.ErrNoWorktree)
	}
	reminders, err := a.reminders(ctx, repo)
	if err != nil {
		return err
	}
	fresh, err := repo.tell(o.conversation, reminders)
	if err != nil {
		a.note("what was told cannot be noted, so that it will be told again: %v", err)
	}
	if o.all {
		fresh = reminders
	}
	prompt := ""
	if o.prompt {
		if prompt, err = repo.agentPrompt(ctx); err != nil {
			return err
		}
	}
	if err := a.printReminders(repo, o.format.value, prompt, fresh); err != nil {
		return err
	}
	if o.exitCode && len(fresh) > 0 {
		return errFindings
	}
	return nil
}

// agentPrompt is the prompt of the last commit, with the list of skills.
func (r *repository) agentPrompt(ctx context.Context) (string, error) {
	committed, _, err := r.committed(ctx, atHead, false)
	if err != nil && !errors.Is(err, errNoCommit) {
		return "", err
	}
	opt := compile.Options{Skills: true}
	if opt.Layout, err = r.promptLayout(committed); err != nil {
		return "", err
	}
	prompt, err := compile.Compile(ctx, committed, opt)
	if err != nil {
		return "", err
	}
	return prompt.Text, nil
}

func (a *app) printReminders(repo *repository, format, prompt string, reminders []reminder) error {
	if format == "json" {
		if reminders == nil {
			reminders = []reminder{}
		}
		return a.printJSON(struct {
			Root      string     `json:"root"`
			Prompt    string     `json:"prompt"` // "" unless it is asked for
			Reminders []reminder `json:"reminders"`
		}{repo.root(), prompt, reminders})
	}
	var b bytes.Buffer
	if prompt != "" {
		b.WriteString(prompt + "\n")
	}
	for i, r := range reminders {
		if i > 0 || prompt != "" {
			b.WriteByte('\n')
		}
		b.WriteString(r.Text + "\n")
	}
	if format == "gemini" {
		if b.Len() == 0 {
			return nil
		}
		type context struct {
			Additional string `json:"additionalContext"`
		}
		return a.printJSON(map[string]context{"hookSpecificOutput": {b.String()}})
	}
	_, err := a.out.Write(b.Bytes())
	return err
}

// reminders are all that there is to tell, the most pressing first.
func (a *app) reminders(ctx context.Context, repo *repository) ([]reminder, error) {
	r, err := a.judgeAll(ctx, repo, atWorktree)
	if err != nil {
		return nil, err
	}
	var all []reminder
	where := "the memory in " + rules.Display(repo.root())
	add := func(kind string, lines ...string) {
		all = append(all, reminder{kind, strings.Join(lines, "\n")})
	}
	if repo.isPending() {
		add("interrupted", "A command that changes "+where+" was interrupted, or is at work. The next agentcli commit finishes it.")
	}
	if state := r.view.Unfinished; state != "" {
		add("merge", "A "+state+" waits for its end in "+where+". Resolve what is in conflict, git add it, and finish with git (git status says how).")
	}
	dirty, err := repo.dirty(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := repo.refusal(ctx)
	if err != nil {
		return nil, err
	}
	if len(dirty) > 0 {
		lines := []string{"Changes in " + where + " are not committed, and no part of your prompt before they are. Commit those that are yours: agentcli commit -m WHY PATH…"}
		lines = append(lines, listed(dirty)...)
		if errs := r.errorLines(); len(errs) > 0 {
			lines = append(append(lines, "A commit would be refused:"), listed(errs)...)
		}
		add("dirty", lines...)
	}
	if len(dirty) > 0 && refused != nil {
		lines := []string{"The last commit of " + where + " was refused by " + refused.By + ":"}
		add("refused", append(lines, listed(refused.Problems)...)...)
	}
	if near := r.budgetLines(); len(near) > 0 {
		lines := []string{"A budget of " + where + " is used up, or nearly so. Shorten what is there, or move what is seldom needed into a directory:"}
		add("budget", append(lines, listed(near)...)...)
	}
	kept, _, err := repo.rescues(ctx, rescueRefs)
	if err != nil {
		return nil, err
	}
	if len(kept) > 0 {
		var refs []string
		for _, r := range kept {
			refs = append(refs, strings.TrimSuffix(r.ref+": "+r.read().why, ": "))
		}
		lines := []string{"Work on " + where + " is kept that was not committed. agentcli turn resume REF goes on with it:"}
		add("rescue", append(lines, listed(refs)...)...)
	}
	return all, nil
}

// maxListed bounds the lines of one reminder.
const maxListed = 10

func listed(lines []string) []string {
	var out []string
	for i, line := range lines {
		if i == maxListed {
			return append(out, fmt.Sprintf("- … and %d more", len(lines)-i))
		}
		out = append(out, "- "+rules.Printable(line))
	}
	return out
}

// dirty are the paths that git status names, with what they are.
func (r *repository) dirty(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "status", "--porcelain", "--untracked-files=all", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	var paths []string
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if len(record) < 4 {
			continue
		}
		what := "changed"
		switch state := record[:2]; {
		case state == "??" || strings.Contains(state, "A"):
			what = "new"
		case strings.Contains(state, "U"):
			what = "in conflict"
		case strings.Contains(state, "D"):
			what = "deleted"
		}
		paths = append(paths, rules.Display(record[3:])+" ("+what+")")
	}
	return paths, nil
}

// errorLines are what refuses a commit of the tree.
func (r *result) errorLines() (lines []string) {
	for _, f := range r.shown {
		if f.Severity == rules.Error {
			lines = append(lines, f.Line)
		}
	}
	return lines
}

// budgetLines are what is found of budgets.
func (r *result) budgetLines() (lines []string) {
	for _, f := range r.shown {
		switch f.Rule.ID {
		case "file-budget", "core-budget", "budget-near":
			lines = append(lines, f.Line)
		}
	}
	return lines
}
