package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/rules"
)

// The commands behind lenses. They are the server's own, which any client can
// run; those that show something need a client that lets a server open files.
const (
	commandShowLinks = "memls.showLinks"
	commandListFiles = "memls.listFiles"
)

// maxChoices bounds the links that a person is asked to choose from.
const maxChoices = 9

// showLinks opens the link that leads to the document, or the one of several
// that a person chooses.
func (s *Server) showLinks(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	refs, err := sub.repo.graph.To(ctx, sub.judging.view.Tree, sub.path)
	if err != nil {
		return nil, err
	}
	find := sub.locator(s.encoding)
	places := map[string]protocol.Location{}
	var choices []protocol.MessageActionItem
	for i := range refs {
		where, ok := find.of(&refs[i])
		if !ok || len(choices) == maxChoices {
			continue
		}
		title := fmt.Sprintf("%s:%d", rules.Display(refs[i].From.Path), where.Range.Start.Line+1)
		if _, known := places[title]; !known {
			places[title] = where
			choices = append(choices, protocol.MessageActionItem{Title: title})
		}
	}
	switch len(choices) {
	case 0:
		return nil, jsonrpc.RequestFailed("no link leads to %s", rules.Display(sub.path))
	case 1:
		return nil, s.showDocument(ctx, places[choices[0].Title])
	}
	message := plural(len(refs), "link") + " to " + rules.Display(sub.path)
	if len(choices) == maxChoices {
		message += "; find references shows them all"
	}
	var chosen *protocol.MessageActionItem
	err = s.conn.Call(ctx, protocol.MethodWindowShowMessageRequest, protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeInfo, Message: message, Actions: choices,
	}, &chosen)
	if err != nil || chosen == nil {
		return nil, err
	}
	where, ok := places[chosen.Title]
	if !ok {
		return nil, jsonrpc.RequestFailed("%q is none of the choices", chosen.Title)
	}
	return nil, s.showDocument(ctx, where)
}

// listFiles lists in an index what it has to list and does not.
func (s *Server) listFiles(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	return s.fixTree(ctx, sub, "List files", func(f *rules.Finding) bool {
		dir := parentDir(f.Path)
		if rules.IsIndex(f.Path) {
			dir = parentDir(dir)
		}
		return f.Rule.ID == "index-unlisted" && dir == parentDir(sub.path)
	})
}

// showDocument opens a file in the editor, at a place.
func (s *Server) showDocument(ctx context.Context, where protocol.Location) error {
	if !s.client.Capabilities.Window.ShowDocument.Support {
		return jsonrpc.RequestFailed("this editor does not let a server open files")
	}
	var answer protocol.ShowDocumentResult
	err := s.conn.Call(ctx, protocol.MethodShowDocument, protocol.ShowDocumentParams{
		URI: protocol.URI(where.URI), TakeFocus: true, Selection: &where.Range,
	}, &answer)
	if err == nil && !answer.Success {
		err = jsonrpc.RequestFailed("the editor did not open %s", where.URI)
	}
	return err
}

// showPrompt opens a compiled prompt. An editor needs a file for that: it lies
// where no commit takes it, among what else is kept for a repository.
func (s *Server) showPrompt(ctx context.Context, r *repo, prompt string) error {
	root, err := os.OpenRoot(r.git.CommonDir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir("memls", 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := filepath.Join("memls", "prompt.md")
	if err := root.WriteFile(name, []byte(prompt), 0o600); err != nil {
		return err
	}
	uri := protocol.DocumentURI(fileuri.FromPath(filepath.Join(r.git.CommonDir, name)))
	return s.showDocument(ctx, protocol.Location{URI: uri})
}
