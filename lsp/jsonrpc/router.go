package jsonrpc

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A Gate decides, on the read loop, whether a method may be handled now. Its
// error answers a request; a notification is dropped.
type Gate func(method string) error

// A router hands messages to methods. The library's own handlers are not used:
// they run strictly one request after the other, and never cancel a numeric id.
type router struct {
	methods Methods
	gate    Gate
	respond func(id jsonrpc2.ID, result json.RawMessage, err error) error
	log     *slog.Logger

	// idle takes a request for a goroutine that has served another: its stack has
	// grown to what a request needs, which costs about as much as a small one.
	idle chan func()

	mu      sync.Mutex
	running map[jsonrpc2.ID]*running
}

// running is a concurrent request that has no answer yet.
type running struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// handle is the [jsonrpc2.Handler]. It never returns an error: the library
// would close the connection, and panic when the input then ends for another
// reason.
func (r *router) handle(ctx context.Context, _ jsonrpc2.Replier, req jsonrpc2.Request) error {
	name := req.Method()
	if name == protocol.MethodCancelRequest {
		r.cancel(req.Params())
		return nil
	}
	call, isCall := req.(*jsonrpc2.Call)
	answer := func(result json.RawMessage, err error) {
		if !isCall {
			if err != nil {
				r.log.Error("notification failed", "method", name, "error", err)
			}
			return
		}
		if err != nil {
			r.log.Debug("request failed", "method", name, "error", err)
		}
		if err := r.respond(call.ID(), result, err); err != nil {
			r.log.Warn("reply not sent", "method", name, "error", err)
		}
	}

	m, known := r.methods[name]
	if err := r.gate(name); err != nil {
		if isCall {
			answer(nil, err)
		}
		return nil
	}
	if !known {
		if isCall {
			answer(nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", name))
		}
		return nil
	}
	if m.concurrent && !isCall {
		return nil // nobody waits for the result
	}

	var do work
	_, err := r.protect(name, func() (_ any, err error) {
		do, err = m.prepare(req.Params())
		return nil, err
	})
	switch {
	case err != nil:
		answer(nil, err)
	case m.concurrent:
		r.start(ctx, call.ID(), func(ctx context.Context) {
			result, err := r.protect(name, func() (any, error) { return do(ctx) })
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			answer(result, err)
		})
	default:
		answer(r.protect(name, func() (any, error) { return do(ctx) }))
	}
	return nil
}

// start runs f beside the read loop, cancellable by id. The goroutine lives as long
// as ctx.
func (r *router) start(ctx context.Context, id jsonrpc2.ID, f func(context.Context)) {
	over := ctx.Done()
	ctx, cancel := context.WithCancel(ctx)
	self := &running{cancel, make(chan struct{})}
	r.mu.Lock()
	r.running[id] = self
	r.mu.Unlock()
	serve := func() {
		defer close(self.done)
		defer cancel()
		f(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.running[id] == self { // the client may have used the id again
			delete(r.running, id)
		}
	}
	select {
	case r.idle <- serve:
	default:
		go r.serve(serve, over)
	}
}

// serve runs a request, and then others until the connection is over.
func (r *router) serve(request func(), over <-chan struct{}) {
	for {
		request()
		select {
		case request = <-r.idle:
		case <-over:
			return
		}
	}
}

func (r *router) cancel(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	if err := json.Unmarshal(orNull(params), &p); err != nil || isNull(p.ID) {
		return
	}
	id, ok := parseID(p.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.running[id]; ok && run != nil {
		run.cancel()
	}
}

// drain waits until no request is running, but no longer than grace.
func (r *router) drain(grace time.Duration) {
	r.mu.Lock()
	var owed []*running
	for _, run := range r.running {
		owed = append(owed, run)
	}
	r.mu.Unlock()
	timeout := time.After(grace)
	for _, run := range owed {
		select {
		case <-run.done:
		case <-timeout:
			return
		}
	}
}

// protect runs f, writes its result as JSON and turns a panic of either into
// an error: a defect in one feature must not end the server.
func (r *router) protect(method string, f func() (any, error)) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s: %v (the server's log has the details)", method, p)
		}
	}()
	value, err := f()
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}
