// Package openai speaks to models that are served by chat completions: OpenAI's
// own, OpenRouter's, and those of Ollama, llama.cpp, vLLM and LM Studio.
//
// Of OpenAI's SDK it takes the reader of event streams alone. The package with
// the types and the client brings all of OpenAI's interfaces along, which
// doubles the program and has every command start slower; and what it makes of
// a stream could not be used: it takes one that was cut for a complete one, and
// makes one call of two.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/internal/transport"
)

// DefaultModel is taken from OpenAI where none is named.
const DefaultModel = "gpt-6.1-terra"

// listBytes bounds a list of models; OpenRouter's has about 1 MiB.
const listBytes = 16 << 20

// Config says which model, where, and who asks.
type Config struct {
	Endpoint transport.Endpoint
	Limits   transport.Limits
	Model    string
	Key      string // sent as Authorization: Bearer; "" where the server wants none
}

// A Provider is one model.
type Provider struct {
	client  *transport.Client
	config  Config
	dialect atomic.Uint32 // bits of the parameters to do without
}

// New fails if the address is none.
func New(c Config) (*Provider, error) {
	c.Endpoint.Secrets = append(c.Endpoint.Secrets, c.Key)
	client, err := transport.New(c.Endpoint, c.Limits)
	if err != nil {
		return nil, err
	}
	return &Provider{client: client, config: c}, nil
}

// Name is the provider's and the model's.
func (p *Provider) Name() string { return p.client.Name }

// Stream asks for one answer. A parameter that the server refuses by name is
// left out from then on.
func (p *Provider) Stream(ctx context.Context, request model.Request, events func(model.Event)) (*model.Response, error) {
	for {
		dialect := p.dialect.Load()
		response, err := p.exchange(ctx, request, dialect, events)
		var refused *model.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			return response, err
		}
		next := dialect | unwanted(refused.Message)
		if next == dialect {
			return nil, err
		}
		p.dialect.Store(next)
	}
}

func (p *Provider) exchange(ctx context.Context, request model.Request, dialect uint32, events func(model.Event)) (*model.Response, error) {
	body, err := json.Marshal(completion(p.config.Model, request, dialect))
	if err != nil {
		return nil, fmt.Errorf("cannot write a request to %s: %w", p.Name(), err)
	}
	return p.client.Exchange(ctx, events, func(ctx context.Context, attempt *transport.Attempt) (*model.Response, error) {
		post, err := p.request(ctx, http.MethodPost, "/chat/completions", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		response, err := attempt.Middleware(post, p.client.HTTP.Do)
		if err != nil {
			return nil, err
		}
		stream := ssestream.NewDecoder(response)
		defer stream.Close()
		a := answer{ids: model.NewIDs(request.Messages), tell: attempt.Tell}
		for !a.done && stream.Next() {
			if err := a.event(stream.Event().Data); err != nil {
				return nil, err
			}
		}
		if a.complete() {
			return a.response(), nil
		}
		if err := stream.Err(); err != nil {
			return nil, err
		}
		return nil, transport.Incomplete()
	})
}

func (p *Provider) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(p.config.Endpoint.BaseURL, "/")+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "memls")
	if p.config.Key != "" {
		request.Header.Set("Authorization", "Bearer "+p.config.Key)
	}
	return request, nil
}

// Models asks the server which models it has.
func (p *Provider) Models(ctx context.Context) (names []string, err error) {
	get, err := p.request(ctx, http.MethodGet, "/models", http.NoBody)
	if err != nil {
		return nil, p.client.Unreachable(err)
	}
	response, err := p.client.HTTP.Do(get)
	if err != nil {
		return nil, p.client.Unreachable(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, p.client.Refused(response)
	}
	var list struct {
		Data []struct{ ID string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, listBytes)).Decode(&list); err != nil {
		return nil, p.client.Unreachable(fmt.Errorf("the list of its models cannot be read: %w", err))
	}
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}
