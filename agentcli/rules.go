package agentcli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

type jsonRule struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Refusal  bool   `json:"refusal"`
	Fixable  bool   `json:"fixable"`
	Summary  string `json:"summary"`
	URL      string `json:"url"`
}

func ruleJSON(r *rules.Rule) jsonRule {
	return jsonRule{r.ID, r.Severity.String(), r.Refusal, r.Doc.Fix != "", r.Summary, r.URL()}
}

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules",
		Long:  "List the rules. Errors of those marked \"refuses\" make the hook refuse a commit; the others\nit does not run.",
		Example: `  agentcli rules
  agentcli rules --format json`,
		Args: cobra.NoArgs,
	}
	format := formatFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		if format.value == "json" {
			list := []jsonRule{}
			for _, r := range rules.All() {
				list = append(list, ruleJSON(r))
			}
			return a.printJSON(struct {
				Rules []jsonRule `json:"rules"`
			}{list})
		}
		return a.printRules()
	}
	return cmd
}

func (a *app) printRules() error {
	width := 0
	for _, r := range rules.All() {
		width = max(width, len(r.ID))
	}
	var b bytes.Buffer
	for _, r := range rules.All() {
		what := r.Severity.String()
		if r.Refusal {
			what = "refuses"
		}
		columns := fmt.Sprintf("%-*s  %-7s  ", width, r.ID, what)
		writeWrapped(&b, columns, strings.Repeat(" ", len(columns)), r.Summary)
	}
	_, err := a.out.Write(b.Bytes())
	return err
}

// findRule looks a rule up, suggesting the nearest for a mistyped id.
func findRule(id string) (*rules.Rule, error) {
	if r := rules.Lookup(id); r != nil {
		return r, nil
	}
	best, distance := "", len(id)/2+1
	for _, r := range rules.All() {
		if d := editDistance(id, r.ID); d < distance {
			best, distance = r.ID, d
		}
	}
	if best != "" {
		return nil, fmt.Errorf("no rule %q; did you mean %s?", id, best)
	}
	return nil, fmt.Errorf("no rule %q; agentcli rules lists them", id)
}

// editDistance is the Levenshtein distance in bytes. It is too little to
// depend on a library for.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
