package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/memls/memls/agentcli/model"
)

// JournalFile is the name of the journal in our folder of a repository.
const JournalFile = "turn.jsonl"

const (
	// journalSize is where a journal becomes the old one, in bytes.
	journalSize = 8 << 20
	// journalText bounds a text in it, in bytes: what a tool told is to be
	// found, not kept whole.
	journalText = 4 << 10
)

// A Journal notes what turns do, line by line, each on disk before the next
// thing happens, and without secrets. Turns that run at once share it.
type Journal struct {
	turn string
	file *os.File
	mask *Mask
}

// An Entry is a line of the journal. Of a turn the first says what was asked,
// the last how it ended.
type Entry struct {
	Time  time.Time `json:"time"`
	Turn  string    `json:"turn"`
	Event string    `json:"event"` // start, answer, result, refused or end

	Model   string       `json:"model,omitempty"`
	Base    string       `json:"base,omitempty"`
	System  string       `json:"system_sha256,omitempty"` // of the base prompt
	Prompt  string       `json:"prompt_sha256,omitempty"` // with the memory
	Request string       `json:"request,omitempty"`
	Text    string       `json:"text,omitempty"`
	Calls   []model.Call `json:"calls,omitempty"` // whole: they are the work
	Call    string       `json:"call,omitempty"`  // whose result this is
	IsError bool         `json:"is_error,omitempty"`
	Stop    model.Stop   `json:"stop,omitempty"`
	Usage   *model.Usage `json:"usage,omitempty"`
	By      string       `json:"by,omitempty"` // who refused
	Outcome Outcome      `json:"outcome,omitempty"`
	Error   string       `json:"error,omitempty"`
	Commit  string       `json:"commit,omitempty"`
	Rescue  string       `json:"rescue_ref,omitempty"`
}

// Hash is how the journal names a prompt.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// OpenJournal opens the journal in a folder for one turn.
func OpenJournal(dir, turn string, mask *Mask) (*Journal, error) {
	name := filepath.Join(dir, JournalFile)
	rotate(name)
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the journal: %w", err)
	}
	return &Journal{turn: turn, file: file, mask: mask}, nil
}

// rotate makes a long journal the old one, if it can.
func rotate(name string) {
	long := func() bool {
		info, err := os.Stat(name)
		return err == nil && info.Size() >= journalSize
	}
	if !long() {
		return
	}
	unlock, err := lockedfile.MutexAt(name + ".lock").Lock()
	if err != nil {
		return
	}
	defer unlock()
	if long() { // nobody else was quicker
		_ = os.Rename(name, name+".old")
	}
}

// Write notes an entry, with time and turn.
func (j *Journal) Write(e Entry) error {
	e.Time, e.Turn = time.Now().UTC(), j.turn
	e.Request, e.Text, e.Error = j.short(e.Request), j.short(e.Text), j.short(e.Error)
	for i := range e.Calls {
		e.Calls[i].Input = j.mask.Text(e.Calls[i].Input)
	}
	text, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(text, '\n'))
	}
	if err = errors.Join(err, j.file.Sync()); err != nil {
		return fmt.Errorf("cannot keep the journal: %w", err)
	}
	return nil
}

func (j *Journal) short(text string) string {
	text = j.mask.Text(text)
	if len(text) > journalText {
		text = text[:journalText] + "…"
	}
	return text
}

// Observe notes what a turn does, as far as the journal keeps it.
func (j *Journal) Observe(e Event) error {
	switch {
	case e.Answer != nil:
		entry := Entry{Event: "answer", Model: e.Answer.Model, Text: textOf(e.Answer.Message), Stop: e.Answer.Stop, Usage: &e.Answer.Usage}
		for _, call := range callsOf(e.Answer.Message) {
			entry.Calls = append(entry.Calls, *call)
		}
		return j.Write(entry)
	case e.Result != nil:
		return j.Write(Entry{Event: "result", Call: e.Result.ID, Text: e.Result.Text, IsError: e.Result.IsError})
	case e.Refusal != nil:
		return j.Write(Entry{Event: "refused", By: e.Refusal.By, Text: e.Refusal.Tell})
	}
	return nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.file.Close() }
