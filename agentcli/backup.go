package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

// backupRefs is where the commits of what is not committed are while a bundle
// is made, and what they are called in it.
const backupRefs = "refs/memls/backup/"

// Times in the names of files, and in those of refs, of which a second can see
// several; the newest sorts last.
const (
	stamp    = "20060102T150405Z"
	refStamp = "20060102T150405.000Z"
)

const backupHelp = `Write everything that the repository holds into one file: branches, tags, notes, the latest stash,
and what is not committed (changed, staged and new files; not ignored ones). The file is a git
bundle, which git itself can read. Nothing in the repository changes.

Without FILE it goes beside the repository, under a name with the time. Not in it: the
configuration, hooks, reflogs, ignored files, and the contents of submodules.`

func (a *app) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Write the whole repository into one file",
		Long:  backupHelp,
		Example: `  agentcli backup
  agentcli backup ~/backups/memory.bundle`,
		Args: cobra.MaximumNArgs(1),
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := a.openToWrite(cmd.Context())
		if err != nil {
			return err
		}
		defer w.Close()
		file := filepath.Base(w.Top) + "-" + time.Now().UTC().Format(stamp) + ".bundle"
		if file = filepath.Join(filepath.Dir(w.Top), file); len(args) > 0 {
			file = args[0]
		}
		if file, err = w.outside(file); err != nil {
			return err
		}
		n, err := w.backup(cmd.Context(), file)
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(struct {
				Root  string `json:"root"`
				File  string `json:"file"`
				Bytes int64  `json:"bytes"`
			}{w.root(), file, n})
		}
		_, err = fmt.Fprintf(a.out, "wrote %s (%d bytes)\nGet it back with: agentcli restore %[1]s\n", rules.Display(file), n)
		return err
	}
	return cmd
}

// outside is the absolute name of a file that is to be made and does not lie
// in the repository that it is a copy of.
func (w *writable) outside(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	real := filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs))
	for _, dir := range []string{w.Top, w.CommonDir} {
		if isWithin(real, resolved(dir)) {
			return "", fmt.Errorf("%s: lies in the repository; name a place outside of it", rules.Display(file))
		}
	}
	if _, err := os.Lstat(abs); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: exists already; name another file, or remove that one", rules.Display(file))
	}
	return abs, nil
}

// backup writes the bundle beside its place, then renames it.
func (w *writable) backup(ctx context.Context, file string) (size int64, err error) {
	worktree, index, err := w.stateCommits(ctx, nil)
	if err != nil {
		return 0, err
	}
	made := map[string]string{backupRefs + stateWorktree: worktree, backupRefs + stateIndex: index}
	refs := []string{}
	for ref, commit := range made {
		if _, err := w.do(ctx, gitCall{}, "update-ref", ref, commit); err != nil {
			return 0, err
		}
		refs = append(refs, ref)
		defer func() {
			_, deleteErr := w.do(context.WithoutCancel(ctx), gitCall{}, "update-ref", "-d", ref)
			err = errors.Join(err, deleteErr)
		}()
	}
	all, err := w.refs(ctx, "refs/")
	if err != nil {
		return 0, err
	}
	for ref := range all {
		if inState(ref) {
			refs = append(refs, ref)
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".memls-*.bundle")
	if err != nil {
		return 0, fmt.Errorf("cannot write the backup: %w", err)
	}
	temp.Close()
	defer os.Remove(temp.Name())
	if _, err := w.do(ctx, gitCall{}, append([]string{"bundle", "create", "-q", temp.Name()}, refs...)...); err != nil {
		return 0, err
	}
	if _, err := w.do(ctx, gitCall{}, "bundle", "verify", "-q", temp.Name()); err != nil {
		return 0, err
	}
	// Link fails where a file has come meanwhile, which Rename would replace.
	if err := os.Link(temp.Name(), file); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return 0, err
		}
		if err := os.Rename(temp.Name(), file); err != nil {
			return 0, err
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
