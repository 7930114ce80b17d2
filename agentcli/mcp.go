package agentcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules/gitrepo"
)

const mcpHelp = `Serve the memory over the Model Context Protocol on standard input and output, for agents that keep
their memory here: Claude Code, Cursor, VS Code, Codex and others start this command themselves.

Each change is judged and committed by itself; one that a rule or hook refuses changes nothing, and
the agent is told why. For changes that are valid only together there is a batch: memory_begin, the
changes, memory_commit. A batch that is open when the client leaves is kept on a ref and named.

Resources are the compiled prompt and every index, as committed.`

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory tools to agents over MCP",
		Long:  mcpHelp,
		Example: `  claude mcp add memory -- agentcli -C ~/memory mcp
  codex mcp add memory -- agentcli -C ~/memory mcp`,
		Args: cobra.NoArgs,
	}
	createIndexes := cmd.Flags().Bool("create-indexes", true, "create the indexes that a new file needs, and list it in them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		repo, err := a.find(ctx)
		if err != nil {
			return err
		}
		defer repo.Close()
		if repo.Top == "" {
			return fmt.Errorf("%s: %w; run this where the files are checked out", repo.GitDir, gitrepo.ErrNoWorktree)
		}
		m := a.newMCP(repo, *createIndexes)
		outliveReader()
		if err = m.server.Run(ctx, &stdioTransport{in: a.env.Stdin, out: a.env.Stdout}); err != nil && ctx.Err() == nil {
			err = fmt.Errorf("talking with the client: %w", err)
		}
		return errors.Join(err, m.end(ctx))
	}
	return cmd
}

// An mcpServer serves one client. Requests come at the same time; whatever
// touches the memory takes its turn.
type mcpServer struct {
	*app
	repo          *repository
	createIndexes bool
	server        *mcp.Server
	mask          *turn.Mask

	turn      chan struct{}   // holds one token, free to be taken
	batch     *mcpBatch       // nil where each change is committed by itself
	resources map[string]bool // URIs of the indexes that are offered
}

// An mcpBatch is changes that are to be committed as one.
type mcpBatch struct {
	*memory.Workspace
	base string // the commit that they are laid over
	// kept is where they are as they were before a conflict; nil for none.
	kept *rescue
}

// overlay is the batch as a change, with a message or, for "", one of its own.
func (b *mcpBatch) overlay(message string) overlay {
	return overlay{base: b.base, changes: b.Changes(), message: cmp.Or(message, messageOf(b.Workspace))}
}

func (a *app) newMCP(repo *repository, createIndexes bool) *mcpServer {
	m := &mcpServer{app: a, repo: repo, createIndexes: createIndexes, mask: turn.NewMask(os.Environ()), turn: make(chan struct{}, 1), resources: map[string]bool{}}
	m.turn <- struct{}{}
	m.server = mcp.NewServer(&mcp.Implementation{Name: "agentcli", Title: "Agent memory", Version: a.version}, &mcp.ServerOptions{
		Instructions: "A memory that outlasts the conversation: a git repository of Markdown files. Call memory_compile at the start to read what is resident of it; " +
			"view indexes (MEMORY.md) with the tool memory to find the rest. Note what will matter later, and say why in reason.",
		Capabilities: &mcp.ServerCapabilities{},
	})
	m.addTools()
	m.addResources()
	m.server.AddPrompt(&mcp.Prompt{Name: "tidy-up", Title: "Tidy up the memory", Description: "Mend what is wrong with the memory, and bring it in order"}, m.tidyUp)
	return m
}

// alone runs f when nothing else works on the memory.
func (m *mcpServer) alone(ctx context.Context, f func() (string, error)) (string, error) {
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-m.turn:
	}
	defer func() { m.turn <- struct{}{} }()
	return f()
}

// end keeps a batch that nobody committed.
func (m *mcpServer) end(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	_, err := m.alone(ctx, func() (string, error) {
		if m.batch == nil || len(m.batch.Changes()) == 0 {
			return "", nil
		}
		w, err := m.toKeep(ctx, m.repo)
		if err != nil {
			return "", err
		}
		defer w.Close()
		r, err := m.keep(ctx, w, m.batch.overlay(""), "the client left without committing it")
		if err != nil {
			return "", err
		}
		m.note("a batch of changes was not committed; it is kept as %s; agentcli turn resume commits it", r.ref)
		return "", nil
	})
	return err
}

// keep puts changes on a ref that turn resume takes up.
func (m *mcpServer) keep(ctx context.Context, w *writable, o overlay, why string) (*rescue, error) {
	o.rescue = newRescue(time.Now(), fmt.Sprintf("mcp-%d", os.Getpid()))
	kept := rescued{message: o.message, why: why, finished: "true"}
	o.rescue.message = kept.text("an agent", m.mask)
	return o.rescue, w.rescueOverlay(ctx, o)
}

// A refusal is what rules or hooks say against a commit, which leaves everything
// as it was.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// commit commits the changes that tools made. The error is a *refusal where
// rules or hooks say no, and errMoved where the branch is no longer at base.
func (m *mcpServer) commit(ctx context.Context, w *writable, o overlay) (string, error) {
	o.message = m.mask.Text(o.message)
	c, err := w.commitOverlay(ctx, o)
	if edits, ok := errors.AsType[*localEdits](err); ok {
		return "", fmt.Errorf("%w. memory_commit without a batch commits them", edits)
	}
	return m.outcome(ctx, c, err)
}

// outcome tells how a commit went.
func (m *mcpServer) outcome(ctx context.Context, c *commitRun, err error) (string, error) {
	switch {
	case errors.Is(err, errFindings) && c.refused != nil:
		return "", &refusal{printableLines(strings.TrimSpace(c.refused.output)) + "\nnothing was committed: " + c.refused.Error()}
	case errors.Is(err, errFindings):
		return "", &refusal{strings.TrimSpace(string(c.text()))}
	case err != nil:
		return "", err
	}
	_ = m.refresh(ctx) // it is looked up again when it is asked for
	return strings.TrimSpace(string(c.text())), nil
}
