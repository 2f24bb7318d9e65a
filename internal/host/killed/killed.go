// Package killed recognises commands that a signal has ended, and tools of the go command likewise.
// This is no failure of what they build: the kernel ends large processes when memory is short.
//
// A command was ended by a signal if its state says so. A tool of the go command was, if the go
// command has printed a line "…tool: signal: name". A line "signal: name" with nothing in front is
// of a test: a signal has ended the program itself.
package killed

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
)

// An Error says which command was ended, and by what.
type Error struct{ Command, Signal string }

func (e *Error) Error() string {
	return fmt.Sprintf("%s was ended by a signal (%s): this is no error of the packages. The kernel does so when memory is short; "+
		"try again with more memory, or with fewer processes at once (go's flag -p=1)", e.Command, e.Signal)
}

// By returns an Error if a signal has ended cmd. cmd is over.
func By(cmd *exec.Cmd) error {
	if cmd.ProcessState == nil {
		return nil
	}
	signal, ok := signalOf(cmd.ProcessState)
	if !ok {
		return nil
	}
	name := filepath.Base(cmd.Args[0])
	if len(cmd.Args) > 1 && name == "go" {
		name += " " + cmd.Args[1]
	}
	return &Error{name, signal}
}

var line = regexp.MustCompile(`(?m)^(?:.*[ /])?([^ /\n:]+): signal: ([a-z][a-z0-9 -]*)(?: \(core dumped\))?\r?$`)

// Said returns an Error if the go command has printed that a signal has ended a tool.
func Said(text string) error {
	m := line.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return &Error{m[1] + ", which the go command runs,", m[2]}
}
