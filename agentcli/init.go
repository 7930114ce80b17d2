package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/agentcli/hook"
)

const initHelp = `Make a memory repository from blocks: one file for each block at its root, an index that links to
them, branch main, the commit hooks (policy root-marker unless told otherwise), and one first
commit that the hooks have accepted. It is made beside DIR and moved there when it is complete: on
any failure DIR is as it was.

A block's label becomes the file's name. A limit or read_only goes into .memfs.config.json. FILE of
--blocks is JSON (the body of a request with "memory_blocks", or the list alone), Markdown (.md or
.mdx) whose frontmatter has a label, or - for standard input. What a label cannot be is refused by
its name before anything is written.

DIR must not exist or be empty. --adopt turns the git repository there, which has no root index,
into memory: files are added in one commit, none is touched. --from moves memory of the v1 layout
(system/, reference/) to v2 in one commit of its own repository, history kept. Look at either
first with --dry-run.`

type initOptions struct {
	blocks, files []string
	policy        *choice
	format        *choice
	from          string
	adopt, dry    bool
}

func (a *app) initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Make a memory repository from blocks, or move one to v2",
		Long:  initHelp,
		Example: `  agentcli init ~/memory --block persona="I am careful." --block human="Likes Go."
  agentcli init ~/memory --blocks agent.json --blocks persona.mdx
  agentcli init --adopt ~/notes --dry-run       what would be added to a repository
  agentcli init --from ~/old-memory --dry-run   the move from v1 as a diff`,
		Args: cobra.MaximumNArgs(1),
	}
	opt := initOptions{policy: choiceFlag(cmd, "policy", "layout policy to write", "", hook.Policies()...), format: formatFlag(cmd)}
	flags := cmd.Flags()
	flags.StringArrayVar(&opt.blocks, "block", nil, "a block as `LABEL=VALUE` (may be repeated)")
	flags.StringArrayVar(&opt.files, "blocks", nil, "read blocks from `FILE`, or from standard input for - (may be repeated)")
	flags.StringVar(&opt.from, "from", "", "move the v1 memory in `DIR` to the v2 layout, in place")
	flags.BoolVar(&opt.adopt, "adopt", false, "make memory of the git repository in DIR")
	flags.BoolVar(&opt.dry, "dry-run", false, "print a unified diff and change nothing")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.init(cmd.Context(), opt, args)
	}
	return cmd
}

func (a *app) init(ctx context.Context, opt initOptions, args []string) error {
	if err := opt.check(args); err != nil {
		return err
	}
	if opt.from != "" {
		return a.migrate(ctx, opt)
	}
	list, err := a.readBlocks(opt)
	if err != nil {
		return err
	}
	files, err := blocks.Files(list)
	if err != nil {
		return fmt.Errorf("%w\nnothing was written", err)
	}
	dir, err := filepath.Abs(a.from(args[0]))
	if err != nil {
		return err
	}
	if opt.adopt {
		return a.adopt(ctx, opt, dir, files)
	}
	return a.create(ctx, opt, dir, files)
}

func (opt *initOptions) check(args []string) error {
	switch {
	case opt.from != "" && (len(args) > 0 || opt.adopt || len(opt.blocks)+len(opt.files) > 0):
		return errors.New("--from works in the repository it names and takes no DIR, no blocks and no --adopt; to keep the old one as it is, git clone it first")
	case opt.from != "" && opt.policy.value != "" && opt.policy.value != hook.PolicyRootMarker:
		return errors.New("--from moves to the v2 layout, whose policy is root-marker")
	case opt.from == "" && len(args) == 0:
		return errors.New("name the directory of the new repository: agentcli init DIR")
	case opt.from == "" && args[0] == "":
		return errors.New("an empty path names no directory; use . for the working directory")
	}
	if opt.policy.value == "" {
		opt.policy.value = hook.PolicyRootMarker
	}
	return nil
}

// from is a path of the command line, from where -C leads.
func (a *app) from(path string) string {
	if a.dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.dir, path)
}

// readBlocks gathers the blocks of the command line: files first, in the order
// given. All that is wrong with them is reported at once.
func (a *app) readBlocks(opt initOptions) ([]blocks.Block, error) {
	var list []blocks.Block
	var errs []error
	stdin := false
	for _, name := range opt.files {
		shown := name
		var src []byte
		var err error
		switch {
		case name == "-" && stdin:
			err = errors.New("standard input can be read only once")
		case name == "-":
			shown, stdin = "standard input", true
			src, err = readLimited(a.env.Stdin)
		default:
			src, err = readFileLimited(a.from(name))
		}
		if err == nil {
			var found []blocks.Block
			found, err = blocks.Parse(shown, src)
			list = append(list, found...)
		}
		errs = append(errs, err)
	}
	for _, arg := range opt.blocks {
		label, value, ok := strings.Cut(arg, "=")
		if !ok {
			errs = append(errs, fmt.Errorf("--block %q: write it as LABEL=VALUE", arg))
		}
		list = append(list, blocks.Block{Label: label, Value: value})
	}
	return list, errors.Join(errs...)
}

func readLimited(r io.Reader) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, maxStdin+1))
	if err == nil && len(src) > maxStdin {
		err = fmt.Errorf("more than %d MiB", maxStdin>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("reading blocks: %w", err)
	}
	return src, nil
}

func readFileLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f)
}
