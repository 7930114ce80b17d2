package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// kindMove is the kind of refactorings that move a file.
const kindMove protocol.CodeActionKind = "refactor.move"

// maxMoves bounds the directories that moves are offered to.
const maxMoves = 8

// A refactoring is a change that mends nothing. Its key, in the place of a
// fix's, finds it again when its command is run.
type refactoring struct {
	title, key string
	kind       protocol.CodeActionKind
	ops        func() ([]rules.Op, error)
}

// refactorings are those of the file and of the heading at an offset. Names
// and sizes are looked at, so that little is offered which cannot be done;
// whether a change keeps every rule is known only when it is worked out.
func (sub *subject) refactorings(at int) (list []refactoring, err error) {
	view := sub.judging.view
	if sub.file == nil || !rules.IsMarkdown(sub.path) || !view.V2 {
		return nil, nil
	}
	if !rules.IsIndex(sub.path) && !rules.InSkills(sub.path) {
		list = sub.moves()
	}
	p, err := sub.spotAt(at)
	if p == nil || err != nil || p.heading == nil || p.heading.Slug == "" {
		return list, err
	}
	slug := p.heading.Slug
	return append(list, refactoring{
		title: "Move the section " + rules.Printable(p.heading.Text) + " to a new file", key: "split:" + slug, kind: protocol.RefactorExtract,
		ops: func() ([]rules.Op, error) { return view.Split(sub.path, slug, "") },
	}), nil
}

// moves are the other tier, and other directories.
func (sub *subject) moves() (list []refactoring) {
	view, name := sub.judging.view, sub.file.Name()
	core := rules.IsCore(sub.path)
	if !core && view.Tree.File(name) == nil && sub.fitsCore() {
		list = append(list, refactoring{"Promote to core memory, always in the prompt", "promote", kindMove,
			func() ([]rules.Op, error) { return view.Promote(sub.path) }})
	}
	limits := view.Limits()
	for _, dir := range directories(view, limits) {
		to := dir + "/" + name
		if dir == parentOf(sub.path) || view.Tree.Has(to) || !sub.fits(limits, to) {
			continue
		}
		title := "Move to " + rules.Display(dir) + "/"
		if core {
			title = "Demote to " + rules.Display(dir) + "/, read on demand"
		}
		list = append(list, refactoring{title, "move:" + dir, kindMove, func() ([]rules.Op, error) { return view.Move(sub.path, to) }})
	}
	return list
}

// fitsCore reports whether the core memory has room for the file.
func (sub *subject) fitsCore() bool {
	view := sub.judging.view
	used, limit, err := view.CoreBudget()
	if err != nil || !sub.fits(view.Limits(), sub.file.Name()) {
		return false
	}
	about, err := view.About(sub.file)
	return err == nil && (limit < 0 || used+int64(about.Characters) <= limit)
}

// fits reports whether the file is within the budget that it has at a path.
func (sub *subject) fits(limits *config.Config, to string) bool {
	if limits == nil {
		return true
	}
	about, err := sub.judging.view.About(sub.file)
	limit, _, limited := limits.FileLimit(to)
	return err == nil && (!limited || int64(about.Characters) <= limit)
}

// directories are the directories of deferred memory that files can be moved
// to, those near the root first.
func directories(view *rules.View, limits *config.Config) (paths []string) {
	level := slices.Collect(view.Tree.Root().Dirs())
	for len(level) > 0 && len(paths) < maxMoves {
		var next []*tree.Dir
		for _, d := range level {
			if limits != nil && limits.MaxDepth != nil && int64(strings.Count(d.Path, "/")+1) > *limits.MaxDepth {
				continue
			}
			if len(paths) < maxMoves && d.File(rules.Index) != nil && view.Projected(d.Path+"/"+rules.Index) {
				paths, next = append(paths, d.Path), slices.AppendSeq(next, d.Dirs())
			}
		}
		level = next
	}
	return paths
}

// refactorActions offers refactorings. A client that resolves actions gets their
// names, and learns what they do, or why they cannot be done, of the one that is
// chosen. For others, asked for them by name, the server works each out and
// offers those that can be done; in a list of everything, which some clients ask
// for at each move of the cursor, they are commands.
func (s *Server) refactorActions(ctx context.Context, sub *subject, p *wire.CodeActionParams) ([]*wire.CodeAction, error) {
	if !wanted(p.Context.Only, kindMove) && !wanted(p.Context.Only, protocol.RefactorExtract) {
		return nil, nil
	}
	all, err := sub.refactorings(sub.source.offsets(p.Range).Start)
	var list []*wire.CodeAction
	for _, r := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !wanted(p.Context.Only, r.kind) {
			continue
		}
		a := &wire.CodeAction{Title: r.title, Kind: r.kind, Data: actionData(sub, p, refactorKey+r.key)}
		switch {
		case !s.canRefactor(r.kind):
			continue
		case s.client.Capabilities.ResolvesActions():
		case len(p.Context.Only) > 0:
			edit, failure := s.refactorEdit(sub, r)
			if failure != nil || edit == nil {
				continue // against a rule, or not for this editor
			}
			a.Edit = edit
		case s.client.Capabilities.Workspace.ApplyEdit:
			a.Command = &protocol.Command{Title: r.title, Command: commandApplyFix, Arguments: []any{a.Data}}
		default:
			continue
		}
		list = append(list, a)
	}
	return list, err
}

func (s *Server) canRefactor(kind protocol.CodeActionKind) bool {
	return kind != kindMove || s.client.Capabilities.CanEditFiles(protocol.RenameResourceOperation)
}

func (s *Server) refactorEdit(sub *subject, r refactoring) (*wire.WorkspaceEdit, error) {
	ops, err := r.ops()
	if err != nil {
		return nil, err
	}
	return sub.workspaceEdit(&s.client.Capabilities, s.encoding, s.possible(ops))
}

// refactoring is the one with that key, wherever in the document it is offered.
func (sub *subject) refactoring(key string) (r refactoring, err error) {
	at := 0
	if slug, ok := strings.CutPrefix(key, "split:"); ok {
		if at, err = sub.startOf(slug); err != nil {
			return r, err
		}
	}
	all, err := sub.refactorings(at)
	if err != nil {
		return r, err
	}
	for _, r := range all {
		if r.key == key {
			return r, nil
		}
	}
	return r, jsonrpc.RequestFailed("that can no longer be done: ask for the actions again")
}

// startOf is where a heading starts, 0 for one that is not there.
func (sub *subject) startOf(slug string) (int, error) {
	doc, err := sub.markdown()
	if doc == nil || err != nil {
		return 0, err
	}
	for i := range doc.Headings {
		if doc.Headings[i].Slug == slug {
			return doc.Headings[i].Span.Start, nil
		}
	}
	return 0, nil
}
