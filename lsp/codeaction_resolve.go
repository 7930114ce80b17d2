package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

// The keys of actions that are no fixes: [refactorKey] begins those of
// refactorings.
const (
	fixAllKey   = "fixAll"
	refactorKey = "refactor:"
)

// actionData is what finds an action again, when it is resolved or its command
// is run.
func actionData(sub *subject, p *wire.CodeActionParams, key string) json.RawMessage {
	raw, _ := json.Marshal(commandArg{URI: p.TextDocument.URI, Key: key, Version: &sub.doc.version}) // strings and numbers always have a JSON form
	return raw
}

// resolveAction works out the edit of an action. Some clients ask of every
// action, whether it has all it needs or not.
func (s *Server) resolveAction(ctx context.Context, snap snapshot, a *wire.CodeAction) (*wire.CodeAction, error) {
	var data commandArg
	if a.Command != nil || json.Unmarshal(a.Data, &data) != nil || data.Key == "" {
		a.Edit = nil
		return a, nil
	}
	sub, err := s.commandSubject(ctx, snap, data)
	if err != nil {
		return nil, err
	}
	_, a.Edit, err = s.actionEdit(ctx, sub, data)
	return a, err
}

// actionEdit works out what an action does to the memory as it is now. An
// action that was offered for another text is refused: the same words may name
// another thing in this one.
func (s *Server) actionEdit(ctx context.Context, sub *subject, data commandArg) (label string, edit *wire.WorkspaceEdit, err error) {
	if data.Version != nil && *data.Version != sub.doc.version {
		return "", nil, jsonrpc2.Errorf(protocol.CodeContentModified, "%s has changed: ask for the actions again", data.URI)
	}
	if data.Key == fixAllKey {
		edit, err = s.fixAllEdit(ctx, sub)
		return "Fix all memory problems", edit, err
	}
	if key, ok := strings.CutPrefix(data.Key, refactorKey); ok {
		r, err := sub.refactoring(key)
		if err != nil {
			return "", nil, err
		}
		if edit, err = s.refactorEdit(sub, r); err != nil {
			return "", nil, jsonrpc.RequestFailed("%v", err)
		}
		return r.title, edit, nil
	}
	fix, err := sub.fix(data.Key)
	if err != nil {
		return "", nil, err
	}
	edit, err = s.fixEdit(sub, fix)
	return fix.Title, edit, err
}

// fix is the fix with that key of something that is found in the document.
func (sub *subject) fix(key string) (*rules.Fix, error) {
	found, err := sub.findings()
	sub.repo.complain(err)
	for i := range found {
		for _, fix := range found[i].fixes {
			if fix.Key == key {
				return fix, nil
			}
		}
	}
	return nil, jsonrpc.RequestFailed("the fix is no longer needed, or another one is: ask for the actions again")
}
