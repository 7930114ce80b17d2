// Command memls is the language server for agent memory repositories.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/memls/memls/agentcli/hook"
	"github.com/memls/memls/agentcli/hook/command"
	"github.com/memls/memls/lsp"
)

const usage = `memls is the language server for agent memory repositories.
An editor starts it and talks to it on standard input and output (LSP 3.17).

Usage:
  memls [--stdio] [--log FILE] [--log-level LEVEL]
  memls version

Flags:
  --stdio            talk on standard input and output (the default)
  --log FILE         append the log to FILE instead of writing it to standard error
  --log-level LEVEL  debug, info (the default), warn or error
  --version          print the version
  --help             print this text

Examples:
  memls                                         start the server
  memls --log /tmp/memls.log --log-level debug  start it and log every failed request
`

// version is set by release builds: -ldflags "-X main.version=v1.2.3".
var version string

func main() {
	// A write to a broken pipe shall fail and end the server in order, not by
	// the signal. Ignoring the signal would pass on to child processes.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	out := os.Stdout
	os.Stdout = os.Stderr // a stray print must not corrupt the protocol
	if os.Getenv("GOGC") == "" {
		limitGarbage()
	}
	os.Exit(run(os.Args[1:], os.Stdin, out, os.Stderr))
}

func run(args []string, in io.ReadCloser, out, errs io.Writer) (exitCode int) {
	flags := flag.NewFlagSet("memls", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Bool("stdio", true, "")
	logFile := flags.String("log", "", "")
	var level slog.Level
	flags.TextVar(&level, "log-level", slog.LevelInfo, "")
	showVersion := flags.Bool("version", false, "")

	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, usage)
		return 0
	case err != nil:
		return fail(errs, err)
	case *showVersion && flags.NArg() == 0, flags.NArg() == 1 && flags.Arg(0) == "version":
		fmt.Fprintf(out, "memls %s (%s %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return 0
	case flags.NArg() > 0:
		return fail(errs, fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}

	log := errs
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fail(errs, fmt.Errorf("cannot write the log: %w", err))
		}
		log = f
	}
	handler := slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})
	server := lsp.NewServer(buildVersion(), slog.New(handler))
	server.InstallHookWith(installHook)
	return server.Serve(context.Background(), in, out)
}

// installHook is what the command memls.installHook runs.
func installHook(ctx context.Context, dir string, opt lsp.HookOptions) (report string, err error) {
	result, err := hook.Install(ctx, hook.InstallOptions{Dir: dir, Policy: opt.Policy, Binary: opt.Binary, Chain: opt.Chain, Force: opt.Force})
	if err != nil {
		return "", err
	}
	return command.InstallText(result), nil
}

func fail(errs io.Writer, err error) int {
	fmt.Fprintf(errs, "memls: %v\nRun memls --help for usage.\n", err)
	return 2
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
