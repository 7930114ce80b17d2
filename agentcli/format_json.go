package agentcli

import (
	"io"

	"github.com/memls/memls/rules"
)

// jsonReport is the JSON of check. Its names are a contract; lists are never
// null.
type jsonReport struct {
	Root         string        `json:"root"`
	Layout       string        `json:"layout"`
	Policy       string        `json:"policy"`
	PolicySource string        `json:"policySource"`
	At           string        `json:"at"`
	Revision     *string       `json:"revision"`
	Files        jsonFiles     `json:"files"`
	Budget       budget        `json:"budget"`
	Findings     []jsonFinding `json:"findings"`
	Summary      jsonSummary   `json:"summary"`
}

type jsonFiles struct {
	Total   int `json:"total"`
	Checked int `json:"checked"`
}

type jsonFinding struct {
	Rule     string       `json:"rule"`
	Severity string       `json:"severity"`
	Path     string       `json:"path"`
	Message  string       `json:"message"`
	Range    *rules.Range `json:"range,omitempty"`
	Help     string       `json:"help"`
	Fixes    []jsonFix    `json:"fixes"`
}

type jsonFix struct {
	Title string `json:"title"`
	Safe  bool   `json:"safe"`
}

type jsonSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Hints    int `json:"hints"`
}

func writeJSON(w io.Writer, _ string, r *result) error {
	out := jsonReport{
		Root: r.repo.root(), Layout: r.layout(), Policy: string(r.view.Policy), PolicySource: r.policySource,
		At: r.at, Files: jsonFiles{r.report.Total, r.report.Checked},
		Budget: r.budget(r.sel), Findings: r.jsonFindings(), Summary: r.jsonSummary(),
	}
	if r.commit != "" {
		commit := r.commit.String()
		out.Revision = &commit
	}
	return encodeJSON(w, out, "  ")
}

func (r *result) jsonFindings() []jsonFinding {
	out := make([]jsonFinding, 0, len(r.shown))
	for i := range r.shown {
		f := &r.shown[i]
		j := jsonFinding{
			Rule: f.Rule.ID, Severity: f.Severity.String(), Path: f.Path, Message: f.Message, Help: f.Help, Fixes: []jsonFix{},
		}
		if f.Path != "" {
			j.Range = &f.Range
		}
		for _, fix := range f.fixes() {
			j.Fixes = append(j.Fixes, jsonFix{fix.Title, fix.Safe()})
		}
		out = append(out, j)
	}
	return out
}

func (r *result) jsonSummary() jsonSummary {
	return jsonSummary{
		Errors: r.counts[rules.Error], Warnings: r.counts[rules.Warning],
		Infos: r.counts[rules.Info], Hints: r.counts[rules.Hint],
	}
}
