package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules"
)

// What the model is told besides the results of its tools.
const (
	goOn   = "Your answer was cut off at the limit of its length. Go on where it stopped, with less in one answer."
	notRun = "Error: not run, because the turn was interrupted. Nothing was changed by this call."
	cutOff = "Error: not run, because it was cut off at the limit of the answer's length. Nothing was changed by it. Send it again, with less in one call."
)

// Data writes what is not ours (names and texts of files, what hooks print) for
// a model: as JSON in which no character can close a tag or talk to a terminal,
// so that nothing in it passes for a word of ours.
func Data(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // escapes <, > and &
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", err.Error()) // no value of ours does that
	}
	return string(bytes.TrimSpace(rules.PrintableJSON(b.Bytes())))
}

// bounded cuts what is too long for a result, between characters.
func bounded(text string) string {
	if len(text) <= MaxResult {
		return text
	}
	end := MaxResult
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + fmt.Sprintf("\n[cut: these are the first %d bytes of %d; ask for a part of it]", end, len(text))
}

func isObject(input string) bool {
	var v map[string]json.RawMessage
	return json.Unmarshal([]byte(input), &v) == nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
