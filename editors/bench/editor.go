package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/editors/example"
	"github.com/memls/memls/editors/headless"
)

// fewNotes is the size of the memory that the large one is compared with: a
// keystroke shall cost the same in both.
const fewNotes = 100

// A session is an editor with one note open.
type session struct {
	editor *headless.Editor
	note   string // absolute path
	first  time.Duration
	keys   []cost
	busy   time.Duration // the server's CPU time before the first key
}

// measureEditor prints the rows of the language server.
func measureEditor(ctx context.Context, o options, few, many *example.Repo) error {
	var sessions []*session
	for _, repo := range []*example.Repo{many, few} {
		s, err := startSession(ctx, o, repo)
		if err != nil {
			return err
		}
		sessions = append(sessions, s)
	}
	for range o.keys {
		for _, s := range sessions {
			if err := s.key(ctx); err != nil {
				return err
			}
		}
	}
	var keys [2]cost
	for i, s := range sessions {
		after, err := cpuTime(s.editor.PID())
		if err != nil {
			return err
		}
		keys[i] = cost{medians(s.keys).wall, (after - s.busy) / time.Duration(o.keys)}
	}
	fmt.Println(row{"keystroke to diagnostics³", o.large, fmt.Sprintf("the same in %d notes", fewNotes), keys[0], keys[1]})
	fmt.Println(row{"start to first diagnostics", o.large, fmt.Sprintf("the same in %d notes", fewNotes),
		cost{sessions[0].first, sessions[0].busy}, cost{sessions[1].first, sessions[1].busy}})
	fmt.Print(footnotes)
	for i, notes := range []int{o.large, fewNotes} {
		bytes, err := memory(sessions[i].editor.PID(), peak)
		if err != nil {
			return err
		}
		if bytes > 0 {
			fmt.Printf("Peak memory of memls with %d notes: %.1f MB.\n", notes, float64(bytes)/1e6)
		}
		if err := sessions[i].editor.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

const footnotes = `
Medians; ms is wall time. CPU is user and system time of the process and its children.
¹ git ls-files -s, then one git cat-file --batch.
² git ls-files -z | xargs -0 cat | wc
³ CPU is the mean of the server's own, in the clock ticks of the kernel.

`

func startSession(ctx context.Context, o options, repo *example.Repo) (*session, error) {
	s := &session{note: repo.Path(notePath(fewNotes / 2))}
	start := time.Now()
	editor, err := headless.Start(ctx, filepath.Join(o.bin, "memls"), repo.Dir)
	if err != nil {
		return nil, err
	}
	s.editor = editor
	if err := editor.Open(ctx, s.note); err != nil {
		return nil, err
	}
	if _, err := editor.Await(ctx, s.note, headless.Any); err != nil {
		return nil, err
	}
	s.first = time.Since(start)
	s.busy, err = cpuTime(editor.PID())
	return s, err
}

// key types one letter into the heading of the note.
func (s *session) key(ctx context.Context) error {
	const heading = 5 // the line, counted from 0, below the frontmatter
	end := protocol.Position{Line: heading, Character: uint32(len("# Note"))}
	start := time.Now()
	if err := s.editor.Edit(ctx, s.note, []protocol.TextEdit{{Range: protocol.Range{Start: end, End: end}, NewText: "s"}}); err != nil {
		return err
	}
	if _, err := s.editor.Await(ctx, s.note, headless.Any); err != nil {
		return err
	}
	s.keys = append(s.keys, cost{wall: time.Since(start)})
	return nil
}

// ticks per second of /proc/PID/stat (USER_HZ, the same on every Linux).
const ticks = 100

// cpuTime is the user and system time of a process; 0 where there is no /proc.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; utime and stime are the
	// 12th and 13th fields behind it (proc(5)).
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var sum time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * time.Second / ticks
	}
	return sum, nil
}

// Fields of /proc/PID/status, see proc(5).
const (
	peak     = "VmHWM"
	resident = "VmRSS"
)

// memory is the peak or resident size of a process, in bytes; 0 where there is
// no /proc.
func memory(pid int, field string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_, rest, ok := bytes.Cut(status, []byte(field+":"))
	if !ok {
		return 0, fmt.Errorf("no %s in /proc/%d/status", field, pid)
	}
	kilobytes, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	return kilobytes << 10, err
}
