package hook

import (
	"context"
	"path/filepath"
)

// A Status says how the hooks of a repository stand. All paths are absolute.
type Status struct {
	// Installed: both hooks are ours, git will run them, and their binary is
	// there.
	Installed bool `json:"installed"`
	// HooksDir is the folder in which git looks for hooks.
	HooksDir string `json:"hooksDir"`
	// HooksPath is core.hooksPath as configured and HooksPathScope the level
	// that sets it (system, global, local, worktree, command); "" when unset.
	HooksPath      string `json:"hooksPath"`
	HooksPathScope string `json:"hooksPathScope"`
	// Shared: the folder lies outside the repository.
	Shared bool `json:"shared"`
	// Tracked: the folder is part of what the repository commits.
	Tracked bool `json:"tracked"`
	// Policy is the one in force; PolicySource is "file", or "marker" when
	// there is none and the presence of a root MEMORY.md decides.
	Policy       string `json:"policy"`
	PolicySource string `json:"policySource"`
	PolicyFile   string `json:"policyFile"`
	// Hooks holds one entry per hook that Install writes, pre-commit first.
	Hooks []HookStatus `json:"hooks"`
	// Problems says what is wrong and what to do, one sentence each.
	Problems []string `json:"problems"`
}

// A HookStatus says how one hook stands.
type HookStatus struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	State State  `json:"state"`
	// Executable: git will run it.
	Executable bool `json:"executable"`
	// Binary is the program that a hook of ours starts, "" for other hooks;
	// BinaryOK says whether it exists and can be executed.
	Binary   string `json:"binary"`
	BinaryOK bool   `json:"binaryOK"`
	// Chained is the hook that ours runs first, "" if there is none.
	Chained string `json:"chained"`
	// Backups lists the hooks kept aside, oldest first.
	Backups []string `json:"backups"`
}

// ReadStatus reads the state of the hooks and changes nothing.
func ReadStatus(ctx context.Context, dir string) (*Status, error) {
	r, err := locate(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &Status{
		Installed: true, HooksDir: r.hooksDir, HooksPath: r.hooksPath, HooksPathScope: r.scope,
		Shared: r.outside(), PolicyFile: r.policyFile(), Problems: []string{},
	}
	if rel, ok := r.inWorkTree(); ok {
		s.Tracked = r.tracked(ctx, rel)
	}
	for _, name := range hookNames {
		h, err := inspect(r.hooksDir, name)
		if err != nil {
			return nil, err
		}
		s.add(h)
	}
	return s, s.readPolicy(ctx, r)
}

func (s *Status) add(h *hookFile) {
	hs := HookStatus{Name: h.name, Path: h.path, State: h.state, Executable: h.current != nil && h.current.runs(), Backups: []string{}}
	if h.state == Ours {
		hs.Binary = filepath.FromSlash(scriptBinary(h.current.content))
		hs.BinaryOK = runnable(hs.Binary)
		if h.chained != nil {
			hs.Chained = h.chained.path
		}
	}
	for _, b := range h.backups {
		hs.Backups = append(hs.Backups, b.path)
	}
	s.Hooks = append(s.Hooks, hs)
	if problem := hs.problem(); problem != "" {
		s.Installed = false
		s.Problems = append(s.Problems, problem)
	}
}

func (h *HookStatus) problem() string {
	switch {
	case h.State == Absent:
		return h.Name + " is not installed: run memhook install"
	case h.State == Letta:
		return h.Path + ": is Letta Code's own hook: run memhook install to replace it (a backup is kept)"
	case h.State == Foreign:
		return h.Path + ": is another tool's hook: run memhook install --chain to run both"
	case !h.Executable:
		return h.Path + ": is not executable, so git ignores it: run memhook install"
	case !h.BinaryOK:
		return printable(h.Binary) + ": is missing or not executable, so every commit is refused: run memhook install"
	}
	return ""
}

func (s *Status) readPolicy(ctx context.Context, r *repo) error {
	word, err := r.readPolicy()
	if err != nil {
		return err
	}
	if word != "" {
		s.Policy, s.PolicySource = effectivePolicy(word), "file"
		if s.Policy != word {
			s.Problems = append(s.Problems, unknownPolicyMessage(r.policyFile(), word))
		}
		return nil
	}
	s.PolicySource = "marker"
	if s.Policy, err = r.defaultPolicy(ctx); err != nil {
		return err
	}
	if s.Policy != PolicyLegacyOnly && s.Hooks[0].State != Absent {
		s.Problems = append(s.Problems, r.policyFile()+": is missing, so hooks judge the repository as "+PolicyLegacyOnly+": run memhook install")
	}
	return nil
}
