package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// maxDepth bounds the nesting of arrays and objects in an incoming message.
// jsonrpc2 v0.10.0 decodes with a library whose cost grows with the square of
// the depth (minutes for a hostile message); real messages nest below 30.
const maxDepth = 256

// foreignID marks, inside a [jsonrpc2.ID], an id which that type cannot hold
// (it knows int32 and non-empty strings): the mark is followed by the id's
// JSON text, which [encode] puts back on the wire.
const foreignID = "\x00json:"

// A badMessage is a message that cannot be handed on. It is answered with an
// error response, unless it was itself a response.
type badMessage struct {
	code   jsonrpc2.Code
	id     json.RawMessage // as the client wrote it; nil when unknown
	text   string
	silent bool
}

func (b *badMessage) Error() string { return b.text }

func badMessagef(code jsonrpc2.Code, id json.RawMessage, format string, args ...any) *badMessage {
	return &badMessage{code: code, id: id, text: fmt.Sprintf(format, args...)}
}

// response returns the error response for the message, as a message body.
func (b *badMessage) response() []byte {
	id := b.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return envelope(field{"id", id}, field{"error", mustJSON(jsonrpc2.NewError(b.code, b.text))})
}

// decode reads one message. It stands in for [jsonrpc2.DecodeMessage], which
// fails the connection on malformed text, on batches and on ids that are not
// an int32 or a string. Every error is a [*badMessage].
func decode(body []byte) (jsonrpc2.Message, error) {
	if tooDeep(body) {
		return nil, badMessagef(jsonrpc2.InvalidRequest, nil, "message refused: it nests deeper than %d levels", maxDepth)
	}
	var m struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if !json.Valid(body) {
			return nil, badMessagef(jsonrpc2.ParseError, nil, "malformed JSON: %v", err)
		}
		return nil, badMessagef(jsonrpc2.InvalidRequest, nil, "the message is not an object (batches are not part of LSP)")
	}
	if m.Method == nil && (m.Result != nil || m.Error != nil) {
		return decodeResponse(m.ID, m.Result, m.Error)
	}

	id, validID := parseID(m.ID)
	if !validID {
		return nil, badMessagef(jsonrpc2.InvalidRequest, nil, "id is %s, want a number or a string", m.ID)
	}
	if m.Version != nil && string(m.Version) != `"2.0"` {
		return nil, badMessagef(jsonrpc2.InvalidRequest, m.ID, "jsonrpc is %s, want \"2.0\"", m.Version)
	}
	var method *string
	if err := json.Unmarshal(orNull(m.Method), &method); err != nil || method == nil {
		return nil, badMessagef(jsonrpc2.InvalidRequest, m.ID, "method is %s, want a string", orNull(m.Method))
	}
	// A null id is what JSON-RPC 1.0 clients write for "no answer wanted".
	if isNull(m.ID) {
		return jsonrpc2.NewNotification(*method, orNull(m.Params))
	}
	return jsonrpc2.NewCall(id, *method, orNull(m.Params))
}

func decodeResponse(rawID, result, rawErr json.RawMessage) (jsonrpc2.Message, error) {
	id, ok := parseID(rawID)
	if !ok || isNull(rawID) {
		return nil, &badMessage{text: fmt.Sprintf("response with id %s", orNull(rawID)), silent: true}
	}
	var rerr error
	if !isNull(rawErr) {
		wire := new(jsonrpc2.Error)
		if err := json.Unmarshal(rawErr, wire); err != nil {
			wire = jsonrpc2.Errorf(jsonrpc2.UnknownError, "%s", rawErr)
		}
		rerr = wire
	}
	return jsonrpc2.NewResponse(id, orNull(result), rerr)
}

// parseID turns an id's JSON text into a comparable value. An absent or null
// id is the zero value.
func parseID(raw json.RawMessage) (id jsonrpc2.ID, ok bool) {
	if isNull(raw) {
		return id, true
	}
	var number int32
	if json.Unmarshal(raw, &number) == nil {
		return jsonrpc2.NewNumberID(number), true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" || strings.HasPrefix(text, foreignID) {
			return jsonrpc2.NewStringID(foreignID + string(raw)), true
		}
		return jsonrpc2.NewStringID(text), true
	}
	var other json.Number
	if json.Unmarshal(raw, &other) == nil {
		return jsonrpc2.NewStringID(foreignID + string(raw)), true
	}
	return id, false
}

// formatID is the inverse of [parseID].
func formatID(id jsonrpc2.ID) json.RawMessage {
	raw := mustJSON(&id)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if foreign, ok := strings.CutPrefix(text, foreignID); ok {
			return json.RawMessage(foreign)
		}
	}
	return raw
}

// encode writes a request of ours; [stream.respond] writes the answers. The types'
// own MarshalJSON is not used: it writes "params":null, which is not allowed, and
// cannot write every id.
func encode(msg jsonrpc2.Message) ([]byte, error) {
	switch m := msg.(type) {
	case *jsonrpc2.Call:
		return envelope(field{"id", formatID(m.ID())}, field{"method", mustJSON(m.Method())}, params(m.Params())), nil
	case *jsonrpc2.Notification:
		return envelope(field{"method", mustJSON(m.Method())}, params(m.Params())), nil
	}
	return nil, fmt.Errorf("jsonrpc: cannot encode a %T", msg)
}

type field struct {
	name  string
	value json.RawMessage // nil: left out
}

func params(raw json.RawMessage) field {
	if isNull(raw) {
		raw = nil
	}
	return field{"params", raw}
}

func envelope(fields ...field) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	for _, f := range fields {
		if f.value != nil {
			fmt.Fprintf(&b, `,%q:`, f.name)
			b.Write(f.value)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// tooDeep reports whether arrays and objects nest deeper than [maxDepth]. Text
// that is not JSON gives a harmless answer: it is refused later.
func tooDeep(body []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// mustJSON is for strings, ids and wire errors, which always have a JSON form;
// an error's data that has none is dropped.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal(jsonrpc2.NewError(jsonrpc2.InternalError, err.Error()))
	}
	return raw
}
