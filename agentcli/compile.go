package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/tree"
)

const compileHelp = `Print the system prompt that an agent gets from this memory (tags is our style, files previews
the one of Letta Code).

It is made of what is committed: the last commit, or the revision of --at. Saved but uncommitted
work is not in it, nor what an unfinished merge has staged. The same commit and flags give the
same bytes; with --agent a line holds the time, which --now sets.

The prompt names a directory at the root that has a MEMORY.md. A deferred directory deeper than
that is discovered through its parent's index: an agent reads projects/MEMORY.md, which links to
projects/archive/MEMORY.md. An index that does not link to the one below hides it: compile warns
of the root index, check (rule index-unlisted) of every one.

Standard output is the prompt, and a line end where it has none; of an empty one it is nothing.
With --format json "prompt" is exact, and "parts" say by byte offsets where in it what comes from.
Warnings go to standard error and do not fail.`

// A compileRequest is the command line of compile.
type compileRequest struct {
	at, system, now string
	style, format   *choice
	options         compile.Options
}

func (a *app) compileCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile",
		Short: "Print the system prompt that an agent gets",
		Long:  compileHelp,
		Example: `  agentcli compile
  agentcli compile --system base.md --skills --agent agent-1
  agentcli compile --at HEAD~1 --style files --format json`,
		Args: cobra.NoArgs,
	}
	r := compileRequest{
		style:  choiceFlag(cmd, "style", "write the memory as", compile.Tags.String(), compile.Tags.String(), compile.Files.String()),
		format: formatFlag(cmd),
	}
	flags := cmd.Flags()
	flags.StringVar(&r.at, "at", atHead, "`COMMIT`: head or a revision")
	flags.StringVar(&r.system, "system", "", "base prompt from `FILE` (- is standard input); each {CORE_MEMORY} in it is replaced by the memory, which else follows it")
	flags.BoolVar(&r.options.Skills, "skills", false, "add the list of skills")
	flags.StringVar(&r.options.AgentID, "agent", "", "add a block of metadata for the agent `ID`")
	flags.StringVar(&r.options.ConversationID, "conversation", "", "`ID` of the conversation, for the metadata")
	flags.IntVar(&r.options.PreviousMessages, "messages", 0, "`NUMBER` of earlier messages, for the metadata")
	flags.StringVar(&r.now, "now", "", "`TIME` of the compilation in RFC 3339, for the metadata (default: now)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.prepareCompile(cmd, &r); err != nil {
			return err
		}
		return a.compile(cmd.Context(), &r)
	}
	return cmd
}

// prepareCompile checks the command line and reads the base prompt.
func (a *app) prepareCompile(cmd *cobra.Command, r *compileRequest) (err error) {
	for _, flag := range []string{"conversation", "messages", "now"} {
		if cmd.Flags().Changed(flag) && r.options.AgentID == "" {
			return fmt.Errorf("--%s is part of the metadata, which --agent ID adds", flag)
		}
	}
	if r.options.PreviousMessages < 0 {
		return fmt.Errorf("--messages %d: a number of messages is not negative", r.options.PreviousMessages)
	}
	if r.at == atWorktree || r.at == atStaged {
		return fmt.Errorf("--at %s: a prompt is made of what is committed; commit first, then use --at head or a revision", r.at)
	}
	r.options.Now = time.Now()
	if r.now != "" {
		if r.options.Now, err = time.Parse(time.RFC3339, r.now); err != nil {
			return fmt.Errorf("--now %q: no time in RFC 3339, such as 2026-01-02T15:04:05Z", r.now)
		}
	}
	if r.options.Style, err = compile.ParseStyle(r.style.value); err != nil {
		return err
	}
	r.options.System, err = a.readSystem(r.system)
	return err
}

// readSystem reads the base prompt. Like any output or input that is no part
// of the repository, the path starts from the working directory.
func (a *app) readSystem(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	in := a.env.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("cannot read the base prompt: %w", err)
		}
		defer f.Close()
		in = f
	}
	src, err := io.ReadAll(io.LimitReader(in, maxStdin+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the base prompt: %w", err)
	case len(src) > maxStdin:
		return "", fmt.Errorf("the base prompt is larger than %d MiB", maxStdin>>20)
	case !utf8.Valid(src):
		return "", fmt.Errorf("the base prompt %s is not UTF-8; save it as UTF-8 text", rules.Display(path))
	}
	return strings.TrimPrefix(string(src), "\uFEFF"), nil
}

func (a *app) compile(ctx context.Context, r *compileRequest) error {
	repo, err := a.open(ctx)
	if errors.Is(err, gitrepo.ErrNoDirectory) && r.format.value == "text" {
		// An agent whose memory is gone can still be started: it gets its base
		// prompt, and whoever starts it the error.
		prompt, compileErr := compile.Compile(ctx, nil, r.options)
		if compileErr != nil {
			return compileErr
		}
		return errors.Join(a.printPrompt(prompt), err)
	}
	if err != nil {
		return err
	}
	defer repo.Close()
	committed, commit, err := repo.committed(ctx, r.at, r.format.value == "json")
	if errors.Is(err, errNoCommit) {
		a.note("no commit yet: the prompt has no memory")
	} else if err != nil {
		return err
	}
	if r.options.Layout, err = repo.promptLayout(committed); err != nil {
		return err
	}
	prompt, err := compile.Compile(ctx, committed, r.options)
	if err != nil {
		return err
	}
	for _, w := range prompt.Warnings {
		a.note("warning: %s", rules.Printable(w.String()))
	}
	if r.format.value == "json" {
		return a.printPromptJSON(repo, r, commit, prompt)
	}
	return a.printPrompt(prompt)
}

func (a *app) printPrompt(prompt *compile.Prompt) error {
	text := prompt.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := a.out.WriteString(text)
	return err
}

// committed is the tree of a commit, which is head or a revision, and if it is
// to be named its id. The error is errNoCommit when that is the last commit and
// there is none.
func (r *repository) committed(ctx context.Context, at string, named bool) (*tree.Tree, tree.OID, error) {
	if at == atHead {
		at = "HEAD"
	}
	if at == "HEAD" {
		switch head, err := r.Head(ctx); {
		case err != nil:
			return nil, "", err
		case head == nil:
			return nil, "", errNoCommit
		case !named: // this takes a git process less
			return head, "", nil
		}
	}
	return r.Revision(ctx, at)
}

// promptLayout is the layout to compile. A tree tells its own; only shared
// memory is v2 without a root index.
func (r *repository) promptLayout(committed *tree.Tree) (compile.Layout, error) {
	policy, found, err := r.Policy()
	if err != nil {
		return compile.AutoLayout, err
	}
	if found && policy == config.SharedMemory && committed != nil {
		return compile.V2, nil
	}
	return compile.AutoLayout, nil
}

// promptTokens are counts of tokens by the way they were found.
type promptTokens struct {
	Estimate int `json:"estimate"` // a quarter of the bytes, rounded up
}

type promptPart struct {
	Kind       compile.PartKind `json:"kind"`
	Path       string           `json:"path"`   // "" for what is no file
	Offset     int              `json:"offset"` // in bytes of prompt, from 0
	Bytes      int              `json:"bytes"`
	Characters int              `json:"characters"`
	Tokens     promptTokens     `json:"tokens"`
}

type promptWarning struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (a *app) printPromptJSON(repo *repository, r *compileRequest, commit tree.OID, p *compile.Prompt) error {
	parts := []promptPart{}
	for _, part := range p.Parts {
		parts = append(parts, promptPart{part.Kind, part.Path, part.Offset, part.Bytes, part.Characters, promptTokens{part.Tokens()}})
	}
	warnings := []promptWarning{}
	for _, w := range p.Warnings {
		warnings = append(warnings, promptWarning{w.Path, w.Message})
	}
	var id *string
	if commit != "" {
		s := commit.String()
		id = &s
	}
	return a.printJSON(struct {
		Root       string          `json:"root"`
		At         string          `json:"at"`
		Commit     *string         `json:"commit"` // null before the first one, and for a tree
		Style      string          `json:"style"`
		Prompt     string          `json:"prompt"`
		Bytes      int             `json:"bytes"`
		Characters int             `json:"characters"`
		Tokens     promptTokens    `json:"tokens"`
		Parts      []promptPart    `json:"parts"`
		Warnings   []promptWarning `json:"warnings"`
	}{
		repo.root(), r.at, id, r.options.Style.String(), p.Text, len(p.Text), utf8.RuneCountInString(p.Text),
		promptTokens{p.Tokens()}, parts, warnings,
	})
}
