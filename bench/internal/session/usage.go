package session

import "syscall"

// Usage returns the CPU seconds, user and system, of this process so far, and its peak memory in
// MB.
func Usage() (cpu float64, peak int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0 // it never fails for the process itself
	}
	return seconds(u.Utime) + seconds(u.Stime), u.Maxrss >> 10
}

// CPU returns the CPU seconds of this process so far.
func CPU() float64 {
	cpu, _ := Usage()
	return cpu
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
