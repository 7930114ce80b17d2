package agentcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/providers"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
)

// A talk is a conversation: what its turns share.
type talk struct {
	*app
	options *turnOptions
	system  string // base prompt
	model   model.Provider
	mask    *turn.Mask

	session *turn.Session // nil for none
	id      string        // of the conversation
	history []model.Message
	show    func(turn.Event) // to people
}

// turnPatience is how long a turn waits for its commit: others commit, too.
const turnPatience = 10 * time.Minute

// openTalk prepares a conversation.
func (a *app) openTalk(ctx context.Context, o *turnOptions) (*talk, error) {
	outliveReader()
	patient := *a
	patient.patience = turnPatience
	t := &talk{app: &patient, options: o, system: turnSystem, mask: turn.NewMask(os.Environ()), id: newUUID()}
	if o.system != "" {
		var err error
		if t.system, err = a.readSystem(o.system); err != nil {
			return nil, err
		}
	}
	if o.session == "" {
		return t, nil
	}
	repo, err := a.find(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	path, err := t.sessionPath(o.session, repo.Top)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errors.New("another agentcli has it open; wait for it, or name another file"))
	defer cancel()
	if t.session, err = turn.OpenSession(ctx, path, t.id, t.mask); err != nil {
		return nil, err
	}
	t.id, t.history = t.session.ID, t.session.Messages
	return t, nil
}

// Close ends the conversation.
func (t *talk) Close() {
	if t.session != nil {
		_ = t.session.Close() // each line is on disk already
	}
}

// provider is the model, opened when it is first needed.
func (t *talk) provider(ctx context.Context) (model.Provider, error) {
	var err error
	if t.model == nil {
		t.model, err = providers.Open(ctx, t.options.model, t.env.Getenv)
	}
	return t.model, err
}

// dirtyPaths are what is changed and not committed, as git status lists it.
func (w *writable) dirtyPaths(ctx context.Context) (lines []string, err error) {
	out, err := w.git(ctx, "status", "--porcelain", "--untracked-files=all", "--no-renames", "-z")
	for record := range strings.SplitSeq(string(out), "\x00") {
		if len(record) > 3 { // "XY path" (git-status(1))
			lines = append(lines, record[:3]+rules.Display(record[3:]))
		}
	}
	return lines, err
}

// shownDirty bounds a list of changed files.
const shownDirty = 20

// settle deals with uncommitted changes before a turn, as the user wants it.
func (t *talk) settle(ctx context.Context, w *writable) error {
	if err := w.idle(ctx, "run this again"); err != nil {
		return err
	}
	if t.options.dirty.value == "keep" {
		return nil
	}
	lines, err := w.dirtyPaths(ctx)
	if err != nil || len(lines) == 0 {
		return err
	}
	if t.options.dirty.value == "commit" {
		return t.commitDirty(ctx, w)
	}
	if n := len(lines) - shownDirty; n > 0 {
		lines = append(lines[:shownDirty], fmt.Sprintf("… and %d more", n))
	}
	return fmt.Errorf("the memory has changes that are not committed:\n  %s\nCommit them first (agentcli commit, or --dirty=commit), or leave them alone with --dirty=keep",
		strings.Join(lines, "\n  "))
}

// commitDirty commits what is there as git's user, not as the agent.
func (t *talk) commitDirty(ctx context.Context, w *writable) error {
	c := commitRun{writable: w, message: "chore(memory): save changes made before a turn", policy: t.options.policy.value}
	name, email := w.config(ctx, "--global", "--get", "user.name"), w.config(ctx, "--global", "--get", "user.email")
	if name != "" && email != "" {
		c.author = []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email}
	}
	err := c.run(ctx, nil)
	if errors.Is(err, errFindings) {
		_, _ = t.env.Stderr.Write(c.text())
		return errors.New("the changes that are there cannot be committed; mend them, or leave them alone with --dirty=keep")
	}
	if err == nil {
		t.note("committed %s: %s", c.commit[:min(10, len(c.commit))], c.subject())
	}
	return err
}
