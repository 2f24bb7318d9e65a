//go:build unix

package record

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// passSignals keeps presage alive while cmd runs: what interrupts the program under test is not the
// end of presage, which then analyses what was recorded. A terminal sends SIGINT and SIGQUIT to
// both; SIGTERM, which reaches presage only, is passed on.
func passSignals(cmd *exec.Cmd) (stop func()) {
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-ch:
				if s == syscall.SIGTERM && cmd.Process != nil {
					cmd.Process.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		close(done)
	}
}

// exitCode is the code a shell would show: 128 and the signal for a killed process.
func exitCode(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
