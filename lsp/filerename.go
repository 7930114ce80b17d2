package lsp

import (
	"context"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// announceFiles tells which operations on files the server wants to hear of.
func announceFiles(server *wire.ServerCapabilities, client *wire.ClientCapabilities) {
	if server.Workspace == nil {
		server.Workspace = &protocol.ServerCapabilitiesWorkspace{}
	}
	filter := func(glob string, kind protocol.FileOperationPatternKind) protocol.FileOperationFilter {
		return protocol.FileOperationFilter{Scheme: "file", Pattern: protocol.FileOperationPattern{Glob: glob, Matches: kind}}
	}
	on := func(wanted bool) *protocol.FileOperationRegistrationOptions {
		if !wanted {
			return nil
		}
		return &protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{
			filter("**/*.md", protocol.FileOperationPatternKindFile), filter("**", protocol.FileOperationPatternKindFolder),
		}}
	}
	can := &client.Workspace.FileOperations
	server.Workspace.FileOperations = &protocol.ServerCapabilitiesWorkspaceFileOperations{
		DidCreate: on(can.DidCreate), DidRename: on(can.DidRename), WillRename: on(can.WillRename), DidDelete: on(can.DidDelete),
	}
}

// willRenameFiles is asked before the user's rename of files and folders is
// carried out, and answers what has to change with it: links to and from what
// moves, indexes, the names of skills.
func (s *Server) willRenameFiles(ctx context.Context, snap snapshot, p *protocol.RenameFilesParams) (*wire.WorkspaceEdit, error) {
	placing := s.engine.flush().place(ctx, snap.documents)
	at, renames := s.renamesIn(ctx, placing, p.Files)
	if at == nil {
		return nil, nil
	}
	j, err := at.judge(ctx, placing.repos[at], !s.watches())
	if err != nil {
		return nil, err
	}
	ops, err := j.view.MoveLinks(renames)
	if err != nil {
		// An error would stop some editors, and others would not show it.
		s.showMessage(protocol.MessageTypeWarning, "memls: links were left as they are: "+err.Error())
		return nil, nil
	}
	sub := &subject{place: place{repo: at}, judging: j}
	return sub.workspaceEdit(&s.client.Capabilities, s.encoding, s.possible(ops))
}

// renamesIn are the renames in one memory: an edit is about no more than one.
func (s *Server) renamesIn(ctx context.Context, placing *placing, files []protocol.FileRename) (at *repo, renames []rules.Rename) {
	for _, f := range files {
		from, to := entryOf(f.OldURI), entryOf(f.NewURI)
		if from == "" || to == "" {
			continue
		}
		r := s.engine.sessionOf().repoAround(ctx, filepath.Dir(to))
		if r == nil || at != nil && r != at || !r.isMemory(placing.repos[r]) {
			continue
		}
		old, ok := r.relative(from)
		now, inside := r.relative(to)
		if ok && inside {
			at, renames = r, append(renames, rules.Rename{From: old, To: now})
		}
	}
	return at, renames
}

// possible leaves out what the client cannot do: without it the links are
// right, and a finding says what is left to do.
func (s *Server) possible(ops []rules.Op) []rules.Op {
	var list []rules.Op
	for _, op := range ops {
		if op.Kind != rules.OpDelete || s.client.Capabilities.CanEditFiles(protocol.DeleteResourceOperation) {
			list = append(list, op)
		}
	}
	return list
}

// entryOf is the path of a file or directory itself: links above it are
// resolved, it is not.
func entryOf(uri string) string {
	path, _ := identify(protocol.DocumentURI(uri))
	if path == "" {
		return ""
	}
	return filepath.Join(resolve(filepath.Dir(path)), filepath.Base(path))
}

// didRenameFiles hears of renames that were carried out. A client that did not
// ask before is asked to change the rest now.
func (s *Server) didRenameFiles(ctx context.Context, p *protocol.RenameFilesParams) error {
	var uris []string
	for _, f := range p.Files {
		uris = append(uris, f.OldURI, f.NewURI)
	}
	s.filesChanged(uris)
	if can := &s.client.Capabilities.Workspace; can.ApplyEdit && !can.FileOperations.WillRename {
		go s.followRenames(ctx, s.snapshot(), p.Files)
	}
	return nil
}

func (s *Server) followRenames(ctx context.Context, snap snapshot, files []protocol.FileRename) {
	placing := s.engine.flush().place(ctx, snap.documents)
	r, renames := s.renamesIn(ctx, placing, files)
	if r == nil {
		return
	}
	now, err := r.judge(ctx, placing.repos[r], !s.watches())
	before := r.heldLast(renames[0])
	if err != nil || before == nil {
		return // complained of where it is shown, or never seen
	}
	ops, err := before.MoveLinks(renames)
	if err != nil {
		s.showMessage(protocol.MessageTypeWarning, "memls: links were left as they are: "+err.Error())
		return
	}
	sub := &subject{place: place{repo: r}, judging: now}
	edit, err := sub.workspaceEdit(&s.client.Capabilities, s.encoding, s.possible(afterRenames(ops, renames, before.Tree, now.view.Tree)))
	if err == nil {
		err = s.applyEdit(ctx, "Update links", edit)
	}
	if err != nil {
		s.log.Warn("links not updated", "repository", r.git.Top, "error", err)
	}
}

// afterRenames are steps, worked out on the tree before renames, for the tree
// after them: what changed in between is left alone.
func afterRenames(ops []rules.Op, renames []rules.Rename, before, after *tree.Tree) (list []rules.Op) {
	for _, op := range ops {
		was := before.File(op.Path)
		for _, r := range renames {
			if rest, ok := strings.CutPrefix(op.Path, r.From); ok && (rest == "" || rest[0] == '/') {
				op.Path = r.To + rest
				break
			}
		}
		is := after.File(op.Path)
		if (is == nil) != (op.Kind == rules.OpCreate) {
			continue
		}
		if is != nil {
			if same, err := tree.SameContent(was, is); !same || err != nil {
				continue
			}
		}
		list = append(list, op)
	}
	return list
}

func (s *Server) didCreateFiles(_ context.Context, p *protocol.CreateFilesParams) error {
	var uris []string
	for _, f := range p.Files {
		uris = append(uris, f.URI)
	}
	s.filesChanged(uris)
	return nil
}

func (s *Server) didDeleteFiles(_ context.Context, p *protocol.DeleteFilesParams) error {
	var uris []string
	for _, f := range p.Files {
		uris = append(uris, f.URI)
	}
	s.filesChanged(uris)
	return nil
}

// filesChanged asks for a round that looks at files and directories anew.
func (s *Server) filesChanged(uris []string) {
	var c changes
	for _, uri := range uris {
		if path := entryOf(uri); path != "" {
			c.files = append(c.files, path)
		}
	}
	s.engine.changed(c)
}
