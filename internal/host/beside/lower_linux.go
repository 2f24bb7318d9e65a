package beside

import "syscall"

// lower is (W2) for the calling thread: 0 is a thread for Linux, not its process. Where it
// fails, (W1) holds.
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

// less is how far the nice value of (W2) is above that of the process. With 19 the work would get a
// hundredth, also from what else the machine does when the program has ended.
const less = 10
