//go:build !unix

package stage

import "time"

// processCPU is not known here.
func processCPU() time.Duration { return 0 }

// peak is not known here.
func peak() int64 { return 0 }
