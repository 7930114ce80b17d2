package parent

import (
	"errors"

	"golang.org/x/sys/windows"
)

func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED) // there, but not ours
	}
	defer windows.CloseHandle(process)
	event, err := windows.WaitForSingleObject(process, 0)
	return err != nil || event == uint32(windows.WAIT_TIMEOUT)
}
