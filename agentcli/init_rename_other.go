//go:build !unix

package agentcli

import "os"

// renameOver moves a directory to where an empty one is. There is a moment in
// which there is neither.
func renameOver(from, to string) error {
	if err := os.Remove(to); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if err != nil {
		_ = os.Mkdir(to, 0o777) // as it was, as far as possible
	}
	return err
}
