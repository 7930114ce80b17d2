package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// pulls reports whether the client is answered diagnostics instead of being
// pushed them. It has to ask again when it is told to: an edit changes what is
// found in other files, and a client without refresh would show them stale
// (Neovim 0.10 and 0.11 are such clients). They are pushed to.
func (s *Server) pulls() bool { return pullsDiagnostics(&s.client.Capabilities) }

func pullsDiagnostics(client *wire.ClientCapabilities) bool {
	return client.PullsDiagnostics() && client.Workspace.Diagnostics.RefreshSupport
}

func announcePull(server *wire.ServerCapabilities, client *wire.ClientCapabilities) {
	if pullsDiagnostics(client) {
		server.DiagnosticProvider = &wire.DiagnosticOptions{Identifier: diagnosticSource, InterFileDependencies: true, WorkspaceDiagnostics: true}
	}
}

// documentDiagnostic answers what the client shall show of one document. It
// answers any client: one that is pushed to may ask all the same, and shows
// what it is answered where it asked for it.
func (s *Server) documentDiagnostic(ctx context.Context, snap snapshot, p *wire.DocumentDiagnosticParams) (report wire.DocumentDiagnosticReport, err error) {
	doc := snap.documents.get(p.TextDocument.URI)
	if doc == nil || s.folders.muted(doc) {
		report, _, err = newReport(nil, p.PreviousResultID)
		return report, err
	}
	list, related, err := s.pull(ctx, snap, doc)
	if err != nil {
		return report, err
	}
	report, raw, err := newReport(list, p.PreviousResultID)
	if err == nil && s.pulls() {
		report.RelatedDocuments = related
		s.engine.pulled(snap.documents, doc, publication{doc.seq, raw, report.ResultID})
	}
	return report, err
}

// pull judges one document, and for clients that take them those which show
// something else because of it.
func (s *Server) pull(ctx context.Context, snap snapshot, doc *document) (list wire.Diagnostics, related map[protocol.DocumentURI]wire.DocumentDiagnosticReport, err error) {
	session := s.engine.flush()
	placing := session.place(ctx, snap.documents)
	at, ok := placing.of(doc) // not of another URI of the file, which shows them
	if !ok {
		return nil, nil, nil
	}
	j, err := at.repo.judge(ctx, placing.repos[at.repo], !s.watches())
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	at.repo.complain(err)
	list, _ = s.diagnostics(at, j, err)
	if can := snap.client.TextDocument.Diagnostic; can != nil && can.RelatedDocumentSupport {
		related, err = s.related(placing, at, j, err)
		return list, related, err
	}
	return list, nil, nil
}

// related are reports of open documents of the same memory that the client
// shows otherwise. It is not taken for granted that they arrive: the client is
// asked to refresh all the same.
func (s *Server) related(placing *placing, at place, j *judging, judgeErr error) (map[protocol.DocumentURI]wire.DocumentDiagnosticReport, error) {
	reports := map[protocol.DocumentURI]wire.DocumentDiagnosticReport{}
	for _, other := range placing.in(at.repo) {
		shows := s.engine.answered(other.doc)
		if other.doc == at.doc || shows == "" || s.folders.muted(other.doc) {
			continue
		}
		list, ok := s.diagnostics(other, j, judgeErr)
		if !ok {
			continue
		}
		report, _, err := newReport(list, shows)
		if err != nil {
			return nil, err
		}
		if report.Items != nil {
			reports[other.doc.uri] = report
		}
	}
	return reports, nil
}

// newReport is a report of diagnostics. Its id is a digest of them, so the
// server need not remember what it sent: a client that has the same has them
// all, whoever told it.
func newReport(list wire.Diagnostics, previous string) (report wire.DocumentDiagnosticReport, raw string, err error) {
	text, err := json.Marshal(list)
	if err != nil {
		return report, "", err
	}
	sum := sha256.Sum256(text)
	id := hex.EncodeToString(sum[:12])
	if id == previous {
		return wire.UnchangedReport(id), string(text), nil
	}
	return wire.FullReport(id, list), string(text), nil
}

// A refresher asks the client to pull again, one request at a time.
type refresher struct {
	mu      sync.Mutex
	running bool
	owed    bool
}

// refresh asks the client to pull all diagnostics again. Requests that come
// while one is not answered are one more.
func (s *Server) refresh(ctx context.Context, r *refresher, method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owed = true; r.running {
		return
	}
	r.running = true
	go func() {
		for r.take() {
			if err := s.conn.Call(ctx, method, nil, nil); err != nil {
				s.log.Debug("the client does not refresh", "method", method, "error", err)
			}
		}
	}()
}

func (r *refresher) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.owed
	r.owed, r.running = false, again
	return again
}

// pulled notes what a document's pull was answered, so that the engine asks
// for another one when that gets wrong. docs is the state that it was about.
func (e *engine) pulled(docs *documents, doc *document, now publication) {
	e.publishing.Lock()
	if e.published[doc.uri].seq <= doc.seq {
		e.published[doc.uri] = now
	}
	e.publishing.Unlock()
	if e.server.documents.Load() != docs {
		e.changed(changes{})
	}
}

// answered is the id of what the document's last pull was answered.
func (e *engine) answered(doc *document) string {
	e.publishing.Lock()
	defer e.publishing.Unlock()
	return e.published[doc.uri].answered
}

// note is publish for clients that pull: they ask by themselves after each of
// their changes, and have to be asked when something else changed what is
// shown. It reports whether the client must be asked.
func (e *engine) note(doc *document, now publication) (stale bool) {
	e.publishing.Lock()
	defer e.publishing.Unlock()
	before, known := e.published[doc.uri]
	if known && before.seq > now.seq {
		return false // a newer version was pulled meanwhile; its own round follows
	}
	now.answered = before.answered
	e.published[doc.uri] = now
	return known && before.list != now.list && before.seq == now.seq
}
