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
