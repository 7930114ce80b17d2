package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The patches that models write have no line numbers, and no library that is
// kept applies them to texts in memory: the ones for unified diffs ask for
// numbers. This reads what OpenAI's models are trained on, and never guesses:
// what is not found, or found twice, is an error that the model can mend.

// A filePatch is what a patch does to one file.
type filePatch struct {
	verb string // of verbs
	path string
	to   string // of an update that moves the file, else ""
	text []string
	// hunks of an update, in order of the file.
	hunks []hunk
}

// A hunk replaces the lines before by those after.
type hunk struct {
	anchors       []string // lines above it, each below the one before
	before, after []string
	atEnd         bool
}

const (
	addFile    = "Add File"
	updateFile = "Update File"
	deleteFile = "Delete File"
)

type patchInput struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

func (w *Workspace) applyPatch(_ context.Context, input []byte) (string, error) {
	var in patchInput
	if err := DecodeInput(input, &in); err != nil {
		return "", err
	}
	files, err := parsePatch(in.Input)
	if err != nil {
		return "", fmt.Errorf("the patch was not applied: %w", err)
	}
	done := "The patch was applied:\n"
	for i := range files {
		what, err := w.patchFile(&files[i])
		if err != nil {
			return "", fmt.Errorf("nothing of the patch was applied: %w", err)
		}
		done += what + "\n"
	}
	w.because(in.Reason)
	return done, nil
}

func (w *Workspace) patchFile(f *filePatch) (string, error) {
	p, err := w.locate(f.path)
	if err != nil {
		return "", err
	}
	switch f.verb {
	case addFile:
		return "A " + spell(p), w.addFile(p, joinLines(f.text), "")
	case deleteFile:
		switch {
		case w.tree.Dir(p) != nil:
			return "", fmt.Errorf("%s is a directory: delete it with the memory tool, or its files one by one", spell(p))
		case !w.tree.Has(p):
			return "", w.missing(p)
		}
		return "D " + spell(p), w.remove(p)
	}
	old, text, err := w.file(f.path)
	if err != nil {
		return "", err
	}
	out, err := applyHunks(string(text), f.hunks)
	if err != nil {
		return "", fmt.Errorf("%s: %w", spell(p), err)
	}
	if err := w.put(p, old.Mode, []byte(out)); err != nil || f.to == "" {
		return "M " + spell(p), err
	}
	from, to, err := w.move(p, f.to)
	return "M " + spell(from) + ", moved to " + spell(to), err
}

func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// applyHunks applies hunks from the top down, each below the last. Line ends
// are the file's: a patch has lines.
func applyHunks(text string, hunks []hunk) (string, error) {
	if isCRLF(text) {
		out, err := applyHunks(strings.ReplaceAll(text, "\r\n", "\n"), hunks)
		return strings.ReplaceAll(out, "\n", "\r\n"), err
	}
	end := ""
	if text == "" || strings.HasSuffix(text, "\n") {
		end = "\n"
	}
	lines := linesOf([]byte(text))
	var out []string
	at := 0 // the first line that is not yet in out
	for i := range hunks {
		start, err := hunks[i].find(lines, at)
		if err != nil {
			return "", fmt.Errorf("change %d of %d: %w", i+1, len(hunks), err)
		}
		out = append(append(out, lines[at:start]...), hunks[i].after...)
		at = start + len(hunks[i].before)
	}
	out = append(out, lines[at:]...)
	if len(out) == 0 {
		return "", nil
	}
	return strings.Join(out, "\n") + end, nil
}

// find is the line, from 0 and not above from, at which the hunk applies.
func (h *hunk) find(lines []string, from int) (int, error) {
	for _, anchor := range h.anchors {
		at := matches(lines, []string{anchor}, from)
		if len(at) == 0 {
			return 0, fmt.Errorf("the line after @@, %s, is not in the file below line %d", quoted(anchor), from)
		}
		from = at[0] + 1
	}
	if h.atEnd {
		start := len(lines) - len(h.before)
		if start < from || len(h.before) > 0 && len(matches(lines[start:], h.before, 0)) == 0 {
			return 0, fmt.Errorf("its lines are not at the end of the file, where %s is", endOf(lines))
		}
		return start, nil
	}
	if len(h.before) == 0 {
		if len(h.anchors) > 0 {
			return from, nil
		}
		if len(lines) == 0 {
			return 0, nil
		}
		return 0, errors.New("it only adds lines: give a line beside them that stays, a line after @@, or *** End of File")
	}
	at := matches(lines, h.before, from)
	switch {
	case len(at) == 0:
		return 0, fmt.Errorf("the lines that stay or go, from %s on, are not in the file like this%s", quoted(h.before[0]), nearMiss(strings.Join(lines, "\n"), h.before[0]))
	case len(at) > 1:
		return 0, fmt.Errorf("the lines that stay or go are in the file %d times, from lines %d and %d on: give more lines around them, or one above them after @@", len(at), at[0]+1, at[1]+1)
	}
	return at[0], nil
}

func endOf(lines []string) string {
	if len(lines) == 0 {
		return "nothing"
	}
	return quoted(lines[len(lines)-1])
}

// matches are the lines, from 0 and not above from, where part starts.
func matches(lines, part []string, from int) (at []int) {
	for i := from; i+len(part) <= len(lines); i++ {
		same := true
		for j := range part {
			same = same && lines[i+j] == part[j]
		}
		if same {
			at = append(at, i)
		}
	}
	return at
}
