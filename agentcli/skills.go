package agentcli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

const skillsHelp = `List the skills of the working tree by name: the folders at any depth below skills/ (v1: also
memory/skills/) that hold a SKILL.md, with the first line of the description, the path, and what
is wrong. What lies in the folder of another skill, a template say, belongs to that one.

Links to folders are followed, each folder once; behind one that leads out of the repository only
its own SKILL.md counts. A skill without a description has the first paragraph of its text.

What an agent is not offered is left out, and counted: skills whose name another one has, those
that only people start (disable-model-invocation), Markdown that is no folder. --all lists it.

Problems are printed whichever skills are listed. Warnings exit with 0, errors with 1.`

func (a *app) skillsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "List the skills, and what is wrong with them",
		Long:  skillsHelp,
		Example: `  agentcli skills
  agentcli skills --all --format json`,
		Args: cobra.NoArgs,
	}
	all := cmd.Flags().Bool("all", false, "list also what an agent is not offered")
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		skills, err := findSkills(cmd.Context(), repo)
		if err != nil {
			return err
		}
		r := newSkillReport(repo.root(), skills, *all)
		if format.value == "json" {
			err = a.printJSON(r)
		} else {
			_, err = a.out.Write(r.text(a.painter()))
		}
		if err == nil && r.Summary.Errors > 0 {
			err = errFindings
		}
		return err
	}
	return cmd
}

// A listedSkill is a skill, or what was meant to be one, in the JSON of skills.
type listedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"` // its first line
	Path        string `json:"path"`        // of the file
	// Offered says that an agent gets to see it.
	Offered bool `json:"offered"`
	// Reason is why it is not offered, "" if it is.
	Reason   string         `json:"reason"`
	Problems []skillProblem `json:"problems"`
}

type skillProblem struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help"`

	grade rules.Severity
}

func (s *listedSkill) problem(grade rules.Severity, help, format string, args ...any) {
	s.Problems = append(s.Problems, skillProblem{grade.String(), fmt.Sprintf(format, args...), help, grade})
}

// skip leaves the skill out of what is offered.
func (s *listedSkill) skip(reason string) { s.Offered, s.Reason = false, reason }

// A skillReport is the JSON of skills.
type skillReport struct {
	Root   string        `json:"root"`
	Skills []listedSkill `json:"skills"`
	// NotListed are those that --all lists too.
	NotListed []listedSkill `json:"notListed"`
	Summary   jsonSummary   `json:"summary"`
}

func newSkillReport(root string, found []listedSkill, all bool) *skillReport {
	r := &skillReport{Root: root, Skills: []listedSkill{}, NotListed: []listedSkill{}}
	slices.SortStableFunc(found, func(x, y listedSkill) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Path, y.Path))
	})
	for _, s := range found {
		for _, p := range s.Problems {
			r.Summary.count(p.grade)
		}
		if all || s.Offered {
			r.Skills = append(r.Skills, s)
		} else {
			r.NotListed = append(r.NotListed, s)
		}
	}
	return r
}

// count adds a finding of the severity.
func (s *jsonSummary) count(grade rules.Severity) {
	*map[rules.Severity]*int{rules.Error: &s.Errors, rules.Warning: &s.Warnings, rules.Info: &s.Infos, rules.Hint: &s.Hints}[grade]++
}

func (r *skillReport) text(p painter) []byte {
	var b bytes.Buffer
	for i := range r.Skills {
		s := &r.Skills[i]
		fmt.Fprintf(&b, "%s  %s\n", p.paint(colorBlue, shorten(rules.Printable(s.Name), 64)), p.paint(colorFaint, rules.Display(s.Path)))
		if s.Description != "" {
			fmt.Fprintf(&b, "    %s\n", shorten(rules.Printable(s.Description), 96))
		}
		if !s.Offered {
			writeWrapped(&b, "    ", "      ", "not offered: "+s.Reason)
		}
		s.writeProblems(&b, p)
	}
	for i := range r.NotListed {
		s := &r.NotListed[i]
		writeWrapped(&b, "", "  ", "not listed: "+rules.Display(s.Path)+" ("+s.Reason+")")
		s.writeProblems(&b, p)
	}
	fmt.Fprintln(&b, r.summary())
	return b.Bytes()
}

func (r *skillReport) summary() string {
	if len(r.Skills)+len(r.NotListed) == 0 {
		return "no skills"
	}
	parts := []string{plural(len(r.Skills), "skill")}
	for _, c := range []struct {
		n    int
		what string
	}{{r.Summary.Errors, "error"}, {r.Summary.Warnings, "warning"}, {r.Summary.Infos + r.Summary.Hints, "hint"}} {
		if c.n > 0 {
			parts = append(parts, plural(c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

var gradeColors = map[rules.Severity]string{rules.Error: colorRed, rules.Warning: colorYellow}

func (s *listedSkill) writeProblems(b *bytes.Buffer, p painter) {
	for _, problem := range s.Problems {
		writeWrapped(b, "    ", "      ", p.paint(gradeColors[problem.grade], problem.Severity)+": "+rules.Printable(problem.Message))
		if problem.Help != "" {
			writeWrapped(b, "      ", "        ", "help: "+rules.Printable(problem.Help))
		}
	}
}

// shorten cuts a line for people to so many characters.
func shorten(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
