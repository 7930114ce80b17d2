package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules/gitrepo"
)

// An engine judges the open documents and publishes what it finds. Everything
// it does runs in one goroutine, which works on the newest state and nothing
// else: changes that arrive while it is busy are seen together by its next
// round. So versions are published in order, the newest always, and older
// ones only as far as there was time for them.
type engine struct {
	server *Server
	wake   chan struct{} // holds a token while a round is owed
	soon   atomic.Bool   // a round is owed after roundDelay

	started sync.Once // clients have been seen to say initialized twice

	mu      sync.Mutex // never held for long: the read loop waits for it
	pending changes
	session *session // nil before the handshake

	flushing sync.Mutex // held while changes are handed over

	publishing sync.Mutex // held for published, and never for long
	published  map[protocol.DocumentURI]publication

	// Of the engine's goroutine: what lenses and hints were last asked for, and
	// what memories the client knows of.
	states map[*repo]*repoState
	told   map[*repo]*judging

	diagnosticRefresh refresher
	lensRefresh       refresher
	hintRefresh       refresher
}

// changes is what the next round has to look at.
type changes struct {
	files  []string // absolute paths that changed on disk
	relist bool     // look at everything: the client does not tell
}

// A publication is what the client shows of one document.
type publication struct {
	seq  uint64 // of the document
	list string // the diagnostics as JSON
	// answered is the id of what it was answered last, "" if it never asked.
	answered string
}

const noDiagnostics = "[]"

func newEngine(s *Server) *engine {
	return &engine{server: s, wake: make(chan struct{}, 1), published: map[protocol.DocumentURI]publication{}, states: map[*repo]*repoState{}}
}

// initialized implements [hooks].
func (e *engine) initialized(ctx context.Context) {
	e.started.Do(func() {
		go e.run(ctx)
		go e.server.registerWatchers(ctx)
		go e.server.startSettings(ctx)
		e.changed(changes{}) // what folders hold is told of before a file is opened
	})
}

// sessionOf is the set of repositories, made when it is first needed: the
// encoding of positions is known then, and requests may come before
// initialized.
func (e *engine) sessionOf() *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session == nil {
		e.session = newSession(e.server.log, e.server.encoding, e.server.settings.Load)
		e.session.tell = e.server.explain
	}
	return e.session
}

// documentChanged implements [hooks].
func (e *engine) documentChanged(_ context.Context, changed key, how documentChange) {
	switch {
	case how == edited && e.server.pulls():
		e.changedSoon()
		return
	case how == edited:
		e.changed(changes{})
		return
	}
	if !e.server.watches() {
		e.server.folders.rescan()
	}
	e.changed(changes{files: []string{string(changed)}, relist: !e.server.watches()})
}

// roundDelay is how long after a keystroke a client that pulls is told that
// other documents show something else because of it. About the one that is typed
// in it asks by itself, at once, and a round would compete with the answer.
const roundDelay = 50 * time.Millisecond

// changedSoon asks for a round after the delay, one for all that is typed until
// then.
func (e *engine) changedSoon() {
	if e.soon.CompareAndSwap(false, true) {
		time.AfterFunc(roundDelay, func() {
			e.soon.Store(false)
			e.changed(changes{})
		})
	}
}

// changed asks for a round.
func (e *engine) changed(c changes) {
	e.mu.Lock()
	e.pending.files = append(e.pending.files, c.files...)
	e.pending.relist = e.pending.relist || c.relist
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// flush hands the changed files to the repositories, so that what is judged
// next has them, also those that somebody else is about to hand over.
func (e *engine) flush() *session {
	e.flushing.Lock()
	defer e.flushing.Unlock()
	e.mu.Lock()
	files := e.pending.files
	e.pending.files = nil
	e.mu.Unlock()
	s := e.sessionOf()
	if len(files) > 0 {
		s.touch(files)
		if s.mayBeNew(files) {
			e.server.folders.rescan()
		}
	}
	return s
}

// owesRelist reports, once, whether everything has to be looked at.
func (e *engine) owesRelist() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	relist := e.pending.relist
	e.pending.relist = false
	return relist
}

func (e *engine) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			e.server.folders.stop()
			e.sessionOf().keep(nil, nil)
			return
		case <-e.wake:
			e.round(ctx)
		}
	}
}

// round judges every open document and publishes what is new. A panic ends
// the round, not the server.
func (e *engine) round(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			e.server.log.Error("panic while judging", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	// The documents come first: with one that is closed comes the news that its
	// file may be another one, or gone.
	docs := e.server.documents.Load()
	relist := e.owesRelist()
	session := e.flush()
	placing := session.place(ctx, docs)
	if e.server.client.Capabilities.TellMemory() {
		if err := e.server.addFolders(ctx, session, placing, false); err != nil {
			return
		}
	}

	judged := map[*repo]*judging{}
	shown := map[protocol.DocumentURI]bool{}
	stale := false     // something that the client has pulled
	decorated := false // something that lenses and hints show may have changed
	for r, open := range placing.repos {
		if !placing.memory[r] {
			continue
		}
		j, err := r.judge(ctx, open, relist)
		if ctx.Err() != nil {
			return
		}
		r.complain(err)
		decorated = e.restated(r, j) || decorated
		for _, at := range placing.in(r) {
			if e.server.folders.muted(at.doc) {
				continue
			}
			if list, ok := e.server.diagnostics(at, j, err); ok {
				shown[at.doc.uri] = true
				stale = e.publish(at.doc, list) || stale
			}
		}
		if err == nil {
			judged[r] = j
			r.warmUp(ctx, j.view.Tree)
		}
	}
	stale = e.clear(docs, shown) || stale
	session.keep(placing.repos, &e.server.folders)
	if stale {
		e.server.refresh(ctx, &e.diagnosticRefresh, wire.MethodWorkspaceDiagnosticRefresh)
	}
	if decorated {
		e.server.refreshDecorations(ctx)
	}
	e.tellMemories(judged)
	maps.DeleteFunc(e.states, func(r *repo, _ *repoState) bool { return placing.repos[r] == nil })
}

// restated reports whether a repository is another one on disk than the last
// time. Editors ask for lenses and hints again after what is typed in them.
func (e *engine) restated(r *repo, j *judging) bool {
	if j == nil {
		return false
	}
	before, known := e.states[r]
	e.states[r] = j.state
	return known && before != j.state
}

// publish sends a document's diagnostics unless the client has them. It reports
// whether the client has others and has to be asked to pull.
func (e *engine) publish(doc *document, list wire.Diagnostics) (stale bool) {
	raw, err := json.Marshal(list)
	if err != nil {
		e.server.log.Error("diagnostics not sent", "uri", doc.uri, "error", err)
		return false
	}
	now := publication{seq: doc.seq, list: string(raw)}
	if e.server.pulls() {
		return e.note(doc, now)
	}
	e.publishing.Lock()
	before, known := e.published[doc.uri]
	e.published[doc.uri] = now
	e.publishing.Unlock()
	if !known || before != now {
		e.notify(wire.PublishDiagnosticsParams{URI: doc.uri, Version: &doc.version, Diagnostics: list})
	}
	return false
}

// clear takes back what is published of documents that are closed, not judged
// any more, or judged under another URI. It reports whether a client that
// pulls shows some of it.
func (e *engine) clear(docs *documents, shown map[protocol.DocumentURI]bool) (stale bool) {
	e.publishing.Lock()
	defer e.publishing.Unlock()
	for uri, p := range e.published {
		if shown[uri] {
			continue
		}
		delete(e.published, uri)
		doc := docs.byURI[uri]
		switch {
		case p.list == noDiagnostics:
		case e.server.pulls():
			stale = stale || doc != nil
		case doc != nil:
			e.notify(wire.PublishDiagnosticsParams{URI: uri, Version: &doc.version})
		default:
			e.notify(wire.PublishDiagnosticsParams{URI: uri})
		}
	}
	return stale
}

func (e *engine) notify(p wire.PublishDiagnosticsParams) {
	if err := e.server.conn.Notify(protocol.MethodTextDocumentPublishDiagnostics, p); err != nil {
		e.server.log.Debug("diagnostics not sent", "uri", p.URI, "error", err)
	}
}

// explain tells the user what keeps memory from being judged, when that is
// about the machine and not about the memory.
func (s *Server) explain(err error) {
	if errors.Is(err, gitrepo.ErrNoGit) {
		s.showMessage(protocol.MessageTypeError, "memls: "+err.Error())
	}
}

// showMessage shows the user a message. It is for what no diagnostic can tell.
func (s *Server) showMessage(kind protocol.MessageType, text string) {
	err := s.conn.Notify(protocol.MethodWindowShowMessage, protocol.ShowMessageParams{Type: kind, Message: text})
	if err != nil {
		s.log.Debug("message not sent", "error", err)
	}
}
