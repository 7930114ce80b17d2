package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
)

func TestIDsAreNeverTakenTwice(t *testing.T) {
	ids := model.NewIDs([]model.Message{
		{Role: model.Assistant, Parts: []model.Part{{Call: &model.Call{ID: "a"}}, {Call: &model.Call{ID: "call_3"}}}},
		{Role: model.User, Parts: []model.Part{{Result: &model.Result{ID: "a"}}}},
	})
	var got []string
	for _, id := range []string{"", "a", "b", "b", ""} {
		got = append(got, ids.Take(id))
	}
	if diff := cmp.Diff([]string{"call_4", "call_5", "b", "call_6", "call_7"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
