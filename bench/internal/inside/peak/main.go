// Command peak runs a program and writes its peak memory, in KiB, to file descriptor 3. Its exit
// code is the program's, 2 if a signal has ended it.
//
//	peak program [argument ...]
//
// The peak that the system reports of a process is not less than that of the process that
// started it, since both have the same memory until the program begins. So the process that
// starts it has to be small: this is, and the benchmarks are larger than many programs that they
// measure.
package main

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

func main() {
	const to = 3
	runtime.LockOSThread() // Pdeathsig is of the thread
	syscall.CloseOnExec(to)
	pid, err := syscall.ForkExec(os.Args[1], os.Args[1:], &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	var status syscall.WaitStatus
	var used syscall.Rusage
	if err == nil {
		_, err = syscall.Wait4(pid, &status, 0, &used)
		for err == syscall.EINTR {
			_, err = syscall.Wait4(pid, &status, 0, &used)
		}
	}
	if err == nil {
		_, err = syscall.Write(to, strconv.AppendInt(nil, used.Maxrss, 10))
	}
	switch {
	case err != nil:
		println("peak:", os.Args[1], err.Error())
		os.Exit(2)
	case !status.Exited():
		println("peak:", os.Args[1], status.Signal().String())
		os.Exit(2)
	}
	os.Exit(status.ExitStatus())
}
