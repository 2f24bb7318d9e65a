package record

import (
	"os"
	"os/exec"
	"os/signal"
)

// passSignals keeps presage alive while cmd runs: what interrupts the program under test is not the
// end of presage. The console sends an interrupt to both.
func passSignals(*exec.Cmd) (stop func()) {
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, os.Interrupt)
	return func() { signal.Stop(ch) }
}

// exitCode is that of the process.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
