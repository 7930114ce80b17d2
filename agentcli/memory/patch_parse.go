package memory

import (
	"errors"
	"fmt"
	"strings"
)

// parsePatch reads a patch: *** Begin Patch, files, *** End Patch. White space
// around these two lines is forgiven.
func parsePatch(text string) ([]filePatch, error) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if strings.TrimSpace(lines[0]) != "*** Begin Patch" {
		return nil, errors.New("its first line has to be *** Begin Patch")
	}
	if last := strings.TrimSpace(lines[len(lines)-1]); len(lines) < 2 || last != "*** End Patch" {
		return nil, errors.New("its last line has to be *** End Patch")
	}
	p := patchReader{lines: lines[:len(lines)-1], at: 1}
	var files []filePatch
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		f, err := p.file()
		if err != nil {
			return nil, err
		}
		files = append(files, *f)
	}
	if len(files) == 0 {
		return nil, errors.New("it names no file: write *** Add File:, *** Update File: or *** Delete File: and a path")
	}
	return files, nil
}

// A patchReader goes through the lines of a patch.
type patchReader struct {
	lines []string
	at    int
}

func (p *patchReader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", p.at+1, fmt.Sprintf(format, args...))
}

// more reports whether the section goes on.
func (p *patchReader) more() bool {
	return p.at < len(p.lines) && !strings.HasPrefix(p.lines[p.at], "*** ")
}

func (p *patchReader) file() (*filePatch, error) {
	head, path, ok := strings.Cut(strings.TrimPrefix(p.lines[p.at], "*** "), ":")
	f := &filePatch{verb: head, path: strings.TrimSpace(path)}
	known := head == addFile || head == updateFile || head == deleteFile
	if !ok || !known || !strings.HasPrefix(p.lines[p.at], "*** ") {
		return nil, p.fail("%s: *** Add File:, *** Update File: or *** Delete File: has to be here", quoted(p.lines[p.at]))
	}
	if f.path == "" {
		return nil, p.fail("the path is missing")
	}
	p.at++
	switch head {
	case addFile:
		return f, p.added(f)
	case updateFile:
		return f, p.updated(f)
	}
	for p.more() && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
	if p.more() {
		return nil, p.fail("a file that is deleted has no lines")
	}
	return f, nil
}

func (p *patchReader) added(f *filePatch) error {
	for ; p.more(); p.at++ {
		line, ok := strings.CutPrefix(p.lines[p.at], "+")
		if !ok && strings.TrimSpace(p.lines[p.at]) != "" {
			return p.fail("%s: every line of a new file starts with +", quoted(p.lines[p.at]))
		}
		if ok {
			f.text = append(f.text, line)
		}
	}
	return nil
}

func (p *patchReader) updated(f *filePatch) error {
	if p.at < len(p.lines) {
		if to, ok := strings.CutPrefix(p.lines[p.at], "*** Move to:"); ok {
			f.to = strings.TrimSpace(to)
			p.at++
		}
	}
	for p.more() {
		if strings.TrimSpace(p.lines[p.at]) == "" && p.blankToEnd() {
			break
		}
		h, err := p.hunk()
		if err != nil {
			return err
		}
		f.hunks = append(f.hunks, *h)
	}
	if len(f.hunks) == 0 && f.to == "" {
		return p.fail("the update of %s changes nothing", quoted(f.path))
	}
	return nil
}

// blankToEnd reports whether the section has nothing but blank lines left, and
// skips them.
func (p *patchReader) blankToEnd() bool {
	at := p.at
	for ; p.more(); p.at++ {
		if strings.TrimSpace(p.lines[p.at]) != "" {
			p.at = at
			return false
		}
	}
	return true
}

func (p *patchReader) hunk() (*hunk, error) {
	h := &hunk{}
	for ; p.more() && strings.HasPrefix(p.lines[p.at], "@@"); p.at++ {
		if anchor := strings.TrimPrefix(strings.TrimPrefix(p.lines[p.at], "@@"), " "); strings.TrimSpace(anchor) != "" {
			h.anchors = append(h.anchors, anchor)
		}
	}
	changes := false
	for ; p.more() && !strings.HasPrefix(p.lines[p.at], "@@"); p.at++ {
		line := p.lines[p.at]
		if line == "" {
			if p.blankToEnd() {
				break
			}
			line = " " // editors cut the blank off
		}
		switch line[0] {
		case ' ':
			h.before, h.after = append(h.before, line[1:]), append(h.after, line[1:])
		case '-':
			h.before, changes = append(h.before, line[1:]), true
		case '+':
			h.after, changes = append(h.after, line[1:]), true
		default:
			return nil, p.fail("%s: a line that stays starts with a blank, others with - or +", quoted(line))
		}
	}
	if p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "*** End of File" {
		h.atEnd = true
		p.at++
	}
	if !changes {
		return nil, p.fail("a change without a line that starts with - or +")
	}
	return h, nil
}
