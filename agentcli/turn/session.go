package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/memls/memls/agentcli/model"
)

// sessionVersion is that of the format of session files.
const sessionVersion = 1

// sessionStart is how each of them begins, by which a first line that was cut is
// told from a file of something else.
const sessionStart = `{"session":`

// A Session is a conversation in a file: a line of JSON that says what it is,
// then one for each message, without secrets. Lines are only ever added; one
// that was cut by a crash is taken off by the next reader. While it is open no
// other process can open it.
type Session struct {
	ID       string          // of the conversation
	Messages []model.Message // that the file had when it was opened

	file *lockedfile.File
	mask *Mask
}

// A sessionLine is a line of the file: the first has Session, ID and Time, the
// others have a message.
type sessionLine struct {
	Session int            `json:"session,omitempty"`
	ID      string         `json:"id,omitempty"`
	Turn    string         `json:"turn,omitempty"`
	Time    time.Time      `json:"time"`
	Message *model.Message `json:"message,omitempty"`
}

// OpenSession opens a session, or begins one with the given id. It waits, as
// long as ctx lets it, for another process that has it open.
func OpenSession(ctx context.Context, path, id string, mask *Mask) (*Session, error) {
	// Opening a pipe waits for its other end, and reading one for its end.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("cannot open the session: %s is no regular file; name another one", path)
	}
	type opened struct {
		file *lockedfile.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, fmt.Errorf("cannot open the session: %w", o.err)
		}
		s := &Session{ID: id, file: o.file, mask: mask}
		if err := s.read(path); err != nil {
			s.file.Close()
			return nil, err
		}
		return s, nil
	case <-ctx.Done():
		go func() { // it may come yet
			if o := <-done; o.err == nil {
				o.file.Close()
			}
		}()
		return nil, fmt.Errorf("session %s: %w", path, context.Cause(ctx))
	}
}

func (s *Session) read(path string) error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return fmt.Errorf("cannot read the session: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if err := s.parse(path, text[:whole]); err != nil {
		return err
	}
	if start := text[:min(len(text), len(sessionStart))]; whole == 0 && !bytes.HasPrefix([]byte(sessionStart), start) {
		return fmt.Errorf("%s: is no session; name another file", path)
	}
	// Only now is it known to be ours to change.
	if err := errors.Join(s.file.Truncate(int64(whole)), seekEnd(s.file)); err != nil {
		return fmt.Errorf("cannot write the session: %w", err)
	}
	if whole == 0 {
		return s.write(sessionLine{Session: sessionVersion, ID: s.ID, Time: time.Now().UTC()})
	}
	return s.answer()
}

// parse takes the whole lines of the file.
func (s *Session) parse(path string, text []byte) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var l sessionLine
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%s:%d: is no line of a session (%w); name another file", path, number, err)
		}
		switch {
		case number == 1 && l.Session != sessionVersion:
			return fmt.Errorf("%s: is no session that this version knows; name another file", path)
		case number == 1:
			s.ID = l.ID
		case l.Message != nil:
			s.Messages = append(s.Messages, *l.Message)
		}
	}
	return nil
}

func seekEnd(f io.Seeker) error {
	_, err := f.Seek(0, io.SeekEnd)
	return err
}

// answer gives calls that have no result one: of a process that was killed
// while a tool ran. Providers refuse a conversation without.
func (s *Session) answer() error {
	if len(s.Messages) == 0 {
		return nil
	}
	var open []model.Part
	for _, call := range callsOf(s.Messages[len(s.Messages)-1]) {
		open = append(open, model.Part{Result: &model.Result{ID: call.ID, Text: notRun, IsError: true}})
	}
	if len(open) == 0 {
		return nil
	}
	m := model.Message{Role: model.User, Parts: open}
	s.Messages = append(s.Messages, m)
	return s.Add("", &m)
}

// Add writes a message of the turn to the file.
func (s *Session) Add(turn string, m *model.Message) error {
	masked := s.mask.Message(*m)
	return s.write(sessionLine{Turn: turn, Time: time.Now().UTC(), Message: &masked})
}

func (s *Session) write(l sessionLine) error {
	text, err := json.Marshal(l)
	if err == nil {
		_, err = s.file.Write(append(text, '\n'))
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot write the session: %w", err)
	}
	return nil
}

// Close lets others open the session.
func (s *Session) Close() error { return s.file.Close() }
