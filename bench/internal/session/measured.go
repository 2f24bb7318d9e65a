package session

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Measured is what a command printed, how it ended, and what it took.
type Measured struct {
	Stdout, Stderr bytes.Buffer
	Code           int
	Late           bool          // the limit was over
	Wall           time.Duration // from start to end
	CPU            time.Duration // user and system, with all processes that were waited for
}

// Measure runs a command. At the limit it interrupts the process group. If the command goes on,
// it gets SIGTERM after half of grace, and the group SIGKILL after all of it. Without grace the
// group is killed at once.
func Measure(ctx context.Context, limit, grace time.Duration, dir string, env []string, args ...string) (*Measured, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	m := &Measured{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &m.Stdout, &m.Stderr
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ended := make(chan struct{})
	defer close(ended)
	cmd.Cancel = func() error {
		if grace == 0 {
			return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		go interrupt(cmd.Process.Pid, grace, ended)
		return nil
	}
	cmd.WaitDelay = grace + 5*time.Second
	if signal.Ignored(syscall.SIGINT) { // the command would ignore it as well
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	begun := time.Now()
	err := cmd.Run()
	m.Wall = time.Since(begun)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return nil, err
	}
	m.Late = limited.Err() != nil
	m.Code = cmd.ProcessState.ExitCode()
	m.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return m, nil
}

// interrupt ends a process, and its group, that has not ended by itself.
func interrupt(pid int, grace time.Duration, ended <-chan struct{}) {
	for _, x := range []struct {
		to     int
		signal syscall.Signal
	}{{-pid, syscall.SIGINT}, {pid, syscall.SIGTERM}, {-pid, syscall.SIGKILL}} {
		syscall.Kill(x.to, x.signal)
		select {
		case <-ended:
			return
		case <-time.After(grace / 2):
		}
	}
}
