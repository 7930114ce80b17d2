package turn

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/rules"
)

// masked stands for a secret in what is written down.
const masked = "[masked]"

// A Mask takes secrets out of a text: what looks like a credential, and the
// values of the environment's keys, whatever they look like.
type Mask struct{ values []string }

// keyNames are names of environment variables that hold secrets.
var keyNames = regexp.MustCompile(`(?i)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$`)

// minSecret is the length, in bytes, from which a value of the environment is
// told apart from text that happens to be the same.
const minSecret = 8

// NewMask returns the mask for an environment of lines NAME=VALUE.
func NewMask(environ []string) *Mask {
	m := &Mask{}
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); keyNames.MatchString(name) && len(value) >= minSecret {
			m.values = append(m.values, spellings(value)...)
		}
	}
	// Of two values of which one holds the other, the longer goes first.
	slices.SortFunc(m.values, func(a, b string) int { return len(b) - len(a) })
	return m
}

// spellings are a value as it is, and as it stands in the input of a call,
// which is JSON: there are two ways to write some characters.
func spellings(value string) []string {
	all := []string{value}
	for _, html := range []bool{false, true} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(value) == nil { // cannot fail for a text
			all = append(all, strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`))
		}
	}
	return slices.Compact(all)
}

// privateKey is one whose lines have something before them, which the rule for
// files does not expect: their numbers in a view, the marks of a patch.
var privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----`)

// Text is the text without secrets.
func (m *Mask) Text(text string) string {
	for _, value := range m.values {
		text = strings.ReplaceAll(text, value, masked)
	}
	text = privateKey.ReplaceAllLiteralString(text, masked)
	spans := rules.Secrets([]byte(text))
	for _, span := range slices.Backward(spans) {
		text = text[:span.Start] + masked + text[span.End:]
	}
	return text
}

// Message is a copy of the message without secrets. What a provider has signed
// cannot be changed: it is left out where it holds one.
func (m *Mask) Message(message model.Message) model.Message {
	parts := make([]model.Part, 0, len(message.Parts))
	for _, part := range message.Parts {
		part.Text = m.Text(part.Text)
		if part.Call != nil {
			call := *part.Call
			call.Input = m.Text(call.Input)
			part.Call = &call
		}
		if part.Result != nil {
			result := *part.Result
			result.Text = m.Text(result.Text)
			part.Result = &result
		}
		if opaque := string(part.Opaque); m.Text(opaque) != opaque {
			part.Opaque = nil
		}
		if part.Text != "" || part.Call != nil || part.Result != nil || part.Opaque != nil {
			parts = append(parts, part)
		}
	}
	return model.Message{Role: message.Role, Parts: parts}
}
