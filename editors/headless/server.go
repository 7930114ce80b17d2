package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"go.lsp.dev/jsonrpc2"
)

// A Server is a running language server, of any make, and the pipes to it.
type Server struct {
	cmd  *exec.Cmd
	conn jsonrpc2.Conn
}

// Run starts the command and has handle answer what it asks.
func Run(ctx context.Context, cmd *exec.Cmd, handle jsonrpc2.Handler) (*Server, error) {
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd: cmd, conn: jsonrpc2.NewConn(jsonrpc2.NewStream(pipes{out, in}))}
	s.conn.Go(ctx, handle)
	return s, nil
}

type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// PID is the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Call sends a request and decodes the result, if the caller wants it. It
// fails when the server ends before it answers. Params and results pass
// through encoding/json, for which package wire is written; jsonrpc2 itself
// uses another one.
func (s *Server) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.conn.Done(): // which jsonrpc2 itself does not tell a call
			cancel()
		case <-ctx.Done():
		}
	}()
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var answer json.RawMessage
	if _, err := s.conn.Call(ctx, method, json.RawMessage(raw), &answer); err != nil {
		if ended := s.conn.Err(); ended != nil {
			return fmt.Errorf("%s: the server ended: %w", method, ended)
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil || len(answer) == 0 {
		return nil
	}
	return json.Unmarshal(answer, result)
}

// Notify sends a notification.
func (s *Server) Notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return s.conn.Notify(ctx, method, json.RawMessage(raw))
}

// Close ends the server in order and fails when it does not exit with 0.
func (s *Server) Close(ctx context.Context) error {
	err := s.Call(ctx, "shutdown", nil, nil)
	if err == nil {
		err = s.Notify(ctx, "exit", nil)
	}
	<-s.conn.Done() // the server has closed its output
	s.conn.Close()
	return errors.Join(err, s.cmd.Wait())
}

// Kill ends the server at once: it may be one that hangs.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // fails when it has ended
	s.conn.Close()
	_ = s.cmd.Wait() // it was killed, which is no news
}
