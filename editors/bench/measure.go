package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/memls/memls/editors/example"
)

// A cost is what one run took. CPU is user and system time, of the program
// and of the children that it waited for: on a busy machine it says more than
// the wall clock.
type cost struct{ wall, cpu time.Duration }

// A command is one side of a comparison.
type command struct {
	argv   []string
	before func() error // not measured; may be nil
}

func shell(script string) command { return command{argv: []string{"sh", "-c", script}} }

func (c command) run(ctx context.Context, repo *example.Repo) (cost, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return cost{}, err
		}
	}
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = repo.Dir, repo.Environ()
	var out bytes.Buffer
	cmd.Stderr = &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", cmd, err, out.Bytes())
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// compare runs two commands in turn, so that a busy moment hits both, and
// returns the medians. The first round only warms the machine's caches.
func compare(ctx context.Context, repo *example.Repo, rounds int, ours, theirs command) (a, b cost, err error) {
	var as, bs []cost
	for round := range rounds + 1 {
		one, err := ours.run(ctx, repo)
		if err != nil {
			return a, b, err
		}
		other, err := theirs.run(ctx, repo)
		if err != nil {
			return a, b, err
		}
		if round > 0 {
			as, bs = append(as, one), append(bs, other)
		}
	}
	return medians(as), medians(bs), nil
}

func medians(costs []cost) cost {
	return cost{
		median(costs, func(c cost) time.Duration { return c.wall }),
		median(costs, func(c cost) time.Duration { return c.cpu }),
	}
}

func median[T any, V cmp.Ordered](items []T, value func(T) V) V {
	values := make([]V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// A row is one line of the table.
type row struct {
	what    string
	notes   int
	against string
	a, b    cost
}

func (r row) String() string {
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | **%s** | **%s** |", r.what, r.notes, ms(r.a.wall), ms(r.a.cpu),
		r.against, ms(r.b.wall), ms(r.b.cpu), ratio(r.a.wall, r.b.wall), ratio(r.a.cpu, r.b.cpu))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

func ratio(a, b time.Duration) string {
	if b <= 0 {
		return "–" // below what the clock tells apart
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
