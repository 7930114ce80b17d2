package agentcli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memls/memls/rules/difftest/oracle"
)

// What turns commit, whatever the model does with its tools, passes check and
// is accepted by the reference as well.
func TestReferenceAcceptsWhatTurnsCommit(t *testing.T) {
	o := oracle.Start(t)
	const turns = 30
	s := newSandbox(t)
	c := faultCases[0]
	if out, err := s.exec(&c, ""); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first := strings.TrimSpace(s.must(c.repo, "git", "rev-parse", "HEAD"))
	refused := 0
	r := rand.New(rand.NewPCG(1, 2))
	file := filepath.Join(s.dir, "scenario.yaml")
	for i := range turns {
		scenario := randomScenario(r)
		if err := os.WriteFile(file, scenario, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := s.run(c.repo, nil, "agentcli", "turn", fmt.Sprintf("--create-indexes=%v", i%2 == 0), "--model", "script/"+file, "Do it.")
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
			refused++
		} else if err != nil {
			t.Errorf("%v\n%s\n%s", err, scenario, out)
		}
		if out, err := s.run(c.repo, nil, "agentcli", "check"); err != nil {
			t.Errorf("%v\n%s\n%s", err, scenario, out)
		}
	}
	commits := strings.Fields(s.must(c.repo, "git", "rev-list", first+"..HEAD"))
	if len(commits) < turns/4 || refused < turns/8 {
		t.Fatalf("of %d turns %d made a commit and %d were refused, which is no test", turns, len(commits), refused)
	}
	s.mustAccept(o, c.repo, false, commits...)
}

// randomScenario is a model that calls its tools at random, and mends nothing.
func randomScenario(r *rand.Rand) []byte {
	type call struct {
		Name  string         `json:"name"`
		Input map[string]any `json:"input"`
	}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	path := func() string {
		return pick("MEMORY.md", "human.md", "persona.md", "work.md", "work2.md", "notes/MEMORY.md", "notes/a.md", "notes/b.md", "notes/deep/a.md",
			"notes/deep/er/a.md", "notes", "caf\u00e9/\u00fc b.md", "skills/run/SKILL.md", "skills/flat.md", "data.csv", ".memfs.config.json")
	}
	const front = "---\nname: N\ndescription: A thing\n---\nText.\n"
	text := func() string {
		return pick("Text.\n", "No line end", "# Title\n\n- [A](a.md)\n", front, front, "", strings.Repeat("\u00e9", 2000), strings.Repeat("\u00e9", 20_001),
			"---\nname: N\ndescription: A thing\nlimit: 3\n---\n", "---\r\nname: N\r\ndescription: D\r\n---\r\n", "\ufeffText.\n")
	}
	calls := make([]call, 2+r.IntN(4))
	for i := range calls {
		in := map[string]any{}
		calls[i] = call{"memory", in}
		switch command := pick("create", "create", "create", "str_replace", "insert", "delete", "rename", "update_description", "patch"); command {
		case "patch":
			calls[i].Name = "memory_apply_patch"
			in["input"] = fmt.Sprintf("*** Begin Patch\n*** %s File: %s\n@@\n-Text.\n+%s\n*** End Patch", pick("Add", "Update"), path(), pick("More.", "---"))
			if strings.Contains(in["input"].(string), "Add File") {
				in["input"] = strings.Replace(in["input"].(string), "@@\n-Text.\n", "", 1)
			}
		case "rename":
			in["command"], in["old_path"], in["new_path"] = command, path(), path()
		default:
			in["command"], in["path"] = command, path()
			fields := map[string]map[string]any{
				"create":             {"file_text": text()},
				"str_replace":        {"old_str": pick("Text.", "---", "name: N\n", "- [A](a.md)"), "new_str": text()},
				"insert":             {"insert_line": r.IntN(3), "insert_text": text()},
				"update_description": {"description": pick("A: thing", "Another", "'", "# x")},
			}
			for name, value := range fields[command] {
				in[name] = value
			}
		}
	}
	steps := []map[string]any{{"call": calls}}
	for range 4 {
		steps = append(steps, map[string]any{"say": "Done."})
	}
	scenario, err := json.Marshal(map[string]any{"steps": steps})
	if err != nil {
		panic(err) // a map of texts
	}
	return scenario
}
