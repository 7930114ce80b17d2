package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

func announceCodeLens(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	server.CodeLensProvider = &protocol.CodeLensOptions{ResolveProvider: true}
}

// codeLens tells, above the first line: of the root index what the core memory
// costs, of an index how much it lists, and of every memory file how many links
// lead to it. That last one is counted when the client resolves it. Clicked, they
// show the compiled prompt, list what is not listed, and show the links, where the
// client can.
func (s *Server) codeLens(ctx context.Context, snap snapshot, p *documentParams) ([]protocol.CodeLens, error) {
	lenses := []protocol.CodeLens{}
	sub, err := s.textSubject(ctx, snap, p.TextDocument.URI)
	if err != nil || sub == nil || s.settings.Load().noLenses {
		return lenses, err
	}
	view := sub.judging.view
	first := protocol.Range{}
	add := func(command protocol.Command) {
		lenses = append(lenses, protocol.CodeLens{Range: first, Command: &command})
	}
	if view.V2 && sub.path == rules.Index {
		title, err := coreLens(view)
		if err != nil {
			return nil, err
		}
		lens := protocol.Command{Title: title}
		if snap.client.Window.ShowDocument.Support && view.Head != nil {
			lens.Command, lens.Arguments = commandCompilePrompt, []any{commandArg{URI: p.TextDocument.URI, Show: true}}
		}
		add(lens)
	}
	if view.V2 && rules.IsIndex(sub.path) && !rules.InSkills(sub.path) {
		title, unlisted := indexLens(view, parentDir(sub.path))
		lens := protocol.Command{Title: title}
		if snap.client.Workspace.ApplyEdit && unlisted > 0 {
			lens.Command, lens.Arguments = commandListFiles, []any{p.TextDocument.URI}
		}
		add(lens)
	}
	return append(lenses, protocol.CodeLens{Range: first, Data: p.TextDocument.URI}), nil
}

// coreLens is the size of the core memory.
func coreLens(view *rules.View) (string, error) {
	core, err := coreSize(view)
	if err != nil {
		return "", err
	}
	size := fmt.Sprintf("%d characters", core.Characters)
	if core.Limit != nil {
		size = fmt.Sprintf("%d of %d characters (%s)", core.Characters, *core.Limit, percent(core.Characters, *core.Limit))
	}
	return fmt.Sprintf("core memory: %s, about %d tokens", size, core.Tokens), nil
}

// indexLens is what an index has to list, and what of it is not.
func indexLens(view *rules.View, dir string) (title string, unlisted int) {
	files := view.Listable(dir)
	if linked, ok := view.Linked(dir); ok {
		for _, f := range files {
			if !linked[f.Path] {
				unlisted++
			}
		}
	}
	title = plural(len(files), "file")
	if unlisted > 0 {
		title += fmt.Sprintf(", %d not listed", unlisted)
	}
	return title, unlisted
}

// resolveLens counts the links to a file.
func (s *Server) resolveLens(ctx context.Context, snap snapshot, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	uri, _ := lens.Data.(string)
	sub, err := s.textSubject(ctx, snap, protocol.DocumentURI(uri))
	if err != nil || sub == nil {
		return lens, err
	}
	refs, err := sub.repo.graph.To(ctx, sub.judging.view.Tree, sub.path)
	if err != nil {
		return nil, err
	}
	from := map[string]bool{}
	for _, r := range refs {
		from[r.From.Path] = true
	}
	title := plural(len(refs), "link") + " here"
	if len(from) > 1 {
		title += " from " + plural(len(from), "file")
	}
	lens.Command = &protocol.Command{Title: title}
	if len(refs) > 0 && snap.client.Window.ShowDocument.Support {
		lens.Command.Command, lens.Command.Arguments = commandShowLinks, []any{uri}
	}
	return lens, nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, strings.TrimSuffix(noun, "s")+"s")
}
