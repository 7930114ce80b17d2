package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// The names of the tools.
const (
	MemoryTool = "memory"
	PatchTool  = "memory_apply_patch"
	SkillTool  = "skill"
	FinishTool = "finish"
)

// Tools are what the model may call.
func (w *Workspace) Tools() []model.Tool {
	var list []model.Tool
	for _, t := range tools() {
		list = append(list, t.Tool)
	}
	return list
}

// A tool is one of them, with what it does. The input is a JSON object.
type tool struct {
	model.Tool
	run func(w *Workspace, ctx context.Context, input []byte) (string, error)
}

func tools() []tool {
	return []tool{
		{model.Tool{Name: MemoryTool, Native: "memory_20250818", Description: memoryDoc, Schema: json.RawMessage(memorySchema)}, (*Workspace).memory},
		{model.Tool{Name: PatchTool, Description: patchDoc, Schema: json.RawMessage(patchSchema)}, (*Workspace).applyPatch},
		{model.Tool{Name: SkillTool, Description: skillDoc, Schema: json.RawMessage(skillSchema)}, (*Workspace).skill},
		{model.Tool{Name: FinishTool, Description: finishDoc, Schema: json.RawMessage(finishSchema)}, (*Workspace).finish},
	}
}

// Call runs a tool on arguments as the model wrote them, and returns what the
// model gets to read. A call that fails changes nothing; a write that breaks a
// rule is kept, and the text says what is wrong.
func (w *Workspace) Call(ctx context.Context, name, input string) (text string, isError bool) {
	before := w.tree
	text, err := w.call(ctx, name, input)
	if err == nil && w.tree != before {
		var more string
		if more, err = w.afterwards(ctx, before); err == nil {
			text = strings.TrimRight(text, "\n") + more
		}
	}
	if err != nil {
		w.tree = before
		return "Error: " + err.Error(), true
	}
	return strings.TrimSuffix(text, "\n"), false
}

func (w *Workspace) call(ctx context.Context, name, input string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	list := tools()
	at := slices.IndexFunc(list, func(t tool) bool { return t.Name == name })
	if at < 0 {
		var names []string
		for _, t := range list {
			names = append(names, t.Name)
		}
		return "", fmt.Errorf("there is no tool %s; there are %s", quoted(name), strings.Join(names, ", "))
	}
	if strings.TrimSpace(input) == "" {
		input = "{}"
	}
	return list[at].run(w, ctx, []byte(input))
}

// A command is one of the memory tool's.
type command struct {
	name string
	// needs are the fields that it cannot do without.
	needs []string
	run   func(*Workspace, context.Context, *memoryInput) (string, error)
}

func commands() []command {
	return []command{
		{"view", []string{"path"}, (*Workspace).view},
		{"create", []string{"path", "file_text"}, (*Workspace).create},
		{"str_replace", []string{"path", "old_str"}, (*Workspace).strReplace},
		{"insert", []string{"path", "insert_line", "insert_text"}, (*Workspace).insert},
		{"delete", []string{"path"}, (*Workspace).delete},
		{"rename", []string{"old_path", "new_path"}, (*Workspace).rename},
		{"update_description", []string{"path", "description"}, (*Workspace).updateDescription},
	}
}

// memoryInput is the input of the memory tool. Numbers are taken as text, too:
// some models write them so.
type memoryInput struct {
	Command     string        `json:"command"`
	Path        string        `json:"path"`
	ViewRange   []json.Number `json:"view_range"`
	FileText    string        `json:"file_text"`
	OldStr      string        `json:"old_str"`
	NewStr      string        `json:"new_str"`
	InsertLine  json.Number   `json:"insert_line"`
	InsertText  string        `json:"insert_text"`
	OldPath     string        `json:"old_path"`
	NewPath     string        `json:"new_path"`
	Description string        `json:"description"`
	Reason      string        `json:"reason"`
}

// aliases are Letta's names for fields.
var aliases = map[string]string{"file_path": "path", "old_string": "old_str", "new_string": "new_str"}

func (w *Workspace) memory(ctx context.Context, input []byte) (string, error) {
	fields, err := object(input)
	if err != nil {
		return "", err
	}
	for letta, ours := range aliases {
		value, ok := fields[letta]
		if !ok {
			continue
		}
		if other, both := fields[ours]; both && !bytes.Equal(value, other) {
			return "", fmt.Errorf("%s and %s are the same field: give one of them", letta, ours)
		}
		fields[ours] = value
		delete(fields, letta)
	}
	var in memoryInput
	if err := decode(fields, &in); err != nil {
		return "", err
	}
	var names []string
	for _, c := range commands() {
		if c.name != in.Command {
			names = append(names, c.name)
			continue
		}
		for _, field := range c.needs {
			if _, ok := fields[field]; !ok {
				return "", fmt.Errorf("the command %s needs %s", c.name, strings.Join(c.needs, ", "))
			}
		}
		before := w.tree
		text, err := c.run(w, ctx, &in)
		if err == nil && w.tree != before {
			w.because(in.Reason)
		}
		return text, err
	}
	return "", fmt.Errorf("there is no command %s; there are %s", quoted(in.Command), strings.Join(names, ", "))
}

// object reads a JSON object. Fields that are null are left out: some models
// name all fields there are.
func object(input []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(input))
	var fields map[string]json.RawMessage
	err := d.Decode(&fields)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = errors.New("it is of type " + wrong.Value)
	}
	if err == nil && fields == nil {
		err = errors.New("it is null")
	}
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the input is not one JSON object: %w; send it again", err)
	}
	for name, value := range fields {
		if string(value) == "null" {
			delete(fields, name)
		}
	}
	return fields, nil
}

// decode fills a struct from fields, and refuses those that it does not have.
// One field at a time, so that an error can name it.
func decode(fields map[string]json.RawMessage, into any) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, err := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err != nil {
			return err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(into)
		wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
		switch {
		case err == nil:
		case ok:
			return fmt.Errorf("%s has to be %s, and is of type %s", name, wanted(wrong.Type, fields[name]), wrong.Value)
		case strings.Contains(err.Error(), "unknown field"):
			return fmt.Errorf("there is no field %s", quoted(name))
		default: // a text that is no number, in the words of Go
			return fmt.Errorf("%s holds a text that is not a number", name)
		}
	}
	return nil
}

// wanted is what a field has to be that was given as something else.
func wanted(t reflect.Type, given json.RawMessage) string {
	switch {
	case t.Kind() == reflect.Slice, given[0] == '[' && t == reflect.TypeFor[json.Number](): // one in the list
		return "a list of numbers"
	case t == reflect.TypeFor[json.Number]():
		return "a number"
	}
	return "a text"
}

// DecodeInput decodes the whole input of a tool, a JSON object. The error says
// what is wrong with which field, for the model to read.
func DecodeInput(input []byte, into any) error {
	fields, err := object(input)
	if err != nil {
		return err
	}
	return decode(fields, into)
}

// whole is a number that has to be whole.
func whole(field string, n json.Number) (int, error) {
	i, err := n.Int64()
	if f, floatErr := n.Float64(); err != nil && floatErr == nil && f == float64(int64(f)) {
		i, err = int64(f), nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a whole number", field, n.String())
	}
	return int(i), nil
}

// because notes why something was changed, on one line.
func (w *Workspace) because(reason string) {
	reason = rules.Printable(strings.Join(strings.Fields(reason), " "))
	if reason != "" && !slices.Contains(w.reasons, reason) {
		w.reasons = append(w.reasons, reason)
	}
}

// changedPaths are those at which two trees differ.
func changedPaths(before, after *tree.Tree) (paths []string) {
	tree.Diff(before, after, func(x, y *tree.File) {
		if x == nil {
			x = y
		}
		paths = append(paths, x.Path)
	})
	slices.Sort(paths)
	return paths
}
