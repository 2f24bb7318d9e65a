package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Race is two conflicting accesses that no synchronisation orders in some execution
// that the recorded code could have had.
type Race struct {
	ID      string   `json:"id"`   // (R2)
	Tier    Tier     `json:"tier"` //
	A       Access   `json:"a"`    // the access that stands first in the source
	B       Access   `json:"b"`
	Object  string   `json:"object"` // the variable, field or element accessed
	Hidden  Hidden   `json:"hidden"`
	Witness *Witness `json:"witness"` // nil only for an observed race
	Count   int      `json:"count"`   // pairs of recorded accesses at these two positions (R1)
	Trace   string   `json:"trace,omitempty"`
}

// Tier says what vouches for a race.
type Tier string

const (
	// Observed races are unordered in the recorded run itself.
	Observed Tier = "observed"
	// Predicted races are unordered in another execution, which the witness leads to.
	Predicted Tier = "predicted"
	// ByValue races are predicted ones whose execution needs a read that a branch or an
	// address rests on to see another value.
	ByValue Tier = "by-value"
	// ByPath races are predicted ones in whose execution a goroutine leaves its recorded path: one or
	// both accesses may not have been executed in the recorded run (RECIPE's path relaxation).
	ByPath Tier = "by-path"
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
	Stack     []Frame   `json:"stack"`            // innermost first
	Locks     []Lock    `json:"locks"`            // in the order they were taken
	Event     int64     `json:"event"`            // number in the trace
	Source    string    `json:"source,omitempty"` // the line as it was recorded
}

// Goroutine says who executed an access.
type Goroutine struct {
	ID      int     `json:"id"` // dense, in order of creation; 1 is main
	Name    string  `json:"name,omitempty"`
	Func    string  `json:"func,omitempty"`
	Parent  int     `json:"parent,omitempty"`
	Created []Frame `json:"created,omitempty"` // the stack of its go statement
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

// Hidden says why the recorded run did not show the race to a happens-before
// detector such as go test -race: a chain of synchronisation ordered the accesses.
type Hidden struct {
	Ordered bool   `json:"ordered"` // a chain was found
	Edges   []Edge `json:"edges,omitempty"`
}

// Edge is one step of the chain: From released, To acquired.
type Edge struct {
	From   Step `json:"from"`
	To     Step `json:"to"`
	Broken bool `json:"broken"` // the witness does without it
}

// Witness is an order of recorded events after which both accesses are next.
type Witness struct {
	Semantics string  `json:"semantics"`      // what the judgement of reads rests on
	From      int64   `json:"from,omitempty"` // what stands before this event is as in the recorded run
	Order     []int64 `json:"order"`          // event numbers of the trace; the last two are the accesses
	Steps     []Step  `json:"steps"`          // those of them that a reader needs
	Omitted   int     `json:"omitted"`        // earlier steps of that kind that were left out
}

// RecordedRun, as the semantics of a witness, says that the recorded run itself is the execution: no synchronisation
// leads from one access to the other. Its order has the two accesses alone, which need not be next to each other.
const RecordedRun = "recorded"

// Step is one event as a reader sees it.
type Step struct {
	Event     int64 `json:"event"`
	Goroutine int   `json:"goroutine"`
	Position
	Func   string `json:"func,omitempty"`
	Text   string `json:"text"`             // "locks mu"
	Source string `json:"source,omitempty"` // the line as it was recorded
}

// compareRaces orders races for a report: by position of A, then of B.
func compareRaces(a, b *Race) int {
	return cmp.Or(
		cmp.Compare(tierRank(a.Tier), tierRank(b.Tier)),
		comparePositions(a.A.Position, b.A.Position),
		comparePositions(a.B.Position, b.B.Position),
		cmp.Compare(a.A.Kind, b.A.Kind), cmp.Compare(a.B.Kind, b.B.Kind), cmp.Compare(a.ID, b.ID))
}

func tierRank(t Tier) int { return slices.Index([]Tier{Observed, Predicted, ByValue, ByPath}, t) }
