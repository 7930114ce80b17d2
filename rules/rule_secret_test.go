package rules_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// random stands for the part of a secret that is drawn. The secrets of this
// test are put together at run time, so that nobody's scanner takes this file
// for a leak.
const random = "q7Rk2mXv9TzB4nLw8HsJ3cFy6PdG5gAe1uKiMoNpQbVtWxYhDrEfSaCjZlUO0qRk2mXv9TzB4nLw8HsJ3cFy6PdG5gAe1uKi"

var secrets = []struct{ what, secret string }{
	{"an AWS access key", "AKIA" + "Q7RK2MXVTZBNLWHS"},
	{"an AWS access key", "ASIA" + "Q7RK2MXVTZBNLWHS"},
	{"a GitHub token", "ghp_" + random[:36]},
	{"a GitHub token", "ghs_" + random[:36]},
	{"a GitHub token", "github" + "_pat_" + random[:22] + "_" + random[:59]},
	{"a GitLab token", "glpat-" + random[:20]},
	{"a Slack token", "xoxb-" + "2048193756-" + random[:24]},
	{"a Slack webhook", "hooks.slack.com/services/" + "T0" + random[:8] + "/B0" + random[:8] + "/" + random[:24]},
	{"an OpenAI key", "sk-proj-" + random[:60]},
	{"an API key", "sk-" + random[:48]},
	{"an Anthropic key", "sk-ant-" + "api03-" + random[:80]},
	{"an OpenRouter key", "sk-or-v1-" + strings.Repeat("3f786850e387550fdab836ed7e6dc881", 2)},
	{"a Letta key", "sk-let-" + random[:60] + "=="},
	{"a Google API key", "AIza" + random[:35]},
	{"a Stripe key", "sk" + "_live_" + random[:24]},
	{"an npm token", "npm_" + random[:36]},
	{"a PyPI token", "pypi-AgE" + "IcHlwaS5vcmc" + random[:70]},
	{"a Hugging Face token", "hf_" + random[:34]},
	{"a JSON web token", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "pZCI6NDJ9" + random[:20] + "." + random[:43]},
	{"a private key", "-----BEGIN RSA " + "PRIVATE KEY-----\n" + random[:64] + "\n" + random[:40]},
	{"a private key", "-----BEGIN " + "PRIVATE KEY-----\\n" + random[:64] + "\\n" + random[:40]},
	{"a private key", "-----BEGIN EC " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + random[:64] + "\n" + random[:7] + "=="},
}

func secretFindings(t *testing.T, path, text string) []rules.Finding {
	t.Helper()
	f := tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
	files := []*tree.File{f}
	if path != "MEMORY.md" {
		files = append(files, tree.NewFile("MEMORY.md", tree.Regular, "", tree.Buffer("# Memory\n")))
	}
	v := rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: tree.New(files), Policy: config.RootMarker})
	report, err := v.Judge(t.Context(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []rules.Finding
	for _, finding := range report.Findings {
		if finding.Rule.ID == "secret" {
			found = append(found, finding)
		}
	}
	return found
}

func TestSecrets(t *testing.T) {
	for _, c := range secrets {
		for _, around := range []string{
			"§", "use §.", "KEY=§\n", "\"§\",", "`§`", "(§)", "api_key: §", "[§]", "{§}", "<§>", "'§'", "a:§", "a,§;",
			"https://x.example/§", "https://§@x.example/a", "https://me:§@x.example/a", "https://x.example/?key=§&a=b", "?q=a+§", "?q=%20§", "k%3D§",
			`{"text": "§"}`, `"{\"text\": \"§\"}"`, `"\n§\n"`, `"a\t§\r\n"`, `"\u003c§\u003e"`,
		} {
			text := strings.Replace(around, "§", c.secret, 1)
			found := secretFindings(t, "MEMORY.md", text)
			if len(found) != 1 {
				t.Errorf("%s in %q: %d findings", c.what, around, len(found))
				continue
			}
			f := found[0]
			if want := "looks like " + c.what; f.Message != want {
				t.Errorf("%q: message %q, want %q", around, f.Message, want)
			}
			if got := text[f.Span.Start:f.Span.End]; got != c.secret {
				t.Errorf("%s in %q: range is %q", c.what, around, got)
			}
		}
	}
}

func TestNamedSecrets(t *testing.T) {
	const value = "Tr0ub4dor&3xyz"
	for _, text := range []string{
		"password: " + value, "DB_PASSWORD=" + value, "- **Password**: `" + value + "`",
		"the API key: " + random[:20], "client_secret = \"" + random[:32] + "\"",
		"{\"access_token\": \"" + random[:32] + "\"}", "export FOO_TOKEN=" + random[:40],
		"password := '" + value + "'", `"{\"password\": \"` + value + `\"}"`, `{"text": "password: ` + value + `\nand more"}`,
	} {
		found := secretFindings(t, "MEMORY.md", text)
		if len(found) != 1 || found[0].Message != "looks like a password or token" {
			t.Errorf("%q: %v", text, found)
			continue
		}
		if got := text[found[0].Span.Start:found[0].Span.End]; got != value && !strings.HasPrefix(random, got) {
			t.Errorf("%q: range is %q", text, got)
		}
	}
}

func TestURLPasswords(t *testing.T) {
	const value = "Tr0ub4dor&3xyz"
	for _, text := range []string{"postgres://app:§@db.example/x", "<https://me:§@x.example>", `{"url": "redis://:§@x.example:6379"}`, "amqp://me:§@x"} {
		found := secretFindings(t, "MEMORY.md", strings.Replace(text, "§", value, 1))
		if len(found) != 1 || found[0].Message != "looks like a password in a URL" {
			t.Errorf("%q: %v", text, found)
			continue
		}
		if start := strings.Index(text, "§"); found[0].Span != (rules.Span{Start: start, End: start + len(value)}) {
			t.Errorf("%q: range is %v", text, found[0].Span)
		}
	}
}

// What only resembles a credential is left alone.
func TestNoSecrets(t *testing.T) {
	const sha = "3f786850e387550fdab836ed7e6dc881de23001b"
	blob := make([]byte, 3000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range blob {
		blob[i] = byte(r.Uint32())
	}
	for _, text := range []string{
		"commit " + sha, "https://x.example/a/commit/" + sha, "see task-" + sha + " and /disk-" + sha, "mask_" + sha + ".js",
		"id: 0f8fad5b-d9cb-469f-a165-70867728950e", "token: 0f8fad5b-d9cb-469f-a165-70867728950e", "https://x.example/0f8fad5b-d9cb-469f-a165-70867728950e",
		"/usr/lib/python3.12/site-packages/hf_transfer-0.1.9", "/home/me/sk-learn/notes2024.md", "C:\\new\\task-1\\npm_cache",
		"https://x.example:8443/a@2x.png", "ssh://git@x.example:2222/a", "postgres://app:password@localhost/db", "https://me:${DB_PASSWORD}@x.example",
		`{"text": "api key: none\nbuild1of2step3go"}`, "password: see the keychain", "npm_config_registry=https://x.example/npm_registry_2024",
		"data:image/png;base64," + base64.StdEncoding.EncodeToString(blob), base64.URLEncoding.EncodeToString(blob),
	} {
		for _, f := range secretFindings(t, "MEMORY.md", text) {
			t.Errorf("%.80q: %s: %q", text, f.Message, text[f.Span.Start:f.Span.End])
		}
	}
}

// Nothing that is shown or stored of a finding repeats the secret.
func TestSecretIsNotRepeated(t *testing.T) {
	secret := "ghp_" + random[:36]
	for _, f := range secretFindings(t, "a.md", "---\nname: A\ndescription: "+secret+"\n---\n") {
		if all := f.Message + f.Line + f.Help; strings.Contains(all, random[:6]) {
			t.Errorf("the finding says %q", all)
		}
	}
}

func TestSecretsWhere(t *testing.T) {
	secret := "ghp_" + random[:36]
	for path, want := range map[string]int{
		"a.md": 1, "MEMORY.md": 1, "skills/s/SKILL.md": 1, "skills/s/references/api.md": 1,
		".memfs.config.json": 1, "data.csv": 0,
	} {
		if got := len(secretFindings(t, path, `{"x": "`+secret+`"}`)); got != want {
			t.Errorf("%s: %d findings, want %d", path, got, want)
		}
	}
}

func BenchmarkSecrets(b *testing.B) {
	text := []byte(strings.Repeat("The token: kept in the keychain. See [the plan](x.md), sk and ghosts; `a = b`.\n", 250))
	b.ReportAllocs()
	for b.Loop() {
		rules.Secrets(text)
	}
}
