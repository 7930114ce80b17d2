package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
)

// deltas makes the events of an answer.
func deltas(t *testing.T, list ...string) *model.Response {
	t.Helper()
	a := answer{ids: model.NewIDs(nil), tell: func(model.Event) {}}
	for _, delta := range list {
		if err := a.event([]byte(`{"choices":[{"delta":` + delta + `}]}`)); err != nil {
			t.Fatal(err)
		}
	}
	return a.response()
}

// TestPieces is about whose pieces of calls belong together.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		want   []string // ID, name and input
	}{
		{"in turns", []string{`{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}`, `{"index":1,"id":"b","function":{"name":"y","arguments":"{"}}`,
			`{"index":0,"function":{"arguments":"}"}}`, `{"index":1,"function":{"arguments":"}"}}`}, []string{`a x {}`, `b y {}`}},
		{"ID late", []string{`{"index":0,"function":{"name":"x","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`}, []string{`a x {}`}},
		{"no index", []string{`{"id":"a","function":{"name":"x","arguments":"{}"}}`, `{"id":"b","function":{"name":"x","arguments":"{}"}}`}, []string{`a x {}`, `b x {}`}},
		{"name again", []string{`{"function":{"name":"x","arguments":"{\"a\":"}}`, `{"function":{"name":"x","arguments":"1}"}}`}, []string{`call_1 x {"a":1}`}},
		{"another name", []string{`{"function":{"name":"x"}}`, `{"function":{"name":"y","arguments":null}}`}, []string{`call_1 x {}`, `call_2 y {}`}},
		{"object", []string{`{"id":"a","function":{"name":"x","arguments":{"a":{"b":1}}}}`}, []string{`a x {"a":{"b":1}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []string
			for _, p := range c.pieces {
				list = append(list, `{"tool_calls":[`+p+`]}`)
			}
			var got []string
			for _, part := range deltas(t, list...).Message.Parts {
				got = append(got, part.Call.ID+" "+part.Call.Name+" "+part.Call.Input)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestOddTexts: what is no text is passed over.
func TestOddTexts(t *testing.T) {
	got := deltas(t, `{"content":null,"reasoning":{"a":1}}`, `{"content":"a"}`, `{"content":[{"type":"thinking"}]}`, `{"refusal":"b"}`)
	if len(got.Message.Parts) != 1 || got.Message.Parts[0].Text != "ab" || got.Stop != model.StopRefusal {
		t.Errorf("%+v", got)
	}
}

// FuzzEvent: no event breaks the reader, and no call is without ID and input.
func FuzzEvent(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":{}}}]}}]}`)
	f.Add(`{"error":{"code":502}}`, `[DONE]`)
	f.Add(`{"usage":{"prompt_tokens":1,"prompt_tokens_details":null}}`, `{"choices":[]}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		a := answer{ids: model.NewIDs(nil), tell: func(model.Event) {}}
		for _, event := range []string{first, second} {
			if err := a.event([]byte(event)); err != nil {
				break
			}
		}
		for _, part := range a.response().Message.Parts {
			if part.Call != nil && (part.Call.ID == "" || part.Call.Input == "") {
				t.Errorf("%+v", *part.Call)
			}
		}
	})
}
