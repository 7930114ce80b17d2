package agentcli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// maxConversations bounds of how many conversations it is known what they were
// told; those that were told last are kept.
const maxConversations = 50

// A conversation is what one was told: a hash of the text by kind.
type conversation struct {
	ID   string            `json:"id"`
	Told map[string]string `json:"told"`
}

// tell returns the reminders that a conversation was not told yet, or of
// another state, and notes that it is told of all now. With an error it returns
// all of them.
func (r *repository) tell(id string, reminders []reminder) (fresh []reminder, err error) {
	if err := os.MkdirAll(r.own(), 0o755); err != nil {
		return reminders, err
	}
	err = lockedfile.Transform(filepath.Join(r.own(), "told.json"), func(text []byte) ([]byte, error) {
		var all []conversation
		// A file that cannot be read is one of another version, or damaged: it is
		// worth no more than telling once more.
		_ = json.Unmarshal(text, &all)
		told := map[string]string{}
		all = slices.DeleteFunc(all, func(c conversation) bool {
			if c.ID == id {
				told = c.Told
			}
			return c.ID == id
		})
		now := conversation{ID: id, Told: map[string]string{}}
		fresh = nil
		for _, m := range reminders {
			now.Told[m.Kind] = hashOf([]byte(m.Text))
			if told[m.Kind] != now.Told[m.Kind] {
				fresh = append(fresh, m)
			}
		}
		all = append([]conversation{now}, all...)
		return json.Marshal(all[:min(len(all), maxConversations)])
	})
	if err != nil {
		return reminders, err
	}
	return fresh, nil
}

// A refusedCommit says why the last commit of the working tree was refused. It
// counts while the branch is where it was.
type refusedCommit struct {
	Head string `json:"head"`
	// By is "the rules", or the name of a hook.
	By       string   `json:"by"`
	Problems []string `json:"problems"`
}

func (r *repository) refusalFile() string { return filepath.Join(r.own(), "refused.json") }

// noteOutcome remembers why the commit was refused, or forgets why an earlier
// one was. It is for reminders alone, so that failing does no harm.
func (c *commitRun) noteOutcome(err error) {
	if !errors.Is(err, errFindings) {
		if err == nil {
			_ = os.Remove(c.refusalFile())
		}
		return
	}
	why := refusedCommit{Head: c.base, By: "the rules"}
	if c.refused != nil {
		why.By = "the hook " + c.refused.name
		why.Problems = strings.Split(strings.TrimSpace(c.refused.output), "\n")
	} else {
		why.Problems = c.result.errorLines()
	}
	if text, err := json.Marshal(why); err == nil {
		_ = os.WriteFile(c.refusalFile(), text, 0o600)
	}
}

// refusal is nil where the last commit was not refused, or others have been
// made since.
func (r *repository) refusal(ctx context.Context) (*refusedCommit, error) {
	text, err := os.ReadFile(r.refusalFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var why refusedCommit
	if json.Unmarshal(text, &why) != nil {
		return nil, nil // a damaged note is worth nothing
	}
	_, head, err := r.committed(ctx, atHead, true)
	if err != nil && !errors.Is(err, errNoCommit) {
		return nil, err
	}
	if why.Head != head.String() {
		return nil, nil
	}
	return &why, nil
}
