package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// partialSize is how many reports one partial result holds.
const partialSize = 200

// workspaceDiagnostic answers what is found in every file of the repositories
// that are known: those of open documents and of the workspace folders. A closed file without findings is left out unless the client has
// another answer for it, so the report of a large memory stays small.
func (s *Server) workspaceDiagnostic(ctx context.Context, snap snapshot, p *wire.WorkspaceDiagnosticParams) (wire.WorkspaceDiagnosticReport, error) {
	w := &workspaceReport{server: s, snap: snap, token: p.PartialResultToken, previous: map[protocol.DocumentURI]string{}, seen: map[protocol.DocumentURI]bool{}}
	for _, id := range p.PreviousResultIDs {
		w.previous[id.URI] = id.Value
	}
	session := s.engine.flush()
	placing := session.place(ctx, snap.documents)
	if err := s.addFolders(ctx, session, placing, true); err != nil {
		return wire.WorkspaceDiagnosticReport{}, err
	}
	ctx, progress := s.progress(ctx, p.WorkDoneToken, "Judging the memory")
	defer progress.end()
	for r := range placing.repos {
		if !placing.memory[r] {
			continue
		}
		if err := w.repo(ctx, placing, r, progress); err != nil {
			return wire.WorkspaceDiagnosticReport{}, err
		}
	}
	w.vanished()
	if w.token != nil {
		w.flush()
		return wire.WorkspaceDiagnosticReport{}, nil
	}
	return wire.WorkspaceDiagnosticReport{Items: w.items}, nil
}

// workspaceReport is the answer to one workspace/diagnostic.
type workspaceReport struct {
	server   *Server
	snap     snapshot
	token    *protocol.ProgressToken // nil: everything in the answer
	previous map[protocol.DocumentURI]string
	seen     map[protocol.DocumentURI]bool
	items    wire.WorkspaceReports
}

func (w *workspaceReport) repo(ctx context.Context, placing *placing, r *repo, progress *progress) error {
	s := w.server
	j, judgeErr := r.judge(ctx, placing.repos[r], !s.watches())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.complain(judgeErr)
	for _, at := range placing.in(r) {
		if s.folders.muted(at.doc) {
			continue
		}
		list, ok := s.diagnostics(at, j, judgeErr)
		if !ok {
			continue
		}
		if err := w.add(at.doc.uri, &at.doc.version, list); err != nil {
			return err
		}
	}
	if judgeErr != nil {
		w.keepBelow(r)
		return nil
	}
	n, total := 0, j.view.Tree.Len()
	for f := range j.view.Tree.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		n++
		progress.report(n, total)
		if !isJudged(f.Path) || placing.repos[r][f.Path] != nil {
			continue
		}
		list, uri, err := s.closedDiagnostics(j, r, f.Path)
		r.complain(err)
		if err := w.add(uri, nil, list); err != nil {
			return err
		}
	}
	for uri, list := range s.missingDiagnostics(j, r) {
		if err := w.add(uri, nil, list); err != nil {
			return err
		}
	}
	return j.view.Tree.Err()
}

// add puts a document into the answer, once.
func (w *workspaceReport) add(uri protocol.DocumentURI, version *int32, list wire.Diagnostics) error {
	previous, known := w.previous[uri]
	if w.seen[uri] || version == nil && !known && len(list) == 0 {
		return nil
	}
	w.seen[uri] = true
	report, _, err := newReport(list, previous)
	if err != nil {
		return err
	}
	w.items = append(w.items, wire.WorkspaceDocumentDiagnosticReport{DocumentDiagnosticReport: report, URI: uri, Version: version})
	if w.token != nil && len(w.items) >= partialSize {
		w.flush()
	}
	return nil
}

// keepBelow leaves what the client has of a repository that cannot be judged
// now: an empty list would look like praise.
func (w *workspaceReport) keepBelow(r *repo) {
	for uri := range w.previous {
		if path, k := identify(uri); path != "" && within(string(k), r.git.Top) {
			w.seen[uri] = true
		}
	}
}

// vanished takes back what the client holds of files that are gone.
func (w *workspaceReport) vanished() {
	var gone []protocol.DocumentURI
	for uri := range w.previous {
		if !w.seen[uri] {
			gone = append(gone, uri)
		}
	}
	slices.SortFunc(gone, func(a, b protocol.DocumentURI) int { return strings.Compare(string(a), string(b)) })
	for _, uri := range gone {
		if err := w.add(uri, nil, nil); err != nil {
			w.server.log.Debug("diagnostics not taken back", "uri", uri, "error", err)
		}
	}
}

// flush sends what is gathered as a partial result.
func (w *workspaceReport) flush() {
	if len(w.items) == 0 {
		return
	}
	value := map[string]any{"token": w.token, "value": wire.WorkspaceDiagnosticReport{Items: w.items}}
	if err := w.server.conn.Notify(protocol.MethodProgress, value); err != nil {
		w.server.log.Debug("partial result not sent", "error", err)
	}
	w.items = nil
}
