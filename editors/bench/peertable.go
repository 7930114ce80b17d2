package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// results are those of one server in one memory, by measure.
type results map[string]*result

type result struct {
	values  []float64 // of the sessions that have one
	instead string    // why the last of the others has none
}

func (r results) of(what string) *result {
	if r[what] == nil {
		r[what] = &result{}
	}
	return r[what]
}

func (r results) add(what string, value float64) {
	res := r.of(what)
	res.values = append(res.values, value)
}

// fail records why a session has no number.
func (r results) fail(what string, err error) {
	res := r.of(what)
	switch {
	case errors.Is(err, errNotOffered):
		res.instead = "—"
	case errors.Is(err, errIncomplete):
		res.instead = "incomplete"
	case errors.Is(err, context.DeadlineExceeded):
		res.instead = "too slow"
	default:
		res.instead = "failed"
	}
}

// printResults prints the rows of one size of memory.
func printResults(notes, sessions int, servers []results) {
	for _, m := range measures {
		fmt.Printf("| %s | %d |", m.what, notes)
		for _, r := range servers {
			fmt.Printf(" %s |", r.of(m.what).cell(sessions))
		}
		fmt.Println()
	}
}

// cell is the median, and how many sessions have the number if not all do.
func (r *result) cell(sessions int) string {
	if len(r.values) == 0 {
		return cmp.Or(r.instead, "not reached") // as an earlier one failed
	}
	number := fmt.Sprintf("%.1f", median(r.values, func(v float64) float64 { return v }))
	if len(r.values) == sessions {
		return number
	}
	return fmt.Sprintf("%s (%d of %d)", number, len(r.values), sessions)
}
