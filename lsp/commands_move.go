package lsp

import (
	"context"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/rules"
)

// The commands that move a file, open or not, or a directory. They change no
// less than the rename of one does: links and indexes are kept right.
const (
	commandMove    = "memls.move"
	commandPromote = "memls.promote"
	commandDemote  = "memls.demote"
)

func (s *Server) move(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	return s.retier(ctx, sub, arg, "Move", func(path string) ([]rules.Op, error) { return sub.judging.view.Move(path, arg.To) })
}

func (s *Server) promote(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	return s.retier(ctx, sub, arg, "Promote", sub.judging.view.Promote)
}

func (s *Server) demote(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	return s.retier(ctx, sub, arg, "Demote", func(path string) ([]rules.Op, error) { return sub.judging.view.Demote(path, arg.To) })
}

// retier has the client carry out what a refactoring works out for the file
// that the argument names. Its error says why that cannot be done.
func (s *Server) retier(ctx context.Context, sub *subject, arg commandArg, verb string, steps func(path string) ([]rules.Op, error)) (any, error) {
	path, ok := sub.repo.relative(entryOf(string(arg.URI)))
	if !ok || path == "." {
		return nil, jsonrpc.RequestFailed("%s is no file of the memory: name the one to move", arg.URI)
	}
	ops, err := steps(path)
	if err != nil {
		return nil, jsonrpc.RequestFailed("%v", err)
	}
	edit, err := sub.workspaceEdit(&s.client.Capabilities, s.encoding, s.possible(ops))
	if err != nil {
		return nil, jsonrpc.RequestFailed("cannot move %s: %v", rules.Display(path), err)
	}
	return nil, s.applyEdit(ctx, verb+" "+rules.Display(path), edit)
}
