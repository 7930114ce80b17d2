package agentcli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/memls/memls/rules"
)

// A jsonCommit is the JSON of commit.
type jsonCommit struct {
	Root string `json:"root"`
	// Commit is the new one, Base its parent; null for none.
	Commit *string `json:"commit"`
	Base   *string `json:"base"`
	// RefusedBy is "rules", the name of a hook, or "".
	RefusedBy  string        `json:"refusedBy"`
	HookOutput string        `json:"hookOutput"`
	Changes    []jsonPath    `json:"changes"`
	Findings   []jsonFinding `json:"findings"`
	Summary    jsonSummary   `json:"summary"`
}

// A jsonPath is a path with what happens to it.
type jsonPath struct {
	Path   string `json:"path"`
	Action string `json:"action"` // created, edited or deleted
}

func (c *commitRun) print(format string) error {
	if format == "json" {
		return c.printJSON(c.json())
	}
	_, err := c.out.Write(c.text())
	return err
}

func (c *commitRun) json() jsonCommit {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	out := jsonCommit{Root: c.root(), Commit: optional(c.commit), Base: optional(c.base), Changes: []jsonPath{}, Findings: []jsonFinding{}}
	for _, change := range c.changes {
		out.Changes = append(out.Changes, jsonPath{change.Path, change.action()})
	}
	if c.result != nil {
		out.Findings, out.Summary = c.result.jsonFindings(), c.result.jsonSummary()
	}
	switch {
	case c.refused != nil:
		out.RefusedBy, out.HookOutput = c.refused.name, c.refused.output
	case c.result != nil && c.result.counts[rules.Error] > 0:
		out.RefusedBy = "rules"
	}
	return out
}

func (c *indexChange) action() string {
	switch {
	case c.Old == "":
		return "created"
	case c.New == "":
		return "deleted"
	}
	return "edited"
}

func (c *commitRun) text() []byte {
	var b bytes.Buffer
	switch {
	case c.refused != nil:
		// A hook speaks where hooks do.
		fmt.Fprintln(c.env.Stderr, printableLines(c.refused.output))
		fmt.Fprintf(&b, "nothing was committed: %v\n", c.refused)
	case len(c.changes) == 0:
		b.WriteString("nothing to commit: there are no changes since the last commit\n")
	case c.commit == "":
		c.result.writeFindings(&b)
		fmt.Fprintf(&b, "nothing was committed: %s\n", c.result.summary())
		b.WriteString("The whole memory is judged, so these problems may be older than your changes.\n")
	default:
		for i := range c.changes {
			fmt.Fprintf(&b, "%s %s\n", c.changes[i].action(), rules.Display(c.changes[i].Path))
		}
		if c.result.nothing != "" {
			c.note("nothing was judged: %s", c.result.nothing)
		}
		fmt.Fprintf(&b, "committed %s: %s\n", c.commit[:min(10, len(c.commit))], rules.Printable(strings.TrimSpace(c.subject())))
	}
	return b.Bytes()
}
