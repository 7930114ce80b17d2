package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/memls/memls/rules/tree"
)

func (w *Workspace) create(_ context.Context, in *memoryInput) (string, error) {
	p, err := w.locate(in.Path)
	if err != nil {
		return "", err
	}
	if err := w.addFile(p, in.FileText, in.Description); err != nil {
		return "", err
	}
	return "File created successfully at: " + spell(p), nil
}

// addFile creates a file. One whose place asks for frontmatter gets it where
// the text has none.
func (w *Workspace) addFile(p, text, description string) error {
	if err := w.free(p); err != nil {
		return err
	}
	if err := w.put(p, tree.Regular, []byte(text)); err != nil {
		return err
	}
	if err := w.giveFront(p); err != nil || description == "" {
		return err
	}
	return w.describe(p, description)
}

func (w *Workspace) strReplace(_ context.Context, in *memoryInput) (string, error) {
	f, text, err := w.file(in.Path)
	switch {
	case err != nil:
		return "", err
	case in.OldStr == "":
		return "", errors.New("old_str is empty: give the text to replace, exactly as it is in the file")
	case in.OldStr == in.NewStr:
		return "", errors.New("old_str and new_str are the same: nothing would change")
	}
	at := places(string(text), in.OldStr)
	switch {
	case len(at) == 0:
		return "", fmt.Errorf("no replacement was performed: old_str %s does not appear verbatim in %s%s",
			quoted(in.OldStr), spell(f.Path), nearMiss(string(text), in.OldStr))
	case len(at) > 1:
		return "", fmt.Errorf("no replacement was performed: old_str appears %d times in %s, in lines %s: make it longer, so that it is unique",
			len(at), spell(f.Path), lineNumbers(string(text), at))
	}
	next := in.NewStr
	if !strings.Contains(in.OldStr, "\r") { // else line ends may be what is to be changed
		next = withEnds(next, string(text))
	}
	after := string(text[:at[0]]) + next + string(text[at[0]+len(in.OldStr):])
	if err := w.put(f.Path, f.Mode, []byte(after)); err != nil {
		return "", err
	}
	first := lineAt(after, at[0])
	return edited(f.Path, after, first, first+strings.Count(in.NewStr, "\n")), nil
}

// withEnds gives a text CRLF line ends if it goes into a file that has no
// others. Models write LF, whatever they see.
func withEnds(text, file string) string {
	if !isCRLF(file) {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// isCRLF reports whether there are line ends, all of them CRLF.
func isCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && strings.Count(text, "\r\n") == n
}

// places are the offsets at which a text is found, also where they overlap.
func places(text, part string) (at []int) {
	for from := 0; from < len(text); {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

// lineAt is the line, from 1, that holds an offset.
func lineAt(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

func lineNumbers(text string, at []int) string {
	const most = 20
	var numbers []string
	for _, offset := range at[:min(len(at), most)] {
		numbers = append(numbers, strconv.Itoa(lineAt(text, offset)))
	}
	numbers = slices.Compact(numbers)
	if len(at) > most {
		numbers = append(numbers, "…")
	}
	return strings.Join(numbers, ", ")
}

// nearMiss says where a text nearly is: but for white space, else where the
// line is that is most like its first one.
func nearMiss(text, part string) string {
	if strings.Contains(text, "\r\n") && len(places(strings.ReplaceAll(text, "\r\n", "\n"), part)) > 0 {
		return `. Its lines end in \r\n: write them so in old_str, too`
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	want := squeeze(strings.SplitN(strings.TrimSpace(part), "\n", 2)[0])
	if want == "" {
		return ""
	}
	best, line := len(want)/2, 0 // at most half of it may differ
	for i, l := range linesOf([]byte(text)) {
		l = squeeze(l)
		if strings.Contains(l, want) {
			return fmt.Sprintf(". Line %d is like its first line but for white space or what follows: view the file", i+1)
		}
		if len(l) > 2*len(want) || len(want) > 2*len(l) {
			continue
		}
		if d := levenshtein.ComputeDistance(l, want); d < best {
			best, line = d, i+1
		}
	}
	if line == 0 {
		return ". View the file to see what it holds"
	}
	return fmt.Sprintf(". The nearest is line %d: %s", line, quoted(linesOf([]byte(text))[line-1]))
}

// edited says that a file was changed, and shows the changed lines with two
// more on either side.
func edited(p, text string, first, last int) string {
	lines := linesOf([]byte(text))
	from, to := max(1, first-2), min(len(lines), last+2)
	return "The memory file " + spell(p) + " has been edited. Here's the changed part with line numbers:\n" + numbered(lines, from, to)
}

func (w *Workspace) insert(_ context.Context, in *memoryInput) (string, error) {
	f, text, err := w.file(in.Path)
	if err != nil {
		return "", err
	}
	lines := linesOf(text)
	after, err := whole("insert_line", in.InsertLine)
	if err != nil {
		return "", err
	}
	if after < 0 || after > len(lines) {
		return "", fmt.Errorf("insert_line %d is not in %s: it is a line after which the text goes, from 0 (the top) to %d (the end)", after, spell(f.Path), len(lines))
	}
	offset := 0
	for _, line := range lines[:after] {
		offset += len(line) + 1
	}
	out := string(text)
	more := withEnds(strings.TrimSuffix(in.InsertText, "\n")+"\n", out)
	if offset > len(out) { // the last line has no end: the text goes without one, too
		out += withEnds("\n", out)
		offset = len(out)
		more = strings.TrimSuffix(strings.TrimSuffix(more, "\n"), "\r")
	}
	out = out[:offset] + more + out[offset:]
	if err := w.put(f.Path, f.Mode, []byte(out)); err != nil {
		return "", err
	}
	return edited(f.Path, out, after+1, after+len(linesOf([]byte(more)))), nil
}

func (w *Workspace) updateDescription(_ context.Context, in *memoryInput) (string, error) {
	f, _, err := w.file(in.Path)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(in.Description) == "" {
		return "", errors.New("the description is empty: say in one line what the file is for")
	}
	if err := w.giveFront(f.Path); err != nil {
		return "", err
	}
	if err := w.describe(f.Path, in.Description); err != nil {
		return "", err
	}
	return "The description of " + spell(f.Path) + " has been updated.", nil
}
