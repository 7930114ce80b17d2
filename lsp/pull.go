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
func (s *Server) documentDiagnostic(ctx context.Context, snap snapshot, p *wire.DocumentDiagnosticParams) (wire.DocumentDiagnosticReport, error) {
	list, doc, err := s.pull(ctx, snap, p.TextDocument.URI)
	if err != nil {
		return wire.DocumentDiagnosticReport{}, err
	}
	report, raw, err := newReport(list, p.PreviousResultID)
	if err == nil && doc != nil && s.pulls() {
		s.engine.pulled(doc, raw)
	}
	return report, err
}

// pull judges one document; doc is nil when it is not open.
func (s *Server) pull(ctx context.Context, snap snapshot, uri protocol.DocumentURI) (list wire.Diagnostics, doc *document, err error) {
	if doc = snap.documents.get(uri); doc == nil || s.folders.muted(doc) {
		return nil, doc, nil
	}
	session := s.engine.flush()
	placing := session.place(ctx, snap.documents)
	at, ok := placing.of(doc) // not of another URI of the file, which shows them
	if !ok {
		return nil, doc, nil
	}
	j, err := at.repo.judge(ctx, placing.repos[at.repo], !s.watches())
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	at.repo.complain(err)
	list, _ = s.diagnostics(at, j, err)
	return list, doc, nil
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
// for another one when that gets wrong.
func (e *engine) pulled(doc *document, list string) {
	e.publishing.Lock()
	if e.published[doc.uri].seq <= doc.seq {
		e.published[doc.uri] = publication{seq: doc.seq, list: list}
	}
	e.publishing.Unlock()
	// The state may be a newer one than that of the request by now.
	if e.server.documents.Load().seq != doc.seq {
		e.changed(changes{})
	}
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
	e.published[doc.uri] = now
	return known && before.list != now.list && before.seq == now.seq
}
