package agentcli

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

const exportHelp = `Write the committed files, and nothing of git, into a directory that is missing or empty, or into
an archive, by the name's ending .tar.gz or .tgz. An archive of the same commit has the same bytes
wherever it is made. Symbolic links are written as such and never followed; submodules are left
out.

Unlike git archive it heeds no attributes: what is committed is what is written.`

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export DIR|FILE.tar.gz",
		Short: "Write the committed files into a directory or an archive",
		Long:  exportHelp,
		Example: `  agentcli export /tmp/memory
  agentcli export --at v1.2 memory.tar.gz`,
		Args: cobra.ExactArgs(1),
	}
	at := cmd.Flags().String("at", atHead, "`REVISION` to write: head, or any that git knows")
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		if *at == atWorktree || *at == atStaged {
			return fmt.Errorf("--at %s: only what is committed can be exported", *at)
		}
		t, err := a.look(cmd.Context(), repo, *at, "")
		if err != nil {
			return err
		}
		e := exporter{target: t, to: args[0]}
		if err := e.run(cmd.Context()); err != nil {
			return err
		}
		for _, p := range e.skipped {
			a.note("%s: is a submodule, which is left out", rules.Display(p))
		}
		if format.value == "json" {
			return a.printJSON(struct {
				Root    string   `json:"root"`
				Commit  string   `json:"commit"`
				To      string   `json:"to"`
				Files   int      `json:"files"`
				Skipped []string `json:"skipped"`
			}{repo.root(), t.commit.String(), e.to, e.files, append([]string{}, e.skipped...)})
		}
		_, err = fmt.Fprintf(a.out, "wrote %s to %s\n", plural(e.files, "file"), rules.Display(e.to))
		return err
	}
	return cmd
}

// An exporter writes one tree out.
type exporter struct {
	*target
	to      string
	files   int
	skipped []string
}

// run writes beside the place, then renames, so that a half export has not the
// name of a whole one.
func (e *exporter) run(ctx context.Context) (err error) {
	if e.to, err = filepath.Abs(e.to); err != nil {
		return err
	}
	archive := strings.HasSuffix(e.to, ".tar.gz") || strings.HasSuffix(e.to, ".tgz")
	if info, err := os.Lstat(e.to); err == nil {
		names, _ := os.ReadDir(e.to)
		if archive || !info.IsDir() || len(names) > 0 {
			return fmt.Errorf("%s: exists already; name a directory that is missing or empty, or another file", rules.Display(e.to))
		}
	}
	if archive {
		return e.archive(ctx)
	}
	temp, err := os.MkdirTemp(filepath.Dir(e.to), ".memls-export-")
	if err != nil {
		return fmt.Errorf("cannot export: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := e.directory(ctx, temp); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(e.to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temp, e.to)
}

// each reads the files in path order.
func (e *exporter) each(ctx context.Context, write func(f *tree.File, content []byte) error) error {
	for f := range e.view.Tree.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Mode == tree.Gitlink {
			e.skipped = append(e.skipped, f.Path)
			continue
		}
		content, err := f.Bytes()
		if err != nil {
			return err
		}
		if err := write(f, content); err != nil {
			return err
		}
		e.files++
	}
	return e.view.Tree.Err()
}

// directory writes files into dir; os.Root keeps them in it, whatever their
// names are and wherever links lead.
func (e *exporter) directory(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return e.each(ctx, func(f *tree.File, content []byte) error {
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return err
		}
		if f.Mode == tree.Symlink {
			return root.Symlink(string(content), f.Path)
		}
		return root.WriteFile(f.Path, content, permissions(f))
	})
}

func permissions(f *tree.File) fs.FileMode {
	if f.Mode == tree.Executable {
		return 0o755
	}
	return 0o644
}

func (e *exporter) archive(ctx context.Context) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(e.to), ".memls-export-")
	if err != nil {
		return fmt.Errorf("cannot export: %w", err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	when, err := e.time(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(temp)
	zip := gzip.NewWriter(out)
	t := tar.NewWriter(zip)
	err = e.each(ctx, func(f *tree.File, content []byte) error { return writeTar(t, f, content, when) })
	if err = errors.Join(err, t.Close(), zip.Close(), out.Flush(), temp.Chmod(0o644), temp.Sync()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), e.to)
}

func writeTar(t *tar.Writer, f *tree.File, content []byte, when time.Time) error {
	h := &tar.Header{Name: f.Path, Typeflag: tar.TypeReg, Mode: int64(permissions(f)), Size: int64(len(content)), ModTime: when, Format: tar.FormatPAX}
	if f.Mode == tree.Symlink {
		h.Typeflag, h.Linkname, h.Size, content, h.Mode = tar.TypeSymlink, string(content), 0, nil, 0o777
	}
	if err := t.WriteHeader(h); err != nil {
		return fmt.Errorf("%s: %w", rules.Display(f.Path), err)
	}
	_, err := t.Write(content)
	return err
}

// time is that of the commit; a tree that is named as such has none.
func (e *exporter) time(ctx context.Context) (time.Time, error) {
	if e.commit == "" {
		return time.Unix(0, 0), nil
	}
	out, err := e.repo.Run(ctx, nil, "show", "-s", "--format=%ct", e.commit.String())
	if err != nil {
		return time.Time{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		return time.Time{}, fmt.Errorf("git printed %q for the time of a commit", out)
	}
	return time.Unix(seconds, 0), nil
}
