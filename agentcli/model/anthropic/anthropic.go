// Package anthropic speaks to Anthropic's models, and to what offers the same
// interface, by Anthropic's SDK. What the SDK makes of a stream is left aside:
// it takes one that was cut for a complete one.
package anthropic

import (
	"context"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/internal/transport"
)

// DefaultModel is taken where none is named.
const DefaultModel = sdk.ModelClaudeSonnet5_5

// Config says which model, where, and who asks: by a key or by a token.
type Config struct {
	Endpoint transport.Endpoint
	Limits   transport.Limits
	Model    string
	Key      string // sent as x-api-key
	Token    string // sent as Authorization: Bearer
}

// A Provider is one model.
type Provider struct {
	client   *transport.Client
	messages sdk.MessageService
	model    string
}

// New fails if the address is none.
func New(c Config) (*Provider, error) {
	c.Endpoint.Secrets = append(c.Endpoint.Secrets, c.Key, c.Token)
	client, err := transport.New(c.Endpoint, c.Limits)
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(c.Endpoint.BaseURL),
		option.WithHTTPClient(client.HTTP),
		option.WithMaxRetries(0), // the transport does it
	}
	if c.Key != "" {
		options = append(options, option.WithAPIKey(c.Key))
	}
	if c.Token != "" {
		options = append(options, option.WithAuthToken(c.Token))
	}
	// The service alone, not a client: that one would look for keys by itself.
	return &Provider{client: client, messages: sdk.NewMessageService(options...), model: c.Model}, nil
}

// Name is the provider's and the model's.
func (p *Provider) Name() string { return p.client.Name }

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, request model.Request, events func(model.Event)) (*model.Response, error) {
	body := params(p.model, request)
	return p.client.Exchange(ctx, events, func(ctx context.Context, attempt *transport.Attempt) (*model.Response, error) {
		stream := p.messages.NewStreaming(ctx, body, option.WithMiddleware(attempt.Middleware))
		defer stream.Close()
		a := answer{ids: model.NewIDs(request.Messages), tell: attempt.Tell}
		for !a.done && stream.Next() {
			a.add(stream.Current())
		}
		if a.complete() {
			return a.response(), nil
		}
		var reported *sdk.Error
		if errors.As(stream.Err(), &reported) {
			return nil, transport.Reported([]byte(reported.RawJSON()))
		}
		if err := stream.Err(); err != nil {
			return nil, err
		}
		return nil, transport.Incomplete()
	})
}
