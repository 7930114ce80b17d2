package agentcli

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// outliveReader lets a command go on when nobody reads its output any more, to
// keep the work that is not committed: writing fails then, and ends nothing.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Endings are the signals by which others end a program: the system, and its
// terminal, unless it is to outlive that (nohup). Work is kept then.
func Endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
}

// SGR colours (ECMA-48), all of them of the terminal's own palette.
const (
	colorRed    = "31"
	colorGreen  = "32"
	colorYellow = "33"
	colorBlue   = "34"
	colorFaint  = "2"
)

// A painter colours text for a terminal, and leaves it alone for a file, a
// pipe, or a person who set NO_COLOR (no-color.org).
type painter bool

// painter is that of standard output.
func (a *app) painter() painter { return a.painterOn(a.env.Stdout) }

func (a *app) painterOn(w io.Writer) painter {
	f, ok := w.(*os.File)
	return painter(ok && term.IsTerminal(int(f.Fd())) && a.env.Getenv("NO_COLOR") == "" && a.env.Getenv("TERM") != "dumb")
}

// paint colours the text; no colour leaves it alone.
func (p painter) paint(color, text string) string {
	if !p || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[m"
}

// shareColor warns of what fills, and of what overflows, its budget.
func shareColor(n int, limit int64) string {
	switch {
	case int64(n) > limit:
		return colorRed
	case int64(n)*10 >= limit*9:
		return colorYellow
	}
	return colorGreen
}
