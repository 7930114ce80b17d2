package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A value is one JSON value with its place in the source. The source as a whole
// has been checked before, so the methods do not meet syntax errors.
type value struct {
	raw   []byte // the bytes of the value, without space around; nil: not there
	start int    // byte offset in the source
	path  string // the field, e.g. "fileCharacterLimits[0].pattern"; "" at the top
}

// A member is one entry of an object.
type member struct {
	key              string
	keyStart, keyEnd int // byte offsets in the source, quotes included
	value            value
}

// field returns the path of v's member key.
func (v value) field(key string) string {
	if v.path == "" {
		return key
	}
	return v.path + "." + key
}

func (v value) isObject() bool { return len(v.raw) > 0 && v.raw[0] == '{' }
func (v value) isArray() bool  { return len(v.raw) > 0 && v.raw[0] == '[' }
func (v value) isNull() bool   { return string(v.raw) == "null" }

// text returns the string that v is. As in JavaScript, bytes that are not valid
// UTF-8 become U+FFFD; so do, unlike there, escaped lone surrogates.
func (v value) text() (s string, ok bool) {
	if len(v.raw) == 0 || v.raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(v.raw, &s) == nil
}

func (v value) boolean() (b, ok bool) {
	b = string(v.raw) == "true"
	return b, b || string(v.raw) == "false"
}

// integer returns the number that v is if JavaScript calls it a safe integer:
// read as a float64, whole, and below 2^53. So 1e3 and 1.0 are integers.
func (v value) integer() (n int64, ok bool) {
	if len(v.raw) == 0 || v.raw[0] != '-' && (v.raw[0] < '0' || v.raw[0] > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// members returns the entries of an object in document order. Of a key that
// stands there twice only the last entry is kept, as JSON.parse does.
func (v value) members() []member {
	var all []member
	at := make(map[string]int)
	s := newScanner(v)
	for s.more() {
		m := s.member()
		if i, again := at[m.key]; again {
			all[i] = m
			continue
		}
		at[m.key] = len(all)
		all = append(all, m)
	}
	return all
}

// elements returns the entries of an array.
func (v value) elements() []value {
	var all []value
	s := newScanner(v)
	for s.more() {
		all = append(all, s.value(fmt.Sprintf("%s[%d]", v.path, len(all))))
	}
	return all
}

// A scanner walks over one level of an object or array. The library's decoder
// reports where a token ends; where it starts is worked out from that.
type scanner struct {
	of  value
	dec *json.Decoder
	err error // ends the walk; not expected on text that was checked
}

func newScanner(v value) *scanner {
	s := &scanner{of: v, dec: json.NewDecoder(bytes.NewReader(v.raw))}
	_, s.err = s.dec.Token()
	return s
}

func (s *scanner) more() bool { return s.err == nil && s.dec.More() }

func (s *scanner) offset() int { return s.of.start + int(s.dec.InputOffset()) }

func (s *scanner) member() member {
	var m member
	before := int(s.dec.InputOffset())
	gap := len(s.of.raw[before:]) - len(bytes.TrimLeft(s.of.raw[before:], " \t\r\n,"))
	m.keyStart = s.of.start + before + gap

	var token json.Token
	if token, s.err = s.dec.Token(); s.err != nil {
		return m
	}
	m.key, _ = token.(string)
	m.keyEnd = s.offset()

	m.value = s.value(s.of.field(m.key))
	return m
}

func (s *scanner) value(path string) value {
	var raw json.RawMessage
	s.err = s.dec.Decode(&raw)
	return value{raw: raw, start: s.offset() - len(raw), path: path}
}
