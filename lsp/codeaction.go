package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

// kindFixAll applies every safe fix of a document.
const kindFixAll protocol.CodeActionKind = "source.fixAll.memls"

func announceCodeAction(server *wire.ServerCapabilities, client *wire.ClientCapabilities) {
	if client.TextDocument.CodeAction.CodeActionLiteralSupport == nil {
		server.CodeActionProvider = true
		return
	}
	server.CodeActionProvider = &protocol.CodeActionOptions{
		CodeActionKinds: []protocol.CodeActionKind{protocol.QuickFix, kindMove, protocol.RefactorExtract, kindFixAll},
		ResolveProvider: client.ResolvesActions(),
	}
}

// codeAction offers the fixes of what is found in a range, and refactorings. Clients that do not
// know actions get commands.
func (s *Server) codeAction(ctx context.Context, snap snapshot, p *wire.CodeActionParams) ([]any, error) {
	list := []any{} // never null
	sub, err := s.subjectOf(ctx, snap, p.TextDocument.URI)
	if sub == nil || err != nil {
		return list, err
	}
	found, err := sub.findings()
	sub.repo.complain(err)
	wants := func(kind protocol.CodeActionKind) bool { return wanted(p.Context.Only, kind) }
	if wants(protocol.QuickFix) {
		for _, a := range s.quickFixes(sub, found, p) {
			list = append(list, a)
		}
	}
	refactorings, err := s.refactorActions(ctx, sub, p)
	if err != nil {
		return nil, err
	}
	for _, a := range refactorings {
		list = append(list, a)
	}
	if wants(kindFixAll) {
		a, err := s.fixAllAction(ctx, sub, found, p)
		if err != nil {
			return nil, err
		}
		if a != nil {
			list = append(list, *a)
		}
	}
	return s.inClientsForm(list), nil
}

// wanted reports whether the client asks for a kind of action: any, the kind
// itself, or one above it.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == "" || k == kind || strings.HasPrefix(string(kind), string(k)+".") {
			return true
		}
	}
	return len(only) == 0
}

// quickFixes are the fixes of findings that touch the range, each once. The
// first safe one of a finding is preferred. To know which are safe they are
// worked out, so none waits to be resolved.
func (s *Server) quickFixes(sub *subject, found []shown, p *wire.CodeActionParams) []*wire.CodeAction {
	asked := sub.source.offsets(p.Range)
	var list []*wire.CodeAction
	byKey := map[string]*wire.CodeAction{}
	for i := range found {
		f := &found[i]
		if f.span.End < asked.Start || asked.End < f.span.Start {
			continue
		}
		d := s.diagnostic(sub, f)
		safeSeen := false
		for _, fix := range f.fixes {
			a := byKey[fix.Key]
			if a == nil {
				edit, err := s.fixEdit(sub, fix)
				if err != nil || edit == nil {
					continue // not for this editor
				}
				a = &wire.CodeAction{Title: fix.Title, Kind: protocol.QuickFix, Edit: edit, Data: actionData(sub, p, fix.Key)}
				byKey[fix.Key] = a
				list = append(list, a)
			}
			a.Diagnostics = append(a.Diagnostics, d)
			if !safeSeen && fix.Safe() {
				a.IsPreferred, safeSeen = true, true
			}
		}
	}
	return list
}

func (s *Server) fixEdit(sub *subject, fix *rules.Fix) (*wire.WorkspaceEdit, error) {
	ops, err := fix.Ops()
	if err != nil {
		return nil, err
	}
	return sub.workspaceEdit(&s.client.Capabilities, s.encoding, ops)
}

// fixAllAction applies every safe fix of the document. Its edit is made when the
// client resolves the action or, if it does not, when it asks for this kind; in
// a list of everything it is a command.
func (s *Server) fixAllAction(ctx context.Context, sub *subject, found []shown, p *wire.CodeActionParams) (*wire.CodeAction, error) {
	if !anySafe(found) {
		return nil, nil
	}
	a := &wire.CodeAction{Title: "Fix all memory problems in this file", Kind: kindFixAll}
	switch {
	case s.client.Capabilities.ResolvesActions():
		a.Data = actionData(sub, p, fixAllKey)
	case len(p.Context.Only) > 0:
		edit, err := s.fixAllEdit(ctx, sub)
		if err != nil || edit == nil {
			return nil, err
		}
		a.Edit = edit
	case s.client.Capabilities.Workspace.ApplyEdit:
		a.Command = &protocol.Command{Title: a.Title, Command: commandFixAll, Arguments: []any{p.TextDocument.URI}}
	default:
		return nil, nil
	}
	return a, nil
}

func anySafe(found []shown) bool {
	for i := range found {
		for _, fix := range found[i].fixes {
			if fix.Safe() {
				return true
			}
		}
	}
	return false
}

// fixAllEdit is the edit that applies the safe fixes of the document, nil when
// there are none.
func (s *Server) fixAllEdit(ctx context.Context, sub *subject) (*wire.WorkspaceEdit, error) {
	if sub.file == nil {
		return nil, nil
	}
	result, err := sub.judging.view.FixFile(ctx, sub.path)
	if err != nil {
		return nil, err
	}
	ops, err := opsOf(result.Changes)
	if err != nil {
		return nil, err
	}
	return sub.workspaceEdit(&s.client.Capabilities, s.encoding, ops)
}

// inClientsForm turns actions into commands for clients that know nothing
// else; they need to let the server edit.
func (s *Server) inClientsForm(list []any) []any {
	if s.client.Capabilities.TextDocument.CodeAction.CodeActionLiteralSupport != nil {
		return list
	}
	commands := []any{}
	if !s.client.Capabilities.Workspace.ApplyEdit {
		return commands
	}
	for _, item := range list {
		switch a := item.(type) {
		case *wire.CodeAction:
			commands = append(commands, protocol.Command{Title: a.Title, Command: commandApplyFix, Arguments: []any{a.Data}})
		case wire.CodeAction:
			commands = append(commands, *a.Command)
		}
	}
	return commands
}
