package transport

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/memls/memls/agentcli/model"
)

var (
	errSilent  = errors.New("the answer stands still")
	errTooLong = errors.New("the answer has no end")
)

// An Attempt is one request.
type Attempt struct {
	client *Client
	events func(model.Event)
	told   bool // of a part of the answer

	idle    *time.Timer
	opened  bool  // the answer began
	readErr error // of the answer's body
}

// Tell passes on a part of the answer.
func (a *Attempt) Tell(e model.Event) {
	a.told = true
	a.events(e)
}

func (a *Attempt) run(ctx context.Context, send func(context.Context, *Attempt) (*model.Response, error)) (*model.Response, error) {
	attempt, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.idle = time.AfterFunc(a.client.limits.FirstByte, func() { cancel(errSilent) })
	defer a.idle.Stop()
	response, err := send(attempt, a)
	switch {
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(context.Cause(attempt), errSilent):
		err = errSilent
	}
	return nil, a.client.finish(a.failure(err))
}

// Middleware is for both SDKs: it turns an answer that is no stream into an
// error, and watches the others.
func (a *Attempt) Middleware(request *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	response, err := next(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, a.client.statusError(response)
	}
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind {
	case "text/html", "application/json":
		defer response.Body.Close()
		return nil, a.client.noStream(response, kind)
	}
	a.opened = true
	response.Body = &body{ReadCloser: response.Body, attempt: a, left: a.client.limits.Bytes}
	return response, nil
}

// body is an answer under watch.
type body struct {
	io.ReadCloser
	attempt *Attempt
	left    int64 // bytes
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.attempt.idle.Reset(b.attempt.client.limits.Idle)
	b.left -= int64(n)
	if b.left < 0 {
		err = errTooLong
	}
	if err != nil && err != io.EOF {
		b.attempt.readErr = err
	}
	return n, err
}
