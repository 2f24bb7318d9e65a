package report

import (
	"cmp"
	"fmt"

	"github.com/presage-race/presage/internal/trace"
)

// Position is a place in a source file. In traces of other tools, File is the name
// that the position has there, and Line is 0.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col,omitempty"`
}

func (p Position) String() string {
	switch {
	case p.File == "":
		return "unknown position"
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

func comparePositions(a, b Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// Access is one of the two accesses of a race.
type Access struct {
	Position
	Kind      string    `json:"kind"` // read, write, atomic read, atomic write, atomic update
	Expr      string    `json:"expr"` // as in the source
	Func      string    `json:"func"`
	Goroutine Goroutine `json:"goroutine"`
	Stack     []Frame   `json:"stack"` // innermost first
	Locks     []Lock    `json:"locks"` // in the order they were taken
	// number in the trace; a negative one is a step of the race's path
	Event  int64  `json:"event"`
	Source string `json:"source,omitempty"` // the line as it was recorded

	// OffPath: the recorded run did not execute it, or not here. Its stack is that of the goroutine
	// where it leaves its path, and what it calls from there.
	OffPath bool `json:"off_path,omitempty"`

	// of its instruction, or of the call of code that was not instrumented; only of a race that was
	// just found
	Site trace.Site `json:"-"`
	// what the access has in the ID of a race (AccessKey); "": its function, kind and expression
	Key string `json:"-"`
}

// caller is the call of the code that made the access, if that was neither recorded nor has its
// source in the report: code of others. Nil if it was, or if the call is not known.
func (a *Access) caller() *Frame {
	if a.Expr != "" || a.Source != "" || len(a.Stack) < 2 {
		return nil
	}
	return &a.Stack[1]
}

// Goroutine is the goroutine that executed an access.
type Goroutine struct {
	ID      int     `json:"id"` // dense, in order of creation; 1 is main
	Name    string  `json:"name,omitempty"`
	Func    string  `json:"func,omitempty"`
	Parent  int     `json:"parent,omitempty"`
	Created []Frame `json:"created,omitempty"` // the stack of its go statement

	// Of tier warning: what makes Func the start of a goroutine (main, init, test, parallel,
	// exported, goroutine, unknown; "" is not known), whether there may be several such goroutines,
	// and whether it is the one that starts that of the other access.
	Origin  string `json:"origin,omitempty"`
	Many    bool   `json:"many,omitempty"`
	Starter bool   `json:"starter,omitempty"`
}

// Frame is one call of a stack.
type Frame struct {
	Func string `json:"func"`
	Position
}

// Lock is a lock held at an access.
type Lock struct {
	Name string `json:"name"`
	Mode string `json:"mode"` // lock or rlock
	Position
}

// nameOf names the memory of a pair of accesses. Memory that only outside code accesses has no name
// in the recording.
func nameOf(object string, a *Access) string {
	switch {
	case object != "":
		return object
	case a.Func != "" && a.Expr == "":
		return "memory that " + a.Func + " uses"
	}
	return orUnknown("")
}

func orUnknown(s string) string {
	if s == "" {
		return "a location without a name"
	}
	return s
}

// comparePairs is the order of the pairs a, b and c, d in a report.
func comparePairs(a, b, c, d *Access) int {
	return cmp.Or(
		comparePositions(a.Position, c.Position), comparePositions(b.Position, d.Position),
		cmp.Compare(a.Kind, c.Kind), cmp.Compare(b.Kind, d.Kind))
}
