//go:build !linux

package stage

import "time"

// threadCPU is not known here.
func threadCPU() time.Duration { return 0 }
