package agentcli

import (
	"fmt"
	"io"
	"strings"

	"github.com/memls/memls/rules"
)

// githubCommand is the workflow command for each severity
// (docs.github.com, "Workflow commands for GitHub Actions").
var githubCommand = [...]string{rules.Error: "error", rules.Warning: "warning", rules.Info: "notice", rules.Hint: "notice"}

var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func writeGitHub(w io.Writer, _ string, r *result) error {
	if r.nothing != "" {
		_, err := fmt.Fprintf(w, "::notice::%s\n", githubText.Replace("nothing to check: "+r.nothing))
		return err
	}
	for i := range r.shown {
		f := &r.shown[i]
		message := f.Message
		if f.Help != "" {
			message += "\n" + f.Help
		}
		properties := "title=" + githubProperty.Replace(f.Rule.ID)
		if f.Path != "" {
			properties = f.githubPlace() + "," + properties
		}
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", githubCommand[f.Severity], properties, githubText.Replace(message)); err != nil {
			return err
		}
	}
	return nil
}

// githubPlace names file, lines and, within one line, columns, which GitHub
// counts to the last one inside.
func (f *shownFinding) githubPlace() string {
	place := fmt.Sprintf("file=%s,line=%d,endLine=%d", githubProperty.Replace(f.Path), f.Start.Line, f.End.Line)
	if f.Start.Line == f.End.Line {
		place += fmt.Sprintf(",col=%d,endColumn=%d", f.Start.Column, max(f.Start.Column, f.End.Column-1))
	}
	return place
}
