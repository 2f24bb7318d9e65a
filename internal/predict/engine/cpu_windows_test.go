package engine

import "time"

var begun = time.Now()

// cpuTime is wall time here.
func cpuTime() time.Duration { return time.Since(begun) }
