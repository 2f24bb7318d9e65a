package replay

import "os/exec"

// interruptGroup leaves a command to its context, which kills it.
func interruptGroup(*exec.Cmd) {}
