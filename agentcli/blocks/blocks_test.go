package blocks_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

func TestPath(t *testing.T) {
	long := strings.Repeat("é", 126) // 252 bytes
	for label, want := range map[string]string{
		"human":               "human.md",
		"  human \n":          "human.md",
		"human.md":            "human.md",
		"human.md.md":         "human.md.md",
		"system/human":        "human.md",
		`system\human.md`:     "human.md",
		"system/system/human": "system_human.md",
		"memory/system/human": "memory_system_human.md",
		"system":              "system.md",
		"a/b/c":               "a_b_c.md",
		"a//b":                "a__b.md",
		"project conventions": "project conventions.md",
		"日本語":                 "日本語.md",
		"👩‍👩‍👧":               "👩‍👩‍👧.md",
		"\u200fשלום":          "\u200fשלום.md",
		"-rf":                 "-rf.md",
		"console":             "console.md",
		"..a":                 "..a.md",
		"MEMORY":              "MEMORY.md",
		"MEMORY.md":           "MEMORY.md",
		"system/MEMORY":       "MEMORY.md",
		"notes/MEMORY":        "notes_MEMORY.md",
		long:                  long + ".md",
	} {
		if got, err := blocks.Path(label); got != want || err != nil {
			t.Errorf("Path(%q) = %q, %v; want %q", label, got, err, want)
		}
	}
}

func TestPathRefuses(t *testing.T) {
	for label, want := range map[string]string{
		"":                       "empty",
		" \t":                    "empty",
		".md":                    "empty",
		"system/":                "empty",
		"..":                     `segment ".."`,
		"../evil":                `segment ".."`,
		`..\evil`:                `segment ".."`,
		"a/../b":                 `segment ".."`,
		"a/.":                    `segment "."`,
		"system/../x":            `segment ".."`,
		"/etc/passwd":            "absolute",
		`\\host\share`:           "absolute",
		"system//x":              "absolute",
		"C:/x":                   "Windows",
		"a:b":                    "Windows",
		"what?":                  "Windows",
		"a*":                     "Windows",
		"<b>":                    "Windows",
		`"q"`:                    "Windows",
		"a|b":                    "Windows",
		"etc.":                   "ends in a dot",
		"a .md":                  "ends in a dot or space",
		"CON":                    "device",
		"con":                    "device",
		"nul.txt":                "device",
		"system/COM¹":            "device",
		"aux .x":                 "device",
		"a\x00b":                 "control character U+0000",
		"a\nb":                   "control character U+000A",
		"a\u0085b":               "control character U+0085",
		"a\u2028b":               "control character U+2028",
		"memory":                 "root index",
		"Memory.md":              "root index",
		"system/mEmory":          "root index",
		"\xff":                   "not UTF-8",
		strings.Repeat("x", 253): "256 bytes",
		strings.Repeat("é", 127): "257 bytes",
	} {
		if got, err := blocks.Path(label); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Path(%q) = %q, %v; want an error with %q", label, got, err, want)
		}
	}
}

// Every file that blocks become, in full.
func TestFiles(t *testing.T) {
	for _, test := range []struct {
		name   string
		blocks []blocks.Block
		want   map[string]string
	}{{
		name: "none",
		want: map[string]string{"MEMORY.md": "# Memory\n"},
	}, {
		name: "an index of its own is kept as it is",
		blocks: []blocks.Block{
			{Label: "MEMORY", Value: "# Mine\n\nno list", Description: "has no place"},
			{Label: "human", Value: "x\n"},
		},
		want: map[string]string{
			"MEMORY.md": "# Mine\n\nno list\n",
			"human.md":  "---\nname: Human\ndescription: Memory block human\n---\nx\n",
		},
	}, {
		name: "descriptions are one line, and quoted only where they must be",
		blocks: []blocks.Block{
			{Label: "my_persona", Value: "a\r\nb", Description: " Who\r\nI am\nnow "},
			{Label: "rules", Value: "", Description: "Deploy: staging first"},
			{Label: "system/on", Value: "x", Description: "yes # or no"},
			{Label: "007", Value: "x", Description: "null"},
			{Label: "___", Value: "x", Description: `say "hi" [now](x)`},
		},
		want: map[string]string{
			"MEMORY.md": "# Memory\n\n- [007](007.md) — null\n- [___](___.md) — say \"hi\" \\[now\\](x)\n" +
				"- [My Persona](my_persona.md) — Who I am now\n- [On](on.md) — yes # or no\n- [Rules](rules.md) — Deploy: staging first\n",
			"my_persona.md": "---\nname: My Persona\ndescription: Who I am now\n---\na\r\nb\n",
			"rules.md":      "---\nname: Rules\ndescription: \"Deploy: staging first\"\n---\n",
			"on.md":         "---\nname: On\ndescription: \"yes # or no\"\n---\nx\n",
			"007.md":        "---\nname: \"007\"\ndescription: \"null\"\n---\nx\n",
			"___.md":        "---\nname: ___\ndescription: say \"hi\" [now](x)\n---\nx\n",
		},
	}, {
		name: "limits and protection",
		blocks: []blocks.Block{
			{Label: "b", Value: "x", Limit: 2000, ReadOnly: true},
			{Label: "a", Value: "x", Limit: 30000},
		},
		want: map[string]string{
			"MEMORY.md": "# Memory\n\n- [A](a.md) — Memory block a\n- [B](b.md) — Memory block b\n",
			"a.md":      "---\nname: A\ndescription: Memory block a\n---\nx\n",
			"b.md":      "---\nname: B\ndescription: Memory block b\n---\nx\n",
			".memfs.config.json": `{
  "version": 1,
  "fileCharacterLimits": [
    {
      "pattern": "a.md",
      "maxCharacters": 30000
    },
    {
      "pattern": "b.md",
      "maxCharacters": 2000
    }
  ],
  "readOnlyFiles": [
    "b.md"
  ]
}
`,
		},
	}} {
		t.Run(test.name, func(t *testing.T) {
			files, err := blocks.Files(test.blocks)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, f := range files {
				got[f.Path] = string(f.Content)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFilesNamesEveryBlockThatCannotBe(t *testing.T) {
	_, err := blocks.Files([]blocks.Block{
		{Label: "Human"}, {Label: "human", From: "a.json"}, {Label: "../evil"},
		{Label: "caf\u00e9"}, {Label: "system/cafe\u0301"}, {Label: "a/b"}, {Label: "a_b"},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`block "Human" and a.json: block "human": both would be the file human.md`,
		`block "../evil": the label has the path segment ".."`,
		"block \"caf\u00e9\" and block \"system/cafe\u0301\": both would be",
		`block "a/b" and block "a_b": both would be the file a_b.md`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
}

// Whatever the blocks are: they are refused, or each is one file in the
// directory itself, the repository is judged clean, and the prompt holds every
// value unchanged and once.
func FuzzFiles(f *testing.F) {
	for _, label := range []string{
		"human", "..", "../x", `..\x`, "a\x00b", "CON", strings.Repeat("x", 300), "👩‍👩‍👧", "\u202eevil", "MEMORY", "memory", "system/", "C:", "~", ".git", "a.", " ", "#", "---", "[x](y)", "<memory>",
	} {
		f.Add(label, "Likes Go.\n", "The user")
		f.Add("other", "x", label)
	}
	f.Fuzz(func(t *testing.T, label, value, description string) {
		files, err := blocks.Files([]blocks.Block{{Label: label, Value: value, Description: description}, {Label: "persona", Value: "I am."}})
		if err != nil {
			return
		}
		var list []*tree.File
		for _, file := range files {
			if strings.ContainsAny(file.Path, "/\\\x00") || file.Path == ".git" || file.Path == "." || file.Path == ".." || len(file.Path) > 255 {
				t.Fatalf("label %q is the path %q", label, file.Path)
			}
			list = append(list, tree.NewFile(file.Path, tree.Regular, "", tree.Buffer(file.Content)))
		}
		if len(list) != 3 && !(len(list) == 2 && strings.Contains(label, rules.Index[:6])) {
			t.Fatalf("%d files for two blocks", len(list))
		}
		if !plainText(value) || !plainText(description) || !utf8.ValidString(label) {
			return
		}
		all := tree.New(list)
		report, err := rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: all, Policy: config.RootMarker, ApproveConfig: true}).Judge(context.Background(), rules.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range report.Findings {
			if finding.Severity <= rules.Warning {
				t.Fatalf("label %q, value %q, description %q: %s: %s", label, value, description, finding.Path, finding.Message)
			}
		}
		prompt, err := compile.Compile(context.Background(), all, compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSpace(value); want != "" && !strings.Contains(prompt.Text, "\n"+value) && !strings.Contains(prompt.Text, "\n"+strings.TrimRight(value, " \n\t")+"\n") {
			t.Fatalf("value %q is not in the prompt:\n%s", value, prompt.Text)
		}
	})
}

// plainText is text that no rule of ours has something to say of: letters and
// the punctuation of prose.
func plainText(s string) bool {
	for _, r := range s {
		if !(r == ' ' || r == '\n' || r == '.' || r == ',' || r == '\'' || r == '"' || r == ':' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x3000 && r < 0x9fff) {
			return false
		}
	}
	return true
}
