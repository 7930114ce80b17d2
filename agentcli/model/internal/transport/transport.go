// Package transport is what providers over HTTP have in common: when a request
// is sent again, how long an answer may be silent, what a failure is called,
// and that the key goes to one host and into no text.
package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/memls/memls/agentcli/model"
)

// Limits bound what is waited for and what is taken.
type Limits struct {
	Attempts   int           // requests for one answer
	Backoff    time.Duration // before the second request, doubled after each one
	MaxBackoff time.Duration // the doubling ends here
	MaxWait    time.Duration // asked for by the provider; if it asks for more, the failure is final
	FirstByte  time.Duration // from the request to the first byte of the answer: local models load first
	Idle       time.Duration // between bytes
	Bytes      int64         // of one answer on the wire
}

// Defaults are for people who wait.
func Defaults() Limits {
	return Limits{
		Attempts:   4,
		Backoff:    500 * time.Millisecond,
		MaxBackoff: 8 * time.Second,
		MaxWait:    time.Minute,
		FirstByte:  10 * time.Minute,
		Idle:       2 * time.Minute,
		Bytes:      256 << 20,
	}
}

// An Endpoint is where a model is reached.
type Endpoint struct {
	Name        string // of the provider and model, as the user calls it
	BaseURL     string
	URLVariable string   // environment variable of BaseURL
	KeyVariable string   // environment variable of the key
	Secrets     []string // what no error may hold
}

// A Client sends requests to one endpoint.
type Client struct {
	Endpoint
	// HTTP keeps connections, and follows no redirect: the key is for the host
	// that the user named.
	HTTP   *http.Client
	limits Limits
}

// New refuses an address that is none.
func New(endpoint Endpoint, limits Limits) (*Client, error) {
	u, err := url.Parse(endpoint.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is no address of a model server: set it to one such as http://127.0.0.1:8080/v1", endpoint.URLVariable)
	}
	if password, ok := u.User.Password(); ok {
		endpoint.Secrets = append(endpoint.Secrets, password)
	}
	return &Client{
		Endpoint: endpoint,
		HTTP:     &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		limits:   limits,
	}, nil
}

// Exchange has send ask for one answer, and asks again after a failure that may
// pass, as long as the caller was told of no part of the answer. The SDKs would
// do so silently, wait for as long as they are told, and not when the stream
// breaks before its first event.
func (c *Client) Exchange(ctx context.Context, events func(model.Event), send func(context.Context, *Attempt) (*model.Response, error)) (*model.Response, error) {
	if events == nil {
		events = func(model.Event) {}
	}
	for n := 1; ; n++ {
		a := &Attempt{client: c, events: events}
		response, err := a.run(ctx, send)
		if err == nil {
			return response, nil
		}
		var failure *model.Error
		if !errors.As(err, &failure) || !failure.Temporary || a.told || n >= c.limits.Attempts || failure.RetryAfter > c.limits.MaxWait {
			return nil, err
		}
		wait := failure.RetryAfter
		if wait == 0 {
			wait = c.limits.backoff(n)
		}
		events(model.Event{Retry: &model.Retry{Attempt: n + 1, After: wait, Err: failure}})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// backoff is the pause after the nth failure, from 1. Chance keeps clients that
// failed together from coming back together.
func (l Limits) backoff(n int) time.Duration {
	pause := l.Backoff
	for ; n > 1 && pause < l.MaxBackoff; n-- {
		pause *= 2
	}
	pause = min(pause, l.MaxBackoff)
	return pause - time.Duration(rand.Float64()*float64(pause)/4)
}
