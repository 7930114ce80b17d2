// Command agentcli looks after an agent's memory repository: for people,
// agents and CI.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/memls/memls/agentcli"
	"github.com/memls/memls/cmd/internal/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), append(agentcli.Endings(), os.Interrupt)...)
	defer stop()
	env := agentcli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
	os.Exit(agentcli.Main(ctx, os.Args[1:], env, build.Version()))
}
