package anthropic

import (
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/internal/transport"
)

// defaultMaxTokens of an answer: the interface wants a number, and every model
// that is still served takes this one.
const defaultMaxTokens = 8192

// params is the request in Anthropic's terms. What comes again at the next step
// is marked for the provider's cache: the system prompt, the tools, and the
// conversation up to here.
func params(name string, r model.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: name, MaxTokens: defaultMaxTokens, Tools: tools(r.Tools)}
	if r.MaxTokens > 0 {
		p.MaxTokens = int64(r.MaxTokens)
	}
	if r.System != "" {
		p.System = []sdk.TextBlockParam{{Text: r.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	for _, m := range r.Messages {
		if blocks := blocks(m.Parts); len(blocks) > 0 {
			p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks})
		}
	}
	if n := len(p.Tools); n > 0 {
		*p.Tools[n-1].GetCacheControl() = sdk.NewCacheControlEphemeralParam()
	}
	if n := len(p.Messages); n > 0 {
		content := p.Messages[n-1].Content
		if mark := content[len(content)-1].GetCacheControl(); mark != nil { // reasoning has none
			*mark = sdk.NewCacheControlEphemeralParam()
		}
	}
	return p
}

func tools(list []model.Tool) (params []sdk.ToolUnionParam) {
	for _, t := range list {
		if t.Native == "memory_20250818" {
			params = append(params, sdk.ToolUnionParam{OfMemoryTool20250818: &sdk.MemoryTool20250818Param{}})
			continue
		}
		params = append(params, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name:        t.Name,
			Description: sdk.String(t.Description),
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Schema),
		}})
	}
	return params
}

// blocks puts results first: the interface refuses them behind a text.
func blocks(parts []model.Part) (blocks []sdk.ContentBlockParamUnion) {
	for _, part := range parts {
		if part.Result != nil {
			blocks = append(blocks, sdk.NewToolResultBlock(part.Result.ID, part.Result.Text, part.Result.IsError))
		}
	}
	for _, part := range parts {
		switch {
		case part.Call != nil:
			blocks = append(blocks, sdk.NewToolUseBlock(part.Call.ID, transport.Object(part.Call.Input), part.Call.Name))
		case isReasoning(part.Opaque):
			blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](part.Opaque))
		case part.Text != "":
			blocks = append(blocks, sdk.NewTextBlock(part.Text))
		}
	}
	return blocks
}

// isReasoning knows this package's own opaque parts.
func isReasoning(opaque json.RawMessage) bool {
	var block struct{ Type string }
	return json.Unmarshal(opaque, &block) == nil && (block.Type == "thinking" || block.Type == "redacted_thinking")
}
