// Package agentcli is the command line for people, agents and CI: one file per
// command, each a thin layer over the shared rules.
//
// Results go to standard output, everything else to standard error. Nothing
// moves, and colours are for terminals only.
package agentcli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

// Exit codes of every command.
const (
	ExitOK       = 0 // done, nothing found
	ExitFindings = 1 // findings of severity error, or a refusal
	ExitFailed   = 2 // wrong usage, or the job could not be done
)

// Env is what the commands get from the process that runs them.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Fault, when set, is called before each step of a command that does all of
	// its work or none, with the step's name: a test stops the program there, or
	// has the step fail with the error. Nil outside of tests.
	Fault func(step string) error
}

// Main runs one command line (without the program's name) and returns the exit
// code. version is what --version prints.
func Main(ctx context.Context, args []string, env Env, version string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.Stderr, "agentcli: internal error: %v\nThis is a bug in agentcli; set MEMLS_DEBUG=1 to see where, and please report it.\n", p)
			if env.Getenv("MEMLS_DEBUG") != "" {
				env.Stderr.Write(debug.Stack())
			}
			code = ExitFailed
		}
	}()
	out := bufio.NewWriter(env.Stdout)
	a := &app{env: env, out: out, version: version, patience: lockPatience}
	root := a.rootCommand()
	root.SetArgs(append([]string{}, args...)) // nil would stand for os.Args
	root.SetIn(env.Stdin)
	root.SetOut(out)
	root.SetErr(env.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if flushErr := out.Flush(); flushErr != nil && (err == nil || errors.Is(err, errFindings)) {
		err = fmt.Errorf("cannot write the output: %w", flushErr)
	}
	return a.finish(ctx, cmd, err)
}

// errFindings ends a command that did its work and found errors.
var errFindings = errors.New("there are findings")

// An app is one run of the program.
type app struct {
	env     Env
	out     *bufio.Writer
	version string

	dir      string        // -C
	started  bool          // the command line was understood
	patience time.Duration // how long to wait for another agentcli that writes
}

// finish says what went wrong and chooses the exit code.
func (a *app) finish(ctx context.Context, cmd *cobra.Command, err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, errFindings):
		return ExitFindings
	case ctx.Err() != nil:
		fmt.Fprintln(a.env.Stderr, "agentcli: interrupted")
		return ExitFailed
	}
	text := strings.TrimSpace(err.Error())
	fmt.Fprintf(a.env.Stderr, "agentcli: %s\n", printableLines(text))
	if !a.started {
		fmt.Fprintf(a.env.Stderr, "Run %s --help for usage.\n", cmd.CommandPath())
	}
	return ExitFailed
}

// printableLines keeps line breaks and tabs, which messages of git have, and
// no other control character.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = rules.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// note tells people something about a run whose output may be read by a
// program.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.env.Stderr, "agentcli: "+format+"\n", args...)
}

const rootHelp = `agentcli looks after an agent's memory: a git repository of Markdown files.

Which repository: -C DIR, else $MEMORY_DIR, else the one around the working directory.
Exit codes: 0 done, nothing found; 1 errors were found; 2 wrong usage, or not possible.`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentcli",
		Short: "Look after an agent's memory repository",
		Long:  rootHelp,
		Example: `  agentcli check                judge the working tree
  agentcli fix --dry-run        see what can be mended without asking
  agentcli -C ~/memory status   one screen about another repository`,
		Args:          cobra.NoArgs,
		Version:       a.version,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.started = true
		},
		RunE: needsCommand,
	}
	root.PersistentFlags().StringVarP(&a.dir, "directory", "C", "", "use the repository around `DIR`")
	root.SetVersionTemplate(a.versionText())
	root.SetHelpCommand(a.helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		a.initCommand(),
		a.checkCommand(), a.fixCommand(), a.rulesCommand(), a.explainCommand(),
		a.compileCommand(), a.tokensCommand(), a.skillsCommand(), a.showCommand(), a.logCommand(), a.diffCommand(),
		a.mvCommand(), a.promoteCommand(), a.demoteCommand(), a.commitCommand(), a.backupCommand(), a.restoreCommand(), a.exportCommand(),
		a.turnCommand(), a.chatCommand(), a.mcpCommand(), a.remindCommand(),
		a.treeCommand(), a.pathCommand(), a.statusCommand(), a.hookCommand(),
		a.completionCommand(), a.versionCommand(),
	)
	return root
}

// needsCommand is for commands that only group others.
func needsCommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("%s needs a command: %s; see %s --help", cmd.CommandPath(), strings.Join(names, ", "), cmd.CommandPath())
}

// helpCommand is cobra's, but fails for a command that does not exist.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no such command: %s; see agentcli --help", strings.Join(args, " "))
			}
			return found.Help()
		},
	}
}

func (a *app) versionText() string {
	return fmt.Sprintf("agentcli %s (%s %s/%s)\n", a.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  agentcli version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, a.versionText())
			return err
		},
	}
}
