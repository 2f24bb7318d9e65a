//go:build !unix

package cli

import "os/exec"

// apartFrom does nothing: the interrupt does not reach a browser here.
func apartFrom(*exec.Cmd) {}
