package trace

import (
	"errors"
	"fmt"
)

// What can be wrong with a trace file.
var (
	ErrNotTrace = errors.New("not a presage trace")
	ErrVersion  = errors.New("written by another version of presage")
	ErrCut      = errors.New("the trace is cut short")
	ErrCorrupt  = errors.New("the trace is corrupt")
)

// Error says where a trace file cannot be read on. Everything before is good: the
// events with numbers below Event have been, or can be, read.
type Error struct {
	Offset int64  // offset in the file of what cannot be read
	Event  int64  // number of the first event that is not available
	Err    error  // ErrNotTrace, ErrVersion, ErrCut, ErrCorrupt, or an error of the file
	Detail string // what exactly
}

func (e *Error) Error() string {
	s := fmt.Sprintf("offset %d, event %d: %v", e.Offset, e.Event, e.Err)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the cause, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }
