package transport

import "encoding/json"

// Object is a call's input as both wire formats want it: an object. A model's
// own broken JSON would make every later request invalid, so it goes back as a
// text within one.
func Object(input string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(input), &object) == nil && object != nil {
		return json.RawMessage(input)
	}
	b, _ := json.Marshal(map[string]string{"invalid_json": input}) // texts always can be
	return b
}
