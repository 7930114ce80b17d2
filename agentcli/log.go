package agentcli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

func (a *app) logCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log [PATH]",
		Short: "Show the history of the memory, newest first",
		Long: `List the commits that led to the last one, or those among them that touched PATH. A file is
followed through its renames.`,
		Example: `  agentcli log -n 10
  agentcli log persona.md
  agentcli log --format json projects`,
		Args: cobra.MaximumNArgs(1),
	}
	limit := cmd.Flags().IntP("max-count", "n", 0, "show at most `NUMBER` commits (0: all)")
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *limit < 0 {
			return fmt.Errorf("--max-count %d: use 0 for all, or a positive number", *limit)
		}
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		commits, err := repo.log(cmd.Context(), args, *limit)
		if errors.Is(err, errNoCommit) {
			a.note("no commit yet")
		} else if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(commits)
		}
		p := a.painter()
		for _, c := range commits {
			fmt.Fprintf(a.out, "%s  %s  %s  %s\n", p.paint(colorYellow, c.Commit[:min(10, len(c.Commit))]),
				c.date(), rules.Printable(c.Author.Name), rules.Printable(c.Subject))
		}
		return nil
	}
	return cmd
}

// A logEntry is a commit in the JSON of log.
type logEntry struct {
	Commit  string   `json:"commit"`
	Parents []string `json:"parents"`
	Author  person   `json:"author"`
	Date    string   `json:"date"`    // of the author, in RFC 3339 with their zone
	Subject string   `json:"subject"` // the first paragraph of the message, in one line
	Body    string   `json:"body"`    // the rest of the message
}

type person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// date is the time to the minute, in the author's zone.
func (c *logEntry) date() string {
	t, err := time.Parse(time.RFC3339, c.Date)
	if err != nil {
		return rules.Printable(c.Date)
	}
	return t.Format("2006-01-02 15:04")
}

// logFields are git's placeholders for the fields of an entry. No text of a
// commit holds the NUL that separates them.
var logFields = []string{"%H", "%P", "%an", "%ae", "%aI", "%s", "%b"}

// log lists commits. The error is errNoCommit when there is none, and the
// list then empty.
func (r *repository) log(ctx context.Context, paths []string, limit int) ([]logEntry, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head == nil {
		return []logEntry{}, errNoCommit
	}
	args := []string{
		"--no-pager", "--literal-pathspecs", "-c", "log.showSignature=false", "log", "-z", "--no-color", "--no-decorate", "--no-notes",
		"--no-ext-diff", "--no-textconv", "--no-patch", "--encoding=UTF-8", "--format=tformat:" + strings.Join(logFields, "%x00"),
	}
	if limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(limit))
	}
	spec := ""
	if len(paths) > 0 {
		if spec, err = r.relative(paths[0]); err != nil {
			return nil, err
		}
	}
	if spec == "" {
		args = append(args, "HEAD", "--")
	} else {
		if head.Dir(spec) == nil {
			args = append(args, "--follow")
		}
		args = append(args, "HEAD", "--", spec)
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	commits := parseLog(string(out))
	if len(commits) == 0 && spec != "" {
		return nil, fmt.Errorf("%s: no commit has such a file or directory", rules.Display(spec))
	}
	return commits, nil
}

func parseLog(out string) []logEntry {
	fields := strings.Split(out, "\x00")
	commits := []logEntry{}
	for n := len(logFields); len(fields) >= n; fields = fields[n:] {
		commits = append(commits, logEntry{
			Commit: fields[0], Parents: append([]string{}, strings.Fields(fields[1])...),
			Author: person{fields[2], fields[3]}, Date: fields[4], Subject: fields[5], Body: strings.TrimRight(fields[6], "\n"),
		})
	}
	return commits
}
