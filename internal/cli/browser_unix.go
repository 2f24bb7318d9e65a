//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// apartFrom keeps an interrupt from the keyboard from a command: it is meant for presage alone.
func apartFrom(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
