//go:build unix

package killed

import (
	"os"
	"syscall"
)

// signalOf names the signal that has ended a process; false if none has.
func signalOf(s *os.ProcessState) (name string, ok bool) {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return "", false
	}
	return ws.Signal().String(), true
}
