package agentcli_test

import (
	"errors"
	"fmt"
	"os"
)

// What a test tells agentcli, as a process of its own, to do at a step (see
// agentcli.Env.Fault): be killed there, or have it fail. Steps are counted from 1.
const (
	killAtStep = "AGENTCLI_TEST_KILL_AT"
	failAtStep = "AGENTCLI_TEST_FAIL_AT"
	// stepsFile gets a line for each step.
	stepsFile = "AGENTCLI_TEST_STEPS"
)

var errInjected = errors.New("no space left on device (injected)")

// faults is nil unless the environment asks for some.
func faults(getenv func(string) string) func(string) error {
	kill, fail, list := getenv(killAtStep), getenv(failAtStep), getenv(stepsFile)
	if kill+fail+list == "" {
		return nil
	}
	n := 0
	return func(step string) error {
		n++
		switch fmt.Sprint(n) {
		case fail:
			return errInjected
		case kill:
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				return err
			}
			select {} // until the signal arrives
		}
		if list == "" {
			return nil
		}
		f, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f, step)
		return errors.Join(err, f.Close())
	}
}
