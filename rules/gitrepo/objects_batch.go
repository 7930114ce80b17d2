package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/memls/memls/rules/tree"
)

// A batch is a running `git cat-file --batch`.
type batch struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer // complete once the process was waited for
	kill   context.CancelFunc
	ended  sync.Once
	err    error // of the process
}

func (r *Repo) startBatch(ctx context.Context, flags ...string) (*batch, error) {
	ctx, kill := context.WithCancel(ctx)
	cmd := r.Command(ctx, append([]string{"cat-file", "--batch"}, flags...)...)
	b := &batch{cmd: cmd, stderr: &bytes.Buffer{}, kill: kill}
	cmd.Stderr = b.stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		b.in = in
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			widen(out)
			b.out = bufio.NewReaderSize(out, 64<<10)
			err = cmd.Start()
		}
	}
	if err != nil {
		err = gitError(ctx, cmd, "", err)
		kill()
		return nil, err
	}
	return b, nil
}

func (b *batch) read() (kind string, data []byte, err error) { return readAnswer(b.out, nil) }

// stop kills the process and frees what it holds. It may be called again.
func (b *batch) stop() {
	b.ended.Do(func() {
		b.kill()
		_ = b.in.Close()
		b.err = b.cmd.Wait()
	})
}

// explain turns the end of the process in the middle of an answer into the
// reason that git gave for it.
func (b *batch) explain(ctx context.Context, err error) error {
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if ctx.Err() == nil {
		// It ended by itself; Wait before stop, so that its own exit
		// status and words are kept and not our kill.
		b.ended.Do(func() {
			_ = b.in.Close()
			b.err = b.cmd.Wait()
			b.kill()
		})
	} else {
		b.stop()
	}
	if b.err == nil {
		b.err = err
	}
	return gitError(ctx, b.cmd, b.stderr.String(), b.err)
}

// idleTime is how long a session without requests lives on. It need only
// bridge the pause between two files of one judgement.
const idleTime = 2 * time.Second

// A session answers single requests for objects through one batch process,
// which it starts when needed and ends when idle. Its zero value is ready.
type session struct {
	mu    sync.Mutex
	b     *batch
	timer *time.Timer
}

// get reads an object of any type.
func (s *session) get(ctx context.Context, r *Repo, oid tree.OID) (kind string, data []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		reused := s.b != nil
		if !reused {
			// The process outlives the request, so it gets no context of it.
			if s.b, err = r.startBatch(context.Background()); err != nil {
				return "", nil, err
			}
		}
		kind, data, err = s.ask(ctx, oid)
		if err == nil || errors.Is(err, errMissing) {
			s.expire()
			return kind, data, err
		}
		err = s.b.explain(ctx, err)
		s.end()
		// A process from an earlier request may have died since.
		if !reused || ctx.Err() != nil {
			return "", nil, err
		}
	}
}

func (s *session) ask(ctx context.Context, oid tree.OID) (string, []byte, error) {
	defer context.AfterFunc(ctx, s.b.kill)()
	if _, err := io.WriteString(s.b.in, oid.String()+"\n"); err != nil {
		return "", nil, io.ErrUnexpectedEOF
	}
	return s.b.read()
}

// expire (re)starts the idle time. The caller holds mu.
func (s *session) expire() {
	if s.timer != nil {
		s.timer.Stop()
	}
	b := s.b
	s.timer = time.AfterFunc(idleTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.b == b {
			s.end()
		}
	})
}

func (s *session) end() {
	if s.b != nil {
		s.b.stop()
		s.b = nil
	}
}

// Close ends the git process that reads single objects, if one is running.
// The repository and its trees stay usable; they start another when needed.
// Without Close the process ends by itself after a short idle time.
func (r *Repo) Close() error {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	if r.session.timer != nil {
		r.session.timer.Stop()
	}
	r.session.end()
	return nil
}
