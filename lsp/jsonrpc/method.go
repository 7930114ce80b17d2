package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Methods maps a method's name to what handles it.
type Methods map[string]Method

// A Method handles one method. It is made by [Notification], [Request] or
// [InlineRequest].
type Method struct {
	// prepare runs on the read loop, so what it captures is the state after
	// exactly those messages that the client sent before this one.
	prepare func(params json.RawMessage) (work, error)

	// concurrent work leaves the read loop and can be cancelled.
	concurrent bool
}

type work func(ctx context.Context) (any, error)

// Notification makes a method that changes state. f runs on the read loop, in
// wire order: it must be quick and must not wait for the client ([Conn.Call]).
// Its error is logged.
func Notification[P any](f func(ctx context.Context, params *P) error) Method {
	return InlineRequest(func(ctx context.Context, p *P) (any, error) { return nil, f(ctx, p) })
}

// InlineRequest makes a request that changes state; it is bound like a
// [Notification].
func InlineRequest[P, R any](f func(ctx context.Context, params *P) (R, error)) Method {
	return Method{prepare: func(raw json.RawMessage) (work, error) {
		params, err := decodeParams[P](raw)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return f(ctx, params) }, nil
	}}
}

// Request makes a request that reads a snapshot of the state. snapshot runs on
// the read loop, in wire order; f then runs concurrently with everything else,
// and ctx is cancelled when the client cancels the request or goes away.
func Request[S, P, R any](snapshot func() S, f func(ctx context.Context, s S, params *P) (R, error)) Method {
	return Method{concurrent: true, prepare: func(raw json.RawMessage) (work, error) {
		params, err := decodeParams[P](raw)
		if err != nil {
			return nil, err
		}
		s := snapshot()
		return func(ctx context.Context) (any, error) { return f(ctx, s, params) }, nil
	}}
}

// decodeParams reads params; absent and null ones are the zero value.
func decodeParams[P any](raw json.RawMessage) (*P, error) {
	p := new(P)
	if isNull(raw) {
		return p, nil
	}
	if err := json.Unmarshal(raw, p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
	}
	return p, nil
}

// CodeRequestFailed is the code of a request that was understood and cannot be
// done (LSP 3.17, ErrorCodes.RequestFailed).
const CodeRequestFailed jsonrpc2.Code = -32803

// RequestFailed returns the error by which a handler tells the user why it
// cannot do what was asked for. Other errors reach the client as internal
// errors.
func RequestFailed(format string, args ...any) error {
	return jsonrpc2.Errorf(CodeRequestFailed, format, args...)
}

// toWire gives every error a code; the library would send code 0.
func toWire(err error) *jsonrpc2.Error {
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return wire
	}
	if errors.Is(err, context.Canceled) {
		return jsonrpc2.NewError(protocol.CodeRequestCancelled, "request cancelled")
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}
