// Command bench measures what people wait for, on generated memories: the
// hook, the check and the editor. Every time is set against something that
// must be done anyway, measured in turn with it, and printed as a ratio, which
// says the same on a slow machine as on a fast one.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/memls/memls/editors/example"
)

// options are the flags.
type options struct {
	bin       string // directory of the binaries, absolute
	rounds    int
	keys      int
	small     int // files
	large     int
	reference string // a pre-commit script, absolute; may be ""
	peers     bool   // compare language servers instead
	modules   string // directory of the other servers
	patience  time.Duration
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "`directory` of memls, memhook and agentcli")
	flag.IntVar(&o.rounds, "rounds", 21, "runs of each command; the median counts")
	flag.IntVar(&o.keys, "keys", 200, "keystrokes in each memory")
	flag.IntVar(&o.small, "small", 1000, "notes of the small memory")
	flag.IntVar(&o.large, "large", 10000, "notes of the large memory")
	flag.StringVar(&o.reference, "reference", "", "another pre-commit `script` to time on the small memory")
	flag.BoolVar(&o.peers, "peers", false, "compare memls with other language servers instead, which npm installs")
	flag.StringVar(&o.modules, "modules", filepath.Join("dist", "bench-peers"), "`directory` where npm installs them")
	flag.DurationVar(&o.patience, "patience", 2*time.Minute, "how long a language server may take for one answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, o options) error {
	for _, name := range []*string{&o.bin, &o.reference, &o.modules} {
		if *name == "" {
			continue
		}
		path, err := filepath.Abs(*name)
		if err != nil {
			return err
		}
		*name = path
	}
	temp, err := os.MkdirTemp("", "memls-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if o.peers {
		return comparePeers(ctx, o, temp)
	}
	log.Printf("making memories of %d, %d and %d notes", fewNotes, o.small, o.large)
	repos := map[int]*example.Repo{}
	for _, n := range []int{fewNotes, o.small, o.large} {
		repo, err := generate(ctx, filepath.Join(temp, fmt.Sprint(n)), n, 0)
		if err != nil {
			return err
		}
		if _, err := repo.Run(ctx, filepath.Join(o.bin, "memhook"), "install"); err != nil {
			return err
		}
		repos[n] = repo
	}

	fmt.Println("| what | notes | ms | CPU ms | against | ms | CPU ms | ratio | CPU ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, n := range []int{o.small, o.large} {
		if err := measureCommands(ctx, o, repos[n], n); err != nil {
			return err
		}
	}
	return measureEditor(ctx, o, repos[fewNotes], repos[o.large])
}
