package gitrepo

import (
	"strings"
	"testing"
)

func TestState(t *testing.T) {
	for _, c := range []struct {
		want  string
		start func(s sandbox)
	}{
		{"", func(s sandbox) {}},
		{"merge", func(s sandbox) { s.gitFails("merge", "-q", "other") }},
		{"rebase", func(s sandbox) { s.gitFails("rebase", "-q", "other") }},
		{"rebase", func(s sandbox) { s.gitFails("rebase", "-q", "--apply", "other") }},
		{"cherry-pick", func(s sandbox) { s.gitFails("cherry-pick", "other") }},
		{"revert", func(s sandbox) { s.gitFails("revert", "--no-edit", "main~1") }},
	} {
		s := newRepo(t)
		s.commit("a.md", "base\n")
		s.git("checkout", "-q", "-b", "other")
		s.commit("a.md", "theirs\n")
		s.git("checkout", "-q", "main")
		s.commit("a.md", "ours\n")
		s.commit("a.md", "ours again\n")
		s.git("worktree", "add", "-q", "--detach", "wt")
		c.start(s)
		r := s.open()
		state, err := r.State(t.Context())
		// What a stopped rebase leaves beside its own files differs
		// between versions of git.
		if got, _, _ := strings.Cut(state.String(), ", "); err != nil || got != c.want {
			t.Errorf("State = %q, %v; want %q", state, err, c.want)
		}
		if other, err := s.in("wt").open().State(t.Context()); err != nil || other != (State{}) {
			t.Errorf("%s: the other worktree has %q, %v; want nothing in progress", c.want, other, err)
		}
	}
}
