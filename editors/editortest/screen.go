package editortest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Screen is a terminal, of tmux, with an editor in it.
type Screen struct {
	t   *testing.T
	job *Job
}

// Open starts a program in a terminal of its own, which ends with the test.
func (j *Job) Open(t *testing.T, program string, args ...string) *Screen {
	t.Helper()
	s := &Screen{t, j}
	// Not even a test that is killed may leave behind an editor that turns in
	// circles without its terminal.
	limited := []string{"timeout", "--foreground", "--kill-after=5s", fmt.Sprintf("%.0fs", patience.Seconds()), program}
	s.tmux(slices.Concat([]string{"new-session", "-d", "-x", "100", "-y", "24"}, limited, args)...)
	s.tmux("set", "-g", "status", "off")
	s.tmux("set", "-s", "escape-time", "0")
	return s
}

// command is one of tmux, whose server is the test's alone.
func (s *Screen) command(args ...string) *exec.Cmd {
	cmd := s.job.Command("tmux", append([]string{"-u", "-L", "test", "-f", os.DevNull}, args...)...)
	cmd.Env = append(cmd.Env, "TMUX=", "TMUX_TMPDIR="+s.job.Home)
	return cmd
}

func (s *Screen) tmux(args ...string) (output string) {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Press presses keys, which have tmux's names.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// Type types text, in which the key Enter is \r.
func (s *Screen) Type(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", "--", text)
}

// Shows waits until the text is on the screen, or is not if it shall not.
func (s *Screen) Shows(text string, shall bool) {
	s.t.Helper()
	if !s.await(func() bool { return strings.Contains(s.content(), text) == shall }) {
		s.t.Fatalf("waited in vain for %q on the screen to be %t:\n%s", text, shall, s.content())
	}
}

// Picture keeps what the screen shows, with its colours, as NAME.ansi in the
// directory that $PICTURES names, if it does: see pictures.sh.
func (s *Screen) Picture(name string) {
	s.t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".ansi"), []byte(s.tmux("capture-pane", "-e", "-p")), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Ends waits until the editor has ended, which answers each of the questions
// once: a text that is on the screen, then the keys to press.
func (s *Screen) Ends(questions ...[]string) {
	s.t.Helper()
	if !s.await(func() bool {
		running := s.command("has-session").Run() == nil
		for i, question := range questions {
			if running && strings.Contains(s.content(), question[0]) {
				s.Press(question[1:]...)
				questions = slices.Delete(questions, i, i+1)
				break
			}
		}
		return !running
	}) {
		s.t.Fatalf("the editor does not end:\n%s", s.content())
	}
}

// content is what the screen shows, or why there is none any more.
func (s *Screen) content() string {
	out, _ := s.command("capture-pane", "-p").CombinedOutput()
	return string(out)
}

// await asks until the condition holds, and tells whether it did in time.
func (s *Screen) await(condition func() bool) bool {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(2 * time.Minute)
	for !condition() {
		select {
		case <-again.C:
		case <-deadline:
			return false
		case <-s.job.ctx.Done():
			return false
		}
	}
	return true
}
