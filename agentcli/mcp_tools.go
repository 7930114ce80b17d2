package agentcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/rules"
)

// addTools offers the memory tools as every model gets them, and what a client
// does at the ends of a turn.
func (m *mcpServer) addTools() {
	closed := false
	for _, t := range new(memory.Workspace).Tools() {
		if t.Name == memory.FinishTool {
			continue // memory_commit is the end here
		}
		m.server.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.Schema,
			Annotations: &mcp.ToolAnnotations{OpenWorldHint: &closed, ReadOnlyHint: t.Name == memory.SkillTool},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return m.result(ctx, func() (string, error) { return m.call(ctx, t.Name, string(r.Params.Arguments)) })
		})
	}
	for _, t := range []struct {
		name, doc, schema string
		reads             bool
		run               func(ctx context.Context, message string) (string, error)
	}{
		{"memory_check", "Judge the memory: what is in the open batch, else the files on disk. Errors refuse a commit, the rest is advice.", noInput, true, m.check},
		{"memory_compile", "Read what is resident of the memory: the prompt that is compiled from the last commit, with the list of skills.", noInput, true, m.compilePrompt},
		{"memory_begin", "Begin a batch: changes are kept back until memory_commit commits them as one. For changes that are valid only together.", noInput, false, m.begin},
		{"memory_discard", "Throw away the changes of the open batch.", noInput, false, m.discard},
		{"memory_commit", "Commit the open batch; without one, the files that were changed on disk by other means. Refused changes stay, to be mended.", commitInput, false, m.commitAll},
	} {
		m.server.AddTool(&mcp.Tool{
			Name: t.name, Description: t.doc, InputSchema: json.RawMessage(t.schema),
			Annotations: &mcp.ToolAnnotations{OpenWorldHint: &closed, ReadOnlyHint: t.reads},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return m.result(ctx, func() (string, error) {
				var in struct {
					Message string `json:"message"`
				}
				if given := r.Params.Arguments; len(given) > 0 && string(given) != "null" {
					if err := memory.DecodeInput(given, &in); err != nil {
						return "", err
					}
				}
				return t.run(ctx, cleanMessage(in.Message))
			})
		})
	}
}

const (
	noInput     = `{"type": "object", "properties": {}, "additionalProperties": false}`
	commitInput = `{"type": "object", "properties": {"message": {"type": "string", "description": "What has changed and why, the first line short"}}, "additionalProperties": false}`
)

// result is what the client gets: an error is for the model to read.
func (m *mcpServer) result(ctx context.Context, f func() (string, error)) (*mcp.CallToolResult, error) {
	text, err := m.alone(ctx, f)
	if err != nil {
		text = printableLines(err.Error())
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: err != nil}, nil
}

// call runs a tool that works on the memory, and commits what it changes.
func (m *mcpServer) call(ctx context.Context, tool, input string) (string, error) {
	if m.batch != nil {
		return asError(m.batch.Call(ctx, tool, input))
	}
	text, w, base, err := m.callOnHead(ctx, tool, input)
	if err != nil || len(w.Changes()) == 0 {
		return text, err
	}
	writable, err := m.toWrite(ctx, m.repo)
	if err != nil {
		return "", err
	}
	defer writable.Close()
	for {
		done, err := m.commit(ctx, writable, overlay{base: base, changes: w.Changes(), message: messageOf(w)})
		if errors.Is(err, errMoved) {
			// Others were quicker; with the lock in hand the next try is ours.
			if text, w, base, err = m.callOnHead(ctx, tool, input); err != nil || len(w.Changes()) == 0 {
				return text, err
			}
			continue
		}
		if refused, ok := errors.AsType[*refusal](err); ok {
			return "", fmt.Errorf("nothing was changed. Make changes that are valid only together in a batch, from memory_begin to memory_commit.\n%w", refused)
		}
		return text + "\n\n" + done, err
	}
}

// callOnHead runs a tool on the last commit.
func (m *mcpServer) callOnHead(ctx context.Context, tool, input string) (text string, w *memory.Workspace, base string, err error) {
	if w, base, err = m.repo.workspace(ctx, m.createIndexes); err != nil {
		return "", nil, "", err
	}
	text, err = asError(w.Call(ctx, tool, input))
	return text, w, base, err
}

// asError makes an error of a tool's text that is one.
func asError(text string, isError bool) (string, error) {
	if isError {
		return "", errors.New(text)
	}
	return text, nil
}

// messageOf is the commit's message where the model may have given none; ""
// where there is nothing to commit.
func messageOf(w *memory.Workspace) string {
	if message := cleanMessage(w.Message()); message != "" {
		return message
	}
	changes := w.Changes()
	if len(changes) == 0 {
		return ""
	}
	// Indexes mostly come along with what it is about.
	about := slices.IndexFunc(changes, func(c rules.FileChange) bool { return !rules.IsIndex(c.Path) })
	message := "chore(memory): change " + rules.Display(changes[max(about, 0)].Path)
	if n := len(changes) - 1; n > 0 {
		message += fmt.Sprintf(" and %d more", n)
	}
	return message
}

func (m *mcpServer) check(ctx context.Context, _ string) (string, error) {
	t, err := m.look(ctx, m.repo, atWorktree, "")
	if err == nil && m.batch != nil {
		t.at, t.view = "batch", m.batch.View()
	}
	if err != nil {
		return "", err
	}
	r, err := t.judge(ctx, nil, false)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := writeText(&b, m.version, r); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

func (m *mcpServer) compilePrompt(ctx context.Context, _ string) (string, error) {
	return m.repo.agentPrompt(ctx)
}

func (m *mcpServer) begin(ctx context.Context, _ string) (string, error) {
	if m.batch != nil {
		return "", errors.New("a batch is open already; end it with memory_commit or memory_discard")
	}
	w, base, err := m.repo.workspace(ctx, m.createIndexes)
	if err != nil {
		return "", err
	}
	m.batch = &mcpBatch{Workspace: w, base: base}
	return "A batch has begun: nothing is on disk before memory_commit.", nil
}

func (m *mcpServer) discard(context.Context, string) (string, error) {
	if m.batch == nil {
		return "", errors.New("no batch is open")
	}
	n := len(m.batch.Changes())
	m.batch = nil
	return fmt.Sprintf("The batch is discarded, with %s changed in it.", plural(n, "file")), nil
}

func (m *mcpServer) commitAll(ctx context.Context, message string) (string, error) {
	if m.batch != nil {
		return m.commitBatch(ctx, message)
	}
	if message == "" {
		return "", errors.New("give a message: what has changed and why")
	}
	w, err := m.toWrite(ctx, m.repo)
	if err != nil {
		return "", err
	}
	defer w.Close()
	c := &commitRun{writable: w, message: m.mask.Text(message)}
	return m.outcome(ctx, c, c.run(ctx, nil))
}

func (m *mcpServer) commitBatch(ctx context.Context, message string) (string, error) {
	if len(m.batch.Changes()) == 0 {
		m.batch = nil
		return "The batch changes nothing: there is nothing to commit, and it is ended.", nil
	}
	w, err := m.toWrite(ctx, m.repo)
	if err != nil {
		return "", err
	}
	defer w.Close()
	for {
		done, err := m.commit(ctx, w, m.batch.overlay(message))
		switch {
		case err == nil:
			kept := m.batch.kept
			m.batch = nil
			if kept != nil {
				err = kept.drop(ctx, w)
			}
			return done, err
		case !errors.Is(err, errMoved):
			return "", fmt.Errorf("%w\nThe batch stays open: mend what is wrong, then call memory_commit again, or memory_discard", err)
		}
		if err := m.rebase(ctx, w, message); err != nil {
			return "", err
		}
	}
}

// rebase lays the batch over the commit that somebody else has made. What both
// have changed is shown to the model, to be written again; until that is in,
// the batch as it was is kept.
func (m *mcpServer) rebase(ctx context.Context, w *writable, message string) error {
	s, base, _, err := m.repo.lastCommit(ctx)
	if err != nil {
		return err
	}
	before := m.batch.overlay(message)
	conflicts, err := m.batch.Rebase(s)
	if err != nil {
		return err
	}
	m.batch.base = base
	if len(conflicts) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("somebody else has committed meanwhile, and changed files of this batch. The batch now has their versions; write what should be there, then call memory_commit again")
	for _, c := range conflicts {
		b.WriteString("\n\n" + c.String())
	}
	older := m.batch.kept
	if m.batch.kept, err = m.keep(ctx, w, before, "others have changed the same files"); err == nil && older != nil {
		err = older.drop(ctx, w)
	}
	return errors.Join(errors.New(b.String()), err)
}
