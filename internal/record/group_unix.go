//go:build unix

package record

import (
	"os/exec"
	"syscall"
)

// inGroup has a command run in a process group of its own, which the end of its context kills. The
// result, to be called when the command has ended, kills what it has started and left running, and
// reports whether there was something.
func inGroup(cmd *exec.Cmd) (end func() (left bool)) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() bool { return cmd.Process != nil && kill() == nil }
}
