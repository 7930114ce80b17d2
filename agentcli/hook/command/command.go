// Package command is the command line of memhook, as far as people type it:
// install, uninstall, status. The hooks themselves go past it, so that a
// commit does not pay for it.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/memls/memls/agentcli/hook"
)

const usage = `memhook validates agent memory repositories when git commits.

Usage:
  memhook install [DIR] [--policy root-marker|legacy-only|shared-memory] [--chain|--force]
  memhook uninstall [DIR]
  memhook status [DIR] [--format text|json]
  memhook pre-commit    run by git: judge the index that is about to be committed
  memhook pre-receive   run by git on a server: judge every commit of a push
  memhook version

Flags:
  --policy POLICY  layout policy to write (default: the one there is, else
                   root-marker where a root MEMORY.md is, else legacy-only)
  --chain          keep a hook of somebody else: it runs first
  --force          replace a hook of somebody else, keeping a backup
  --binary PATH    the memhook that the hook is to run (default: this one)
  --format FORMAT  text (the default) or json
  --version        print the version
  --help           print this text

Exit codes: 0 done or accepted, 1 refused, 2 wrong usage or not possible.

Examples:
  memhook install                      validate every commit of this repository
  memhook install --chain ~/memory     and keep the hook that is there
  memhook status --format json         is it installed, and does it work?
`

// IO is where the commands write.
type IO struct{ Out, Err io.Writer }

const (
	exitOK     = 0
	exitFailed = 2
)

type options struct {
	install hook.InstallOptions
	format  string
	version bool
}

// Run runs one command and returns the exit code.
func Run(ctx context.Context, args []string, out IO, version string) int {
	opts, names, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp) || err == nil && len(names) > 0 && names[0] == "help":
		fmt.Fprint(out.Out, usage)
		return exitOK
	case err != nil:
		return wrongUsage(out, err)
	case opts.version, len(names) == 1 && names[0] == "version":
		fmt.Fprintf(out.Out, "memhook %s\n", version)
		return exitOK
	case len(names) == 0:
		return wrongUsage(out, errors.New("no command given"))
	case len(names) > 2:
		return wrongUsage(out, fmt.Errorf("unexpected argument %q", names[2]))
	}
	run, ok := commands[names[0]]
	if !ok {
		return wrongUsage(out, fmt.Errorf("unknown command %q", names[0]))
	}
	if len(names) == 2 {
		opts.install.Dir = names[1]
	}
	result, text, err := run(ctx, opts)
	if err != nil {
		fmt.Fprintf(out.Err, "memhook: %v\n", err)
		return exitFailed
	}
	if opts.format == "json" {
		e := json.NewEncoder(out.Out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		_ = e.Encode(result)
		return exitOK
	}
	fmt.Fprint(out.Out, text)
	return exitOK
}

// parse takes flags before, between and after the other arguments.
func parse(args []string) (*options, []string, error) {
	var o options
	flags := flag.NewFlagSet("memhook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.install.Policy, "policy", "", "")
	flags.StringVar(&o.install.Binary, "binary", "", "")
	flags.BoolVar(&o.install.Chain, "chain", false, "")
	flags.BoolVar(&o.install.Force, "force", false, "")
	flags.StringVar(&o.format, "format", "text", "")
	flags.BoolVar(&o.version, "version", false, "")
	var names []string
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, nil, err
		}
		if args = flags.Args(); len(args) > 0 {
			names, args = append(names, args[0]), args[1:]
		}
	}
	if o.format != "text" && o.format != "json" {
		return nil, nil, fmt.Errorf("unknown format %q: use text or json", o.format)
	}
	return &o, names, nil
}

func wrongUsage(out IO, err error) int {
	fmt.Fprintf(out.Err, "memhook: %v\nRun memhook --help for usage.\n", err)
	return exitFailed
}

var commands = map[string]func(context.Context, *options) (result any, text string, err error){
	"install": func(ctx context.Context, o *options) (any, string, error) {
		if o.install.Binary == "" {
			// Under whatever name: a download has the platform in it.
			exe, err := os.Executable()
			if err != nil {
				return nil, "", fmt.Errorf("cannot tell where memhook is: %w; name it with --binary", err)
			}
			o.install.Binary = exe
		}
		r, err := hook.Install(ctx, o.install)
		if err != nil {
			return nil, "", err
		}
		return r, InstallText(r), nil
	},
	"uninstall": func(ctx context.Context, o *options) (any, string, error) {
		r, err := hook.Uninstall(ctx, o.install.Dir)
		if err != nil {
			return nil, "", err
		}
		return r, UninstallText(r), nil
	},
	"status": func(ctx context.Context, o *options) (any, string, error) {
		s, err := hook.ReadStatus(ctx, o.install.Dir)
		if err != nil {
			return nil, "", err
		}
		return s, StatusText(s), nil
	},
}

// InstallText says what an installation did.
func InstallText(r *hook.Result) string {
	return resultText(r, "installed", "already installed; nothing changed")
}

// UninstallText says what an uninstallation did.
func UninstallText(r *hook.Result) string { return resultText(r, "removed", "nothing to remove") }

func resultText(r *hook.Result, done, nothing string) string {
	var b strings.Builder
	if len(r.Changed) == 0 {
		fmt.Fprintf(&b, "Hooks in %s: %s\n", r.HooksDir, nothing)
	} else {
		fmt.Fprintf(&b, "Hooks in %s: %s (policy %s)\n", r.HooksDir, done, r.Policy)
	}
	for _, path := range r.Changed {
		fmt.Fprintf(&b, "  changed  %s\n", path)
	}
	for _, path := range r.Chained {
		fmt.Fprintf(&b, "  chained  %s (runs first)\n", path)
	}
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "  note: %s\n", m)
	}
	return b.String()
}

// StatusText is the state of the hooks for a person.
func StatusText(s *hook.Status) string {
	var b strings.Builder
	state := "not installed"
	if s.Installed {
		state = "installed"
	}
	fmt.Fprintf(&b, "Memory validation: %s\n", state)
	fmt.Fprintf(&b, "  hooks   %s\n", s.HooksDir)
	fmt.Fprintf(&b, "  policy  %s (from %s)\n", s.Policy, map[string]string{"file": "the policy file", "marker": "the files that are there"}[s.PolicySource])
	for _, h := range s.Hooks {
		fmt.Fprintf(&b, "  %-17s %s", h.Name, h.State)
		if h.Binary != "" {
			fmt.Fprintf(&b, ", runs %s", h.Binary)
		}
		if h.Chained != "" {
			fmt.Fprintf(&b, ", after %s", h.Chained)
		}
		b.WriteByte('\n')
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "  problem: %s\n", p)
	}
	return b.String()
}
