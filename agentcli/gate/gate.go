// Package gate decides whether git may take a commit: for the hook that a
// person's git runs before it (PreCommit), and for the one that a server's git
// runs before it accepts a push (PreReceive).
//
// It fails closed: what cannot be read cannot be judged, and is refused. The
// package is linked into memhook, which git starts at every commit; it imports
// nothing that costs at start-up.
package gate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/tree"
)

// Exit codes of both hooks. Every code but Accepted makes git refuse.
const (
	Accepted  = 0
	Refused   = 1
	Unchecked = 2 // the repository could not be read
)

// An Env is what a hook gets from the process that runs it.
type Env struct {
	Stdin  io.Reader
	Stderr io.Writer
	Getenv func(string) string
}

// PreCommit judges the index that git is about to commit. It touches neither
// index nor working tree nor refs; facts of blobs are remembered below the git
// directory, as far as that works.
func PreCommit(ctx context.Context, env Env) int {
	report, err := judgeStaged(ctx, env)
	if err != nil {
		fmt.Fprintf(env.Stderr, "Memory validation could not read the repository, so nothing was committed: %s\n", oneLine(err))
		return Unchecked
	}
	return printRefusal(env.Stderr, report.Findings)
}

// oneLine is an error for a person, on one line and harmless to a terminal.
func oneLine(err error) string {
	return rules.Printable(strings.Join(strings.Fields(err.Error()), " "))
}

func judgeStaged(ctx context.Context, env Env) (*rules.Report, error) {
	repo, err := gitrepo.OpenHook(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	policy, _, err := repo.Policy()
	if err != nil {
		return nil, err
	}
	staged, err := repo.Staged(ctx)
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	return judge(ctx, repo, rules.Snapshot{
		Tree: staged, Head: head, Policy: policy, ApproveConfig: config.Approved(env.Getenv),
	})
}

// judge runs the refusals over a tree of the object database.
func judge(ctx context.Context, repo *gitrepo.Repo, s rules.Snapshot) (*rules.Report, error) {
	cache := gitrepo.OpenCache(repo.CommonDir, repo.OIDSize, rules.CacheVersion)
	s.Load = func(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
		return repo.EachFile(ctx, files, each)
	}
	report, err := rules.NewView(s).Judge(ctx, rules.Options{RefusalsOnly: true, Cache: cache})
	if err != nil {
		return nil, err
	}
	// A cache that cannot be written costs time at the next commit, no more.
	_ = cache.Save()
	return report, nil
}

// printRefusal prints the errors among the findings, if any.
func printRefusal(w io.Writer, findings []rules.Finding) int {
	var b strings.Builder
	printed := 0
	for i := range findings {
		f := &findings[i]
		if f.Severity != rules.Error {
			continue
		}
		fmt.Fprintf(&b, "  %s\n", rules.Printable(f.Line))
		if help := advice(f); help != "" {
			fmt.Fprintf(&b, "      %s\n", rules.Printable(help))
		}
		printed++
	}
	if printed == 0 {
		return Accepted
	}
	io.WriteString(w, refusalHeader+b.String())
	return Refused
}

const refusalHeader = `Memory validation blocked this commit.
No files were committed. Your staged changes are still present.
Validation checks the complete repository, so these problems may predate your staged changes.

Fix these problems:
`

// advice is what to do about a finding, and whether the commit has to do with
// it at all.
func advice(f *rules.Finding) string {
	help := f.Help
	if path, ok := shellWord(f.Path); ok && hasFix(f) {
		help += ", or run: agentcli fix " + path
	}
	if f.Path != "" && !f.Touched {
		help += " (this commit does not change the file)"
	}
	return help
}

// shellWord writes a path so that it can be pasted into a shell; one with
// control characters or invalid UTF-8 cannot be in a way that all shells take.
func shellWord(path string) (string, bool) {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-", r)
	}
	switch {
	case path == "" || rules.Printable(path) != path:
		return "", false
	case strings.HasPrefix(path, "-"):
		path = "./" + path
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path, true
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'", true
}

// hasFix reports whether there is something for `agentcli fix` to try.
func hasFix(f *rules.Finding) bool {
	fixes := f.Fixes
	if f.Group != nil {
		fixes = append(fixes[:len(fixes):len(fixes)], f.Group.Fixes...)
	}
	for _, fix := range fixes {
		if !fix.NeedsReview() {
			return true
		}
	}
	return false
}
