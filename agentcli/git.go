package agentcli

import (
	"context"
	"strconv"
	"strings"
)

// git runs git on the repository and returns what it prints.
func (r *repository) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.Run(ctx, nil, args...)
}

// A gitState is what git status tells of branch and working tree.
type gitState struct {
	Branch   string  `json:"branch"`   // "" when HEAD is detached
	Commit   string  `json:"commit"`   // "" before the first one
	Upstream *string `json:"upstream"` // nil: none is set
	// Ahead and Behind are nil without an upstream, or when it is gone.
	Ahead     *int `json:"ahead"`
	Behind    *int `json:"behind"`
	Staged    int  `json:"staged"`
	Unstaged  int  `json:"unstaged"`
	Untracked int  `json:"untracked"`
	Unmerged  int  `json:"unmerged"`
}

func (r *repository) gitStatus(ctx context.Context) (*gitState, error) {
	out, err := r.git(ctx, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	s := &gitState{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		s.read(record)
	}
	return s, nil
}

// read takes one record of git status --porcelain=v2 (git-status(1)). Without
// renames each is a whole one.
func (s *gitState) read(record string) {
	if header, ok := strings.CutPrefix(record, "# branch."); ok {
		s.readHeader(header)
		return
	}
	switch {
	case strings.HasPrefix(record, "1 ") && len(record) > 4:
		if record[2] != '.' {
			s.Staged++
		}
		if record[3] != '.' {
			s.Unstaged++
		}
	case strings.HasPrefix(record, "u "):
		s.Unmerged++
	case strings.HasPrefix(record, "? "):
		s.Untracked++
	}
}

func (s *gitState) readHeader(header string) {
	key, value, _ := strings.Cut(header, " ")
	switch {
	case key == "oid" && value != "(initial)":
		s.Commit = value
	case key == "head" && value != "(detached)":
		s.Branch = value
	case key == "upstream":
		s.Upstream = &value
	case key == "ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.Ahead, s.Behind = number(ahead), number(behind)
	}
}

// number reads "+2" and "-1" as 2 and 1.
func number(s string) *int {
	n, err := strconv.Atoi(strings.TrimLeft(s, "+-"))
	if err != nil {
		return nil
	}
	return &n
}
