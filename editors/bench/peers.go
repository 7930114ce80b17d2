package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memls/memls/editors/example"
)

// hubLinks is how many links a renamed note has in every compared memory.
const hubLinks = 500

// What npm installs. The parser is what Visual Studio Code parses with for
// its server.
const (
	rumdlVersion  = "0.2.75"
	vscodeVersion = "0.5.0"
	parserVersion = "14.1.0"
)

// A peer is a language server to compare.
type peer struct {
	name     string
	argv     func(o options) ([]string, error)
	settings string // sent with workspace/didChangeConfiguration; may be ""
	// answers are for requests that only this server has; may be nil
	answers func(ctx context.Context, modules, dir string) (map[string]answer, error)
	// rename asks what changes with the rename of a file; "" is the method of
	// the protocol
	rename string
}

var peers = []peer{
	{name: "memls", argv: func(o options) ([]string, error) { return []string{filepath.Join(o.bin, "memls")}, nil }},
	{name: "rumdl " + rumdlVersion, argv: rumdl},
	{
		name: "vscode-markdown-languageserver " + vscodeVersion,
		argv: func(o options) ([]string, error) {
			return []string{"node", filepath.Join(o.modules, "node_modules", "vscode-markdown-languageserver", "dist", "node", "workerMain.js"), "--stdio"}, nil
		},
		settings: vscodeSettings,
		answers:  vscodeAnswers,
		rename:   "markdown/getEditForFileRenames",
	},
}

// rumdl is the binary for this system, which npm has chosen: the package's
// script would only start it.
func rumdl(o options) ([]string, error) {
	pattern := filepath.Join(o.modules, "node_modules", "@rumdl", "cli-*", "rumdl*")
	found, err := filepath.Glob(pattern)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no %s: npm installed no rumdl for this system", pattern)
	}
	if err != nil {
		return nil, err
	}
	return []string{found[0], "server"}, nil
}

// install has npm install the peers in a directory.
func install(ctx context.Context, modules string) error {
	if err := os.MkdirAll(modules, 0o755); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", modules, "--no-save", "--no-package-lock", "--no-audit", "--no-fund",
		"--prefer-offline", "rumdl@"+rumdlVersion, "vscode-markdown-languageserver@"+vscodeVersion, "markdown-it@"+parserVersion)
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install in %s: %w\n%s", modules, err, out)
	}
	return nil
}

// comparePeers prints a table with a row for every measure and size of memory,
// and a column for every server. The servers take turns, a whole session each,
// so that a busy moment hits all. One that fails does not stop the others.
func comparePeers(ctx context.Context, o options, temp string) error {
	if err := install(ctx, o.modules); err != nil {
		log.Print(err) // which the table says of each server, too
	}
	fmt.Print("| what | notes |")
	for _, p := range peers {
		fmt.Printf(" %s |", p.name)
	}
	fmt.Printf("\n|---|---|%s\n", strings.Repeat("---|", len(peers)))
	var failures []string
	for _, n := range []int{fewNotes, o.small, o.large} {
		repo, err := generate(ctx, filepath.Join(temp, fmt.Sprint(n)), n, hubLinks)
		if err != nil {
			return err
		}
		servers := make([]results, len(peers))
		for i := range servers {
			servers[i] = results{}
		}
		for round := range o.rounds {
			for i, p := range peers {
				log.Printf("%d notes, round %d of %d: %s", n, round+1, o.rounds, p.name)
				if err := measurePeer(ctx, o, p, repo, servers[i]); err != nil {
					failures = append(failures, fmt.Sprintf("%s, %d notes: %v", p.name, n, err))
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
		printResults(n, o.rounds, servers)
	}
	fmt.Printf("\nMedians, in ms: of %d sessions, and in each of %d requests that follow a keystroke. — is not offered; (k of n): no more sessions have a number.\n\n", o.rounds, o.keys)
	for _, f := range failures {
		fmt.Printf("- %s\n", strings.ReplaceAll(f, "\n", "; "))
	}
	return nil
}

// measurePeer adds one session with a server to the results. The error says
// all that failed.
func measurePeer(ctx context.Context, o options, p peer, repo *example.Repo, r results) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &peerSession{peer: p, options: o, repo: repo, note: repo.Path(notePath(fewNotes / 2)), version: 1}
	var err error
	if s.argv, err = p.argv(o); err == nil && p.answers != nil {
		s.answers, err = p.answers(ctx, o.modules, repo.Dir)
	}
	if err != nil {
		r.fail(measures[0].what, err)
		return err
	}
	defer s.end()
	var failed error
	for _, m := range measures {
		err := s.measure(ctx, m, r)
		if err == nil {
			continue
		}
		r.fail(m.what, err)
		if errors.Is(err, errNotOffered) {
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", m.what, err))
		if !errors.Is(err, errIncomplete) {
			break // what it did not answer keeps it busy
		}
	}
	return failed
}
