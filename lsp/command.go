package lsp

import (
	"cmp"
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

// The commands of executeCommand.
const (
	commandApplyFix      = "memls.applyFix"
	commandFixAll        = "memls.fixAll"
	commandCreateIndexes = "memls.createIndexes"
	commandCheckStaged   = "memls.checkStaged"
)

// A command does something for the document (or any other file of its
// repository) that its first argument names.
type command func(s *Server, ctx context.Context, sub *subject, arg commandArg) (any, error)

var commands = map[string]command{
	commandApplyFix: (*Server).applyFix,
	commandFixAll:   (*Server).applyFixAll,

	commandListFiles: (*Server).listFiles,
	commandShowLinks: (*Server).showLinks,
}

// commandArg is the argument of every command: a document's URI, as a string
// or in an object, and what else the command wants.
type commandArg struct {
	URI protocol.DocumentURI `json:"uri"`
	Key string               `json:"key,omitempty"` // of the action to apply

	// Version of the document that the action was offered for, nil for any.
	Version *int32 `json:"version,omitempty"`

	// To is where a file goes, relative to the top of its repository: the new
	// path for move, the directory for demote.
	To string `json:"to,omitempty"`
	// At is what compilePrompt compiles: head, which is the default, or worktree.
	At string `json:"at,omitempty"`
	// Show asks compilePrompt to open what it made in the editor, too.
	Show bool `json:"show,omitempty"`

	// For installHook: the policy to write, "" for the one there is, and what
	// becomes of a hook of somebody else.
	Policy string `json:"policy,omitempty"`
	Chain  bool   `json:"chain,omitempty"`
	Force  bool   `json:"force,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *commandArg) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &a.URI) == nil {
		return nil
	}
	type plain commandArg
	return json.Unmarshal(raw, (*plain)(a))
}

func announceCommands(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.ExecuteCommandProvider = &protocol.ExecuteCommandOptions{
		Commands: CommandNames(),
	}
}

type executeCommandParams struct {
	Command   string       `json:"command"`
	Arguments []commandArg `json:"arguments"`
}

func (s *Server) executeCommand(ctx context.Context, snap snapshot, p *executeCommandParams) (any, error) {
	if run := repoCommands[p.Command]; run != nil {
		sub, err := s.repoSubject(ctx, snap, p.Arguments)
		if err != nil {
			return nil, err
		}
		arg := commandArg{}
		if len(p.Arguments) > 0 {
			arg = p.Arguments[0]
		}
		return run(s, ctx, sub, arg)
	}
	run := commands[p.Command]
	switch {
	case run == nil:
		return nil, jsonrpc.RequestFailed("unknown command %q", p.Command)
	case len(p.Arguments) == 0:
		return nil, jsonrpc.RequestFailed("%s needs the URI of a file in the memory repository", p.Command)
	}
	arg := p.Arguments[0]
	sub, err := s.commandSubject(ctx, snap, arg)
	if err != nil {
		return nil, err
	}
	return run(s, ctx, sub, arg)
}

// commandSubject is the document that a command, or a resolved action, is about.
func (s *Server) commandSubject(ctx context.Context, snap snapshot, arg commandArg) (*subject, error) {
	sub, err := s.subjectOf(ctx, snap, arg.URI)
	if err == nil && sub == nil {
		err = jsonrpc.RequestFailed("%s is not open, or not in a memory repository", arg.URI)
	}
	return sub, err
}

func (s *Server) applyFix(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	label, edit, err := s.actionEdit(ctx, sub, arg)
	if err != nil {
		return nil, err
	}
	return nil, s.applyEdit(ctx, label, edit)
}

func (s *Server) applyFixAll(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	arg.Key = fixAllKey
	return s.applyFix(ctx, sub, arg)
}

// createIndexes creates every index that is missing in the repository.
func (s *Server) createIndexes(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	missing := map[string]bool{"index-chain": true, "root-index": true}
	return s.fixTree(ctx, sub, "Create missing indexes", func(f *rules.Finding) bool { return missing[f.Rule.ID] })
}

// fixMemory applies the safe fixes of the whole repository, of the rules that
// are shown.
func (s *Server) fixMemory(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	return s.fixTree(ctx, sub, "Fix all memory problems", func(f *rules.Finding) bool { return sub.judging.settings.wants(f.Rule.ID) })
}

func (s *Server) fixTree(ctx context.Context, sub *subject, label string, want func(*rules.Finding) bool) (any, error) {
	result, err := sub.judging.view.FixAll(ctx, want)
	if err != nil {
		return nil, err
	}
	ops, err := opsOf(result.Changes)
	if err != nil {
		return nil, err
	}
	edit, err := sub.workspaceEdit(&s.client.Capabilities, s.encoding, ops)
	if err != nil {
		return nil, jsonrpc.RequestFailed("cannot fix the memory: %v", err)
	}
	return map[string]int{"files": len(result.Changes)}, s.applyEdit(ctx, label, edit)
}

// applyEdit asks the client to apply an edit; nil is nothing to do.
func (s *Server) applyEdit(ctx context.Context, label string, edit *wire.WorkspaceEdit) error {
	if edit == nil {
		return nil
	}
	if !s.client.Capabilities.Workspace.ApplyEdit {
		return jsonrpc.RequestFailed("this editor does not let a server edit files: use the quick fix, or agentcli fix")
	}
	var answer protocol.ApplyWorkspaceEditResponse
	err := s.conn.Call(ctx, protocol.MethodWorkspaceApplyEdit, wire.ApplyWorkspaceEditParams{Label: label, Edit: *edit}, &answer)
	if err != nil {
		return err
	}
	if !answer.Applied {
		return jsonrpc.RequestFailed("the editor did not apply the edit: %s", cmp.Or(answer.FailureReason, "it gave no reason"))
	}
	return nil
}
