//go:build unix

package online

import (
	"syscall"
	"testing"
)

// cpu reports the CPU time of each of n.
func cpu(b *testing.B, n int) func() {
	used := func() int64 {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return u.Utime.Nano() + u.Stime.Nano()
	}
	begun := used()
	return func() { b.ReportMetric(float64(used()-begun)/float64(n), "cpu-ns/each") }
}
