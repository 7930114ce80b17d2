package agentcli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Colours are for terminals: none of these is one.
func TestPainterOfNoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, a := range map[string]app{
		"buffer": {env: Env{Stdout: &strings.Builder{}, Getenv: func(string) string { return "" }}},
		"file":   {env: Env{Stdout: file, Getenv: func(string) string { return "" }}},
	} {
		if a.painter() {
			t.Errorf("%s: gets colours", name)
		}
	}
}

// Colours change no column: what is printed is the same without them.
func TestPaintedTreeKeepsItsColumns(t *testing.T) {
	n, limit := 95, int64(100)
	d := drawing{lines: []drawnLine{
		{name: "├── a.md", file: &treeFile{Tier: tierCore, Characters: &n, Limit: &limit}},
		{name: "├── stray.md", file: &treeFile{Tier: tierStray, Characters: &n}},
		{name: "└── dir/"},
	}}
	var plain, painted strings.Builder
	d.print(&plain, false)
	d.print(&painted, true)
	if got := sgr.ReplaceAllString(painted.String(), ""); got != plain.String() {
		t.Errorf("painted, colours taken off:\n%s\nwant:\n%s", got, plain.String())
	}
	for what, color := range map[string]string{"├── a.md": colorGreen, "├── stray.md": colorRed, "└── dir/": colorBlue, "  95 % of 100": colorYellow} {
		if want := painter(true).paint(color, what); !strings.Contains(painted.String(), want) {
			t.Errorf("no %q in %q", want, painted.String())
		}
	}
}

func TestShareColor(t *testing.T) {
	for n, want := range map[int]string{0: colorGreen, 89: colorGreen, 90: colorYellow, 100: colorYellow, 101: colorRed} {
		if got := shareColor(n, 100); got != want {
			t.Errorf("%d of 100: colour %s, want %s", n, got, want)
		}
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9]*m")
