package record

import "os/exec"

// inGroup leaves a command to its context, which kills it alone.
func inGroup(*exec.Cmd) (end func() (left bool)) { return func() bool { return false } }
