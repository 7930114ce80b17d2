// Command demo shows the main job on an example repository: the server is
// started and shows a problem, its quick fix creates the missing index, and
// the commit that the hook refused before is accepted. Then an agent's turn
// does by itself what an editor helps a person to do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memls/memls/editors/example"
	"github.com/memls/memls/editors/headless"
	"github.com/memls/memls/lsp/wire"
)

// patience ends a run that hangs; nothing here takes seconds.
const patience = time.Minute

func main() {
	log.SetFlags(0)
	log.SetPrefix("demo: ")
	bin := flag.String("bin", "bin", "`directory` of memls and memhook")
	onlyCreate := flag.Bool("only-create", false, "only create the example repository")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: demo [-bin DIR] [-only-create] NEW-DIRECTORY")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if *onlyCreate {
		_, err = example.Create(ctx, flag.Arg(0))
	} else if err = run(ctx, *bin, flag.Arg(0)); err == nil {
		err = turn(ctx, *bin, filepath.Join(filepath.Dir(flag.Arg(0)), "agent"))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, bin, dir string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	repo, err := example.Create(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("An example memory is in %s; projects/ is new and has no index.\n", dir)

	step("memhook install")
	out, err := repo.Run(ctx, filepath.Join(bin, "memhook"), "install")
	if err != nil {
		return err
	}
	indent(out)

	step("git add projects && git commit -m \"Remember the projects\"")
	err = repo.Commit(ctx, "Remember the projects", "projects")
	if err == nil {
		return errors.New("the hook accepted a commit that it must refuse")
	}
	_, refusal, _ := strings.Cut(err.Error(), "\n")
	indent(refusal)

	if err := mend(ctx, filepath.Join(bin, "memls"), repo); err != nil {
		return err
	}

	step("git add projects MEMORY.md && git commit -m \"Remember the projects\"")
	if err := repo.Commit(ctx, "Remember the projects", "projects", "MEMORY.md"); err != nil {
		return err
	}
	out, err = repo.Run(ctx, "git", "log", "--stat", "-1", "--format=accepted: %s")
	indent(out)
	return err
}

// mend does in an editor what the refusal asks for, until nothing is left to
// say about the note and the index that its fix creates.
func mend(ctx context.Context, memls string, repo *example.Repo) error {
	editor, err := headless.Start(ctx, memls, repo.Dir)
	if err != nil {
		return err
	}
	if err := editor.Open(ctx, repo.Path(example.Note)); err != nil {
		return err
	}
	for _, name := range []string{example.Note, example.Index} {
		if err := mendFile(ctx, editor, repo, name); err != nil {
			return err
		}
	}
	return editor.Close(ctx)
}

// mendFile applies the quick fix of the first diagnostic of an open document
// and saves.
func mendFile(ctx context.Context, editor *headless.Editor, repo *example.Repo, name string) error {
	shown, err := editor.Await(ctx, repo.Path(name), func(d []wire.Diagnostic) bool { return len(d) > 0 })
	if err != nil {
		return err
	}
	step("memls, showing " + name)
	for _, d := range shown {
		// The protocol counts from 0, people from 1.
		indent(fmt.Sprintf("%d:%d: %s: %s [%s]", d.Range.Start.Line+1, d.Range.Start.Character+1,
			strings.ToLower(d.Severity.String()), firstLine(d.Message), d.Code))
	}
	title, err := editor.QuickFix(ctx, repo.Path(name), shown[0])
	if err != nil {
		return err
	}
	indent("quick fix: " + title)
	saved, err := editor.SaveAll(ctx)
	if err != nil {
		return err
	}
	for _, path := range saved {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		saidAs, err := filepath.Rel(repo.Dir, path)
		if err != nil {
			return err
		}
		indent("\nsaved " + filepath.ToSlash(saidAs) + ":\n" + string(content))
	}
	_, err = editor.Await(ctx, repo.Path(name), func(d []wire.Diagnostic) bool { return len(d) == 0 })
	return err
}

// firstLine is what went wrong; the lines below it say what to do.
func firstLine(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return first
}

func step(what string) { fmt.Printf("\n$ %s\n", what) }

func indent(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		fmt.Print(strings.TrimRight("    "+line, " \n"), "\n")
	}
}
