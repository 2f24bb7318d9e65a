package stage

import "time"

// rusageThread asks for the calling thread alone.
const rusageThread = 1

func threadCPU() time.Duration { return used(rusageThread) }
