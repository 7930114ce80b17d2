package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
)

// PreReceive judges every commit that a push would bring, each against its
// first parent. Policy and approval are those of the server: nothing is
// trusted from what is pushed but its content.
func PreReceive(ctx context.Context, env Env) int {
	code, err := receive(ctx, env)
	if err != nil {
		fmt.Fprintf(env.Stderr, "Memory validation could not read the repository, so the push is refused: %s\n", oneLine(err))
		return Unchecked
	}
	return code
}

func receive(ctx context.Context, env Env) (int, error) {
	repo, err := gitrepo.OpenHook(ctx)
	if err != nil {
		return Unchecked, err
	}
	defer repo.Close()
	policy, _, err := repo.Policy()
	if err != nil {
		return Unchecked, err
	}
	tips, err := pushedTips(env.Stdin)
	if err != nil || len(tips) == 0 {
		return Accepted, err
	}
	commits, err := repo.NewCommits(ctx, tips)
	if err != nil {
		return Unchecked, err
	}
	code := Accepted
	for _, c := range commits {
		refused, err := judgeCommit(ctx, repo, policy, env, c)
		if err != nil {
			return Unchecked, err
		}
		code = max(code, refused)
	}
	return code, nil
}

// pushedTips reads the "old new ref" lines of the hook's input. A deleted ref
// (new all zeros) brings nothing.
func pushedTips(r io.Reader) ([]string, error) {
	var tips []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("the push has a line that is not \"old new ref\": %q", lines.Text())
		}
		if strings.Trim(fields[1], "0") != "" {
			tips = append(tips, fields[1])
		}
	}
	return tips, lines.Err()
}

func judgeCommit(ctx context.Context, repo *gitrepo.Repo, policy config.Policy, env Env, c gitrepo.NewCommit) (int, error) {
	pushed, _, err := repo.Revision(ctx, c.ID)
	if err != nil {
		return Unchecked, err
	}
	s := rules.Snapshot{Tree: pushed, Policy: policy, ApproveConfig: config.Approved(env.Getenv)}
	if c.Parent != "" {
		if s.Head, _, err = repo.Revision(ctx, c.Parent); err != nil {
			return Unchecked, err
		}
	}
	report, err := judge(ctx, repo, s)
	if err != nil {
		return Unchecked, err
	}
	var b strings.Builder
	code := printRefusal(&b, report.Findings)
	if code != Accepted {
		_, problems, _ := strings.Cut(b.String(), "Fix these problems:\n")
		fmt.Fprintf(env.Stderr, "Memory validation refused commit %s. Nothing was pushed.\nFix these problems in that commit, and push again:\n%s", c.ID, problems)
	}
	return code, nil
}
