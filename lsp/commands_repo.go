package lsp

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/lsp/jsonrpc"
	"github.com/memls/memls/rules"
)

// The commands about a repository. Their argument names any file or directory
// of it, open or not; without one it is the only repository that is known.
const (
	commandCompilePrompt = "memls.compilePrompt"
	commandTree          = "memls.tree"
	commandInstallHook   = "memls.installHook"
	commandFixMemory     = "memls.fixMemory"
)

// What [commandCompilePrompt] compiles.
const (
	atHead     = "head"
	atWorktree = "worktree"
)

var repoCommands = map[string]command{
	commandCheckStaged:   (*Server).checkStaged,
	commandCompilePrompt: (*Server).compilePrompt,
	commandCreateIndexes: (*Server).createIndexes,
	commandDemote:        (*Server).demote,
	commandFixMemory:     (*Server).fixMemory,
	commandInstallHook:   (*Server).installHook,
	commandMove:          (*Server).move,
	commandPromote:       (*Server).promote,
	commandTree:          (*Server).memoryTree,
}

// CommandNames are the commands that the server runs for executeCommand, sorted.
func CommandNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(commands)), maps.Keys(repoCommands))
	slices.Sort(names)
	return slices.Compact(names)
}

// repoSubject finds the repository that a command is about: a subject without
// a document.
func (s *Server) repoSubject(ctx context.Context, snap snapshot, args []commandArg) (*subject, error) {
	session := s.engine.flush()
	placing := session.place(ctx, snap.documents)
	var r *repo
	if len(args) > 0 && args[0].URI != "" {
		path, k := identify(args[0].URI)
		if path != "" {
			if r = session.repoAround(ctx, string(k)); r == nil {
				r = session.repoAround(ctx, filepath.Dir(string(k)))
			}
		}
	} else {
		if err := s.addFolders(ctx, session, placing, true); err != nil {
			return nil, err
		}
		for known := range placing.repos {
			switch {
			case !placing.memory[known]:
			case r != nil:
				return nil, jsonrpc.RequestFailed("several memory repositories are open: the command needs the URI of a file in one")
			default:
				r = known
			}
		}
	}
	if r == nil || !placing.memory[r] && !r.isMemory(placing.repos[r]) {
		if len(args) > 0 {
			return nil, jsonrpc.RequestFailed("%s is not in a memory repository", args[0].URI)
		}
		return nil, jsonrpc.RequestFailed("no memory repository is open: the command needs the URI of a file in one")
	}
	j, err := r.judge(ctx, placing.repos[r], !s.watches())
	if err != nil {
		return nil, err
	}
	return &subject{place: place{repo: r}, judging: j}, nil
}

// promptReport is the answer of [commandCompilePrompt]. Parts say by byte
// offsets what comes from where, as in `agentcli compile --format json`.
type promptReport struct {
	Root     string          `json:"root"`
	Prompt   string          `json:"prompt"`
	Tokens   int             `json:"tokens"` // an estimate
	Parts    []promptPart    `json:"parts"`
	Warnings []promptWarning `json:"warnings"`
}

type promptPart struct {
	Kind       compile.PartKind `json:"kind"`
	Path       string           `json:"path,omitempty"`
	Offset     int              `json:"offset"`
	Bytes      int              `json:"bytes"`
	Characters int              `json:"characters"`
	Tokens     int              `json:"tokens"`
}

type promptWarning struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// compilePrompt compiles the last commit into the prompt that an agent gets:
// what is saved or staged only is not in it. Asked for the working tree, it
// compiles what the prompt would be if all of that were committed now.
func (s *Server) compilePrompt(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	view := sub.judging.view
	from := view.Head
	switch {
	case arg.At == atWorktree:
		from = view.Tree
	case arg.At != "" && arg.At != atHead:
		return nil, jsonrpc.RequestFailed("cannot compile %q: want %s or %s", arg.At, atHead, atWorktree)
	case from == nil:
		return nil, jsonrpc.RequestFailed("%s has no commit yet: the prompt is made of what is committed", rules.Display(sub.repo.git.Top))
	}
	layout := compile.V1
	if rules.NewView(rules.Snapshot{Tree: from, Head: view.Head, Policy: sub.judging.settings.policyFor(sub.judging.state, from)}).V2 {
		layout = compile.V2
	}
	prompt, err := compile.Compile(ctx, from, compile.Options{Layout: layout, Skills: true})
	if err != nil {
		return nil, err
	}
	report := promptReport{Root: sub.repo.git.Top, Prompt: prompt.Text, Tokens: prompt.Tokens(), Parts: []promptPart{}, Warnings: []promptWarning{}}
	for _, p := range prompt.Parts {
		report.Parts = append(report.Parts, promptPart{p.Kind, p.Path, p.Offset, p.Bytes, p.Characters, p.Tokens()})
	}
	for _, w := range prompt.Warnings {
		report.Warnings = append(report.Warnings, promptWarning{w.Path, w.Message})
	}
	if arg.Show {
		return report, s.showPrompt(ctx, sub.repo, prompt.Text)
	}
	return report, nil
}

// HookOptions are what a person chose for the commit hook.
type HookOptions struct {
	Policy string // "" keeps the one there is
	// Binary is the path of memhook, "" for the one beside the server.
	Binary string
	// Chain keeps a hook of somebody else, Force replaces it with a backup.
	Chain, Force bool
}

// A HookInstaller installs the commit hook into the repository at dir. report
// says in words what it did. The error is for a person, too.
type HookInstaller func(ctx context.Context, dir string, opt HookOptions) (report string, err error)

// InstallHookWith gives the server what the command memls.installHook runs: this package
// does not know the hook.
func (s *Server) InstallHookWith(install HookInstaller) { s.hookInstaller = install }

func (s *Server) installHook(ctx context.Context, sub *subject, arg commandArg) (any, error) {
	if s.hookInstaller == nil {
		return nil, jsonrpc.RequestFailed("this server cannot install the hook: run memhook install")
	}
	settings := s.settings.Load()
	report, err := s.hookInstaller(ctx, sub.repo.git.Top, HookOptions{
		Policy: arg.Policy, Binary: settings.memhook, Chain: arg.Chain, Force: arg.Force,
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, jsonrpc.RequestFailed("%v", err)
	}
	s.showMessage(protocol.MessageTypeInfo, report)
	// The hook comes with a policy, which decides what is found.
	s.engine.changed(changes{files: []string{filepath.Join(sub.repo.git.CommonDir, "hooks")}})
	return map[string]string{"report": report}, nil
}
