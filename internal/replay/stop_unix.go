//go:build unix

package replay

import (
	"os/exec"
	"syscall"
)

// interruptGroup has the end of a command's context interrupt it, and all that it has started: the
// go command leaves a compiler running that it has not ended.
func interruptGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}

// killGroup has a command run in a process group of its own, which the end of its context kills.
// The result, to be called when the command has ended, kills what it has left running.
func killGroup(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return func() {
		if cmd.Process != nil {
			cmd.Cancel()
		}
	}
}
