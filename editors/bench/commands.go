package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memls/memls/editors/example"
)

// measureCommands prints the rows of the hook and of agentcli. The objects are
// loose at first, as commits leave them, and then packed, as git's own upkeep
// does.
func measureCommands(ctx context.Context, o options, repo *example.Repo, notes int) error {
	listing, err := repo.Run(ctx, "git", "ls-files", "-s")
	if err != nil {
		return err
	}
	var blobs strings.Builder
	for line := range strings.Lines(listing) {
		fmt.Fprintln(&blobs, strings.Fields(line)[1])
	}
	list := filepath.Join(repo.Dir, ".git", "bench-blobs")
	if err := os.WriteFile(list, []byte(blobs.String()), 0o644); err != nil {
		return err
	}
	var (
		hook     = command{argv: []string{filepath.Join(o.bin, "memhook"), "pre-commit"}}
		cold     = command{argv: hook.argv, before: func() error { return os.RemoveAll(filepath.Join(repo.Dir, ".git", "memls")) }}
		check    = command{argv: []string{filepath.Join(o.bin, "agentcli"), "check"}}
		readAll  = shell("git ls-files -s >/dev/null && git cat-file --batch <.git/bench-blobs >/dev/null")
		listAll  = command{argv: []string{"git", "ls-files", "-s"}}
		readTree = shell("git ls-files -z | xargs -0 cat | wc >/dev/null")
	)
	comparisons := []struct {
		what    string
		ours    command
		against string
		theirs  command
		pack    bool // before
	}{
		{"hook, no cache, loose objects", cold, "read the same blobs¹", readAll, false},
		{"hook, no cache, packed", cold, "read the same blobs¹", readAll, true},
		{"hook, with its cache", hook, "`git ls-files -s`", listAll, false},
		{"`agentcli check`", check, "read the same files²", readTree, false},
	}
	if o.reference != "" && notes < o.large {
		comparisons = append(comparisons, comparisons[2])
		last := &comparisons[len(comparisons)-1]
		last.against, last.theirs = filepath.Base(o.reference), command{argv: []string{o.reference}}
	}
	for _, c := range comparisons {
		if c.pack {
			if _, err := repo.Run(ctx, "git", "repack", "-adq"); err != nil {
				return err
			}
		}
		ours, theirs, err := compare(ctx, repo, o.rounds, c.ours, c.theirs)
		if err != nil {
			return err
		}
		fmt.Println(row{c.what, notes, c.against, ours, theirs})
	}
	return nil
}
