package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

const (
	// maxLines is where Anthropic's own tool gives up on a file.
	maxLines = 999_999
	// maxView bounds what one view shows, in bytes, and maxEntries a directory.
	maxView    = 256 << 10
	maxEntries = 500
	// viewDepth is how many levels of a directory are listed.
	viewDepth = 2
)

func (w *Workspace) view(_ context.Context, in *memoryInput) (string, error) {
	p, err := w.locate(in.Path)
	if err != nil {
		return "", err
	}
	if d := w.tree.Dir(p); d != nil && !w.tree.Has(p) {
		if in.ViewRange != nil {
			return "", fmt.Errorf("%s is a directory, and view_range is for files", spell(p))
		}
		return listing(d)
	}
	f, text, err := w.file(in.Path)
	if err != nil {
		return "", err
	}
	lines := linesOf(text)
	if len(lines) > maxLines {
		return "", fmt.Errorf("%s has more than %d lines", spell(f.Path), maxLines)
	}
	if len(lines) == 0 {
		return spell(f.Path) + " is empty.", nil
	}
	from, to := 1, len(lines)
	if in.ViewRange != nil {
		if from, to, err = viewRange(in, len(lines)); err != nil {
			return "", fmt.Errorf("%s: %w", spell(f.Path), err)
		}
	}
	shown := numbered(lines, from, to)
	if len(shown) > maxView {
		shown = cutView(shown) + fmt.Sprintf("(cut: %s in all; see the rest with view_range)\n", plural(len(lines), "line"))
	}
	return "Here's the content of " + spell(f.Path) + " with line numbers:\n" + shown, nil
}

// cutView is as many lines as can be shown: of one that is longer than that its
// beginning.
func cutView(shown string) string {
	if end := strings.LastIndexByte(shown[:maxView], '\n'); end >= 0 {
		return shown[:end+1]
	}
	return strings.ToValidUTF8(shown[:maxView], "") + "…\n(cut: the line is longer than can be shown)\n"
}

// viewRange is the range of lines that is asked for, from 1, both ends in it.
func viewRange(in *memoryInput, lines int) (from, to int, err error) {
	if len(in.ViewRange) != 2 {
		return 0, 0, errors.New("view_range has two numbers: the first line and the last, -1 for the end")
	}
	if from, err = whole("view_range", in.ViewRange[0]); err == nil {
		to, err = whole("view_range", in.ViewRange[1])
	}
	if err != nil {
		return 0, 0, err
	}
	if to == -1 || to > lines {
		to = max(lines, from)
	}
	if from < 1 || from > lines || to < from {
		return 0, 0, fmt.Errorf("view_range [%s, %s] is not in the file, which has lines 1 to %d", in.ViewRange[0], in.ViewRange[1], lines)
	}
	return from, to, nil
}

// linesOf are the lines of a text without their ends; a final line end starts
// no line.
func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// numbered shows lines from and to, from 1, and those between.
func numbered(lines []string, from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, "%6d\t%s\n", n, lines[n-1])
	}
	return b.String()
}

// listing shows a directory: two levels of it, one where that would be too much
// to read. Hidden names are left out.
func listing(d *tree.Dir) (string, error) {
	l := lister{depth: viewDepth}
	l.dir(d, 0)
	if l.left > 0 {
		l = lister{depth: 1}
		l.dir(d, 0)
	}
	if l.err != nil {
		return "", l.err
	}
	head := fmt.Sprintf("Here are the files and directories up to %s deep in %s, hidden ones apart:\n", plural(l.depth, "level"), spell(d.Path))
	if l.left > 0 {
		fmt.Fprintf(&l.lines, "(%d more)\n", l.left)
	}
	return head + l.lines.String(), nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A lister writes lines of size, tab and path.
type lister struct {
	depth         int // how many levels
	lines         strings.Builder
	entries, left int
	err           error
}

func (l *lister) line(size int, path string) {
	if l.entries++; l.entries > maxEntries {
		l.left++
		return
	}
	fmt.Fprintf(&l.lines, "%s\t%s\n", sizeText(size), path)
}

func (l *lister) dir(d *tree.Dir, depth int) {
	l.line(l.sizeOf(d), spell(d.Path)+"/")
	if depth == l.depth {
		return
	}
	for f := range d.Files() {
		if !strings.HasPrefix(f.Name(), ".") {
			l.line(l.fileSize(f), spell(f.Path))
		}
	}
	for sub := range d.Dirs() {
		if !strings.HasPrefix(sub.Name(), ".") {
			l.dir(sub, depth+1)
		}
	}
}

func (l *lister) sizeOf(d *tree.Dir) (size int) {
	for f := range d.All() {
		size += l.fileSize(f)
	}
	return size
}

// fileSize is in bytes, 0 for what is no file.
func (l *lister) fileSize(f *tree.File) int {
	if f.Mode == tree.Gitlink {
		return 0
	}
	size, err := f.Memo(sizeKey{}, func() (any, error) {
		text, err := f.Bytes()
		return len(text), err
	})
	if err != nil {
		l.err = fmt.Errorf("%s cannot be read: %w", spell(f.Path), errors.Unwrap(err))
		return 0
	}
	return size.(int)
}

type sizeKey struct{}

// sizeText is a size as du -h shows it: bytes, or thousands with one place.
func sizeText(bytes int) string {
	size, unit := float64(bytes), 0
	for size >= 1024 && unit < len("BKMGT")-1 {
		size, unit = size/1024, unit+1
	}
	text := fmt.Sprintf("%.1f", size)
	return strings.TrimSuffix(text, ".0") + "BKMGT"[unit:unit+1]
}

// quoted is a piece of a file in a message: one line, cut where it is long.
func quoted(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", rules.Printable(text))
}
