package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No server is dropped from the table for what it does not do.
func TestResultInTable(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float64
		errs   []error
		want   string
	}{
		{"median of the sessions", []float64{9, 1, 2}, nil, "2.0"},
		{"not offered", nil, []error{errNotOffered}, "—"},
		{"half an answer", nil, []error{all(12, 500)}, "incomplete"},
		{"no answer in time", nil, []error{fmt.Errorf("initialize: %w", context.DeadlineExceeded)}, "too slow"},
		{"error", nil, []error{errors.New("no such program")}, "failed"},
		{"a session of three fails", []float64{1, 3}, []error{context.DeadlineExceeded}, "3.0 (2 of 3)"},
		{"an earlier measure failed", nil, nil, "not reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := results{}
			for _, v := range test.values {
				r.add("what", v)
			}
			for _, err := range test.errs {
				r.fail("what", err)
			}
			if got := r.of("what").cell(3); got != test.want {
				t.Errorf("the table says %q, want %q", got, test.want)
			}
		})
	}
}

func TestHubHasItsLinks(t *testing.T) {
	for _, notes := range []int{60, 700} {
		repo, err := generate(t.Context(), filepath.Join(t.TempDir(), "memory"), notes, hubLinks)
		if err != nil {
			t.Fatal(err)
		}
		links := 0
		for i := range notes {
			text, err := os.ReadFile(repo.Path(notePath(i)))
			if err != nil {
				t.Fatal(err)
			}
			links += bytes.Count(text, []byte("](../../"+hub+")"))
		}
		if links != hubLinks {
			t.Errorf("%d notes have %d links to the hub, want %d", notes, links, hubLinks)
		}
		index, err := os.ReadFile(repo.Path("area-00/" + indexName))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(index), "](hub.md)") {
			t.Error("the hub is not in its index")
		}
	}
}
