package model

import "fmt"

// IDs gives calls names that no other call of a conversation has: some
// providers send none, and some the same ones at every answer.
type IDs struct{ taken map[string]bool }

// NewIDs knows the calls of a conversation.
func NewIDs(messages []Message) *IDs {
	ids := &IDs{taken: map[string]bool{}}
	for _, m := range messages {
		for _, part := range m.Parts {
			if part.Call != nil {
				ids.taken[part.Call.ID] = true
			}
		}
	}
	return ids
}

// Take returns the provider's ID if it is a new one, else one that is made up.
func (ids *IDs) Take(id string) string {
	for n := len(ids.taken) + 1; id == "" || ids.taken[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	ids.taken[id] = true
	return id
}
