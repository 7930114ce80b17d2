// Command memhook is the git hook of memory repositories.
package main

import (
	"context"
	"os"

	"github.com/memls/memls/agentcli/gate"
	"github.com/memls/memls/agentcli/hook/command"
	"github.com/memls/memls/cmd/internal/build"
)

func main() {
	ctx := context.Background()
	env := gate.Env{Stdin: os.Stdin, Stderr: os.Stderr, Getenv: os.Getenv}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "pre-commit":
			os.Exit(gate.PreCommit(ctx, env))
		case "pre-receive":
			os.Exit(gate.PreReceive(ctx, env))
		}
	}
	os.Exit(command.Run(ctx, os.Args[1:], command.IO{Out: os.Stdout, Err: os.Stderr}, build.Version()))
}
