package beside

import "syscall"

// lower lowers the priority of the calling thread: for Linux, 0 is a thread and not its process. If
// it fails, the limit to one processor still holds.
func lower() {
	if n, err := niceness(); err == nil {
		syscall.Setpriority(syscall.PRIO_PROCESS, 0, n+less)
	}
}

// niceness is the nice value of the calling thread. The kernel gives 20 minus it.
func niceness() (int, error) {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	return 20 - n, err
}

// less is the difference to the nice value of the process. With 19 the work would get a hundredth
// of a processor while any other program runs, also after the program has ended.
const less = 10
