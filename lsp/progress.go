package lsp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

const (
	// progressAfter is how long work takes before a person is told of it, and
	// progressEvery how often after that.
	progressAfter = 700 * time.Millisecond
	progressEvery = 200 * time.Millisecond
)

// progresses are the pieces of work that a person can cancel.
type progresses struct {
	mu      sync.Mutex
	made    int // tokens
	cancels map[string]context.CancelFunc
}

// progress tells the client how far a piece of work is. Nothing is sent of
// what is done at once. It belongs to one goroutine.
type progress struct {
	server  *Server
	ctx     context.Context // for the request that makes a token
	cancel  context.CancelFunc
	title   string
	token   *protocol.ProgressToken
	next    time.Time // when to speak
	started bool
}

// progress begins a piece of work. The context that it returns is cancelled
// when a person cancels the work, too. token is the client's; where it sent
// none, one is made for clients that show the server's own. [progress.end]
// must be called.
func (s *Server) progress(ctx context.Context, token *protocol.ProgressToken, title string) (context.Context, *progress) {
	ctx, cancel := context.WithCancel(ctx)
	p := &progress{server: s, ctx: ctx, cancel: cancel, title: title, token: token, next: time.Now().Add(progressAfter)}
	if token != nil {
		s.progresses.add(token.String(), cancel)
	}
	return ctx, p
}

// report says that n of total steps are done, if it is time. A nil progress
// tells nobody.
func (p *progress) report(n, total int) {
	if p == nil || n%16 != 0 {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	percentage := uint32(n * 100 / max(total, 1))
	if p.started {
		p.send(protocol.WorkDoneProgressReport{Kind: protocol.WorkDoneProgressKindReport, Message: fmt.Sprintf("%d of %d", n, total), Cancellable: true, Percentage: percentage})
		return
	}
	if p.token == nil {
		p.token = p.server.newToken(p.ctx, p.cancel)
	}
	p.started = p.token != nil
	p.send(protocol.WorkDoneProgressBegin{Kind: protocol.WorkDoneProgressKindBegin, Title: p.title, Cancellable: true, Percentage: percentage})
}

// newToken asks the client to show work that it did not ask to be told of; nil
// when it does not.
func (s *Server) newToken(ctx context.Context, cancel context.CancelFunc) *protocol.ProgressToken {
	if !s.client.Capabilities.Window.WorkDoneProgress {
		return nil
	}
	token := protocol.NewProgressToken(s.progresses.name())
	s.progresses.add(token.String(), cancel)
	// Not protocol's params: the token in them has no JSON form.
	if err := s.conn.Call(ctx, protocol.MethodWorkDoneProgressCreate, map[string]any{"token": token}, nil); err != nil {
		return nil
	}
	return token
}

// end ends what was begun.
func (p *progress) end() {
	if p.started {
		p.send(protocol.WorkDoneProgressEnd{Kind: protocol.WorkDoneProgressKindEnd})
	}
	if p.token != nil {
		p.server.progresses.remove(p.token.String())
	}
	p.cancel()
}

func (p *progress) send(value any) {
	if p.token == nil {
		return
	}
	if err := p.server.conn.Notify(protocol.MethodProgress, map[string]any{"token": p.token, "value": value}); err != nil {
		p.server.log.Debug("progress not sent", "error", err)
	}
}

func (ps *progresses) name() string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.made++
	return fmt.Sprintf("memls/%d", ps.made)
}

func (ps *progresses) add(token string, cancel context.CancelFunc) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.cancels == nil {
		ps.cancels = map[string]context.CancelFunc{}
	}
	ps.cancels[token] = cancel
}

func (ps *progresses) remove(token string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.cancels, token)
}

// cancelProgress stops the work behind a token.
func (s *Server) cancelProgress(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	s.progresses.mu.Lock()
	defer s.progresses.mu.Unlock()
	if cancel := s.progresses.cancels[p.Token.String()]; cancel != nil {
		cancel()
	}
	return nil
}
