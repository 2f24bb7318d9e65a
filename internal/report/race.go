package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
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
	Path    *Path    `json:"path,omitempty"` // of tier by-path
	Witness *Witness `json:"witness"`        // nil only for an observed race
	// pairs of recorded accesses at these two positions (R1); of a warning, pairs with the access
	// Vet.Common
	Count  int     `json:"count"`
	Trace  string  `json:"trace,omitempty"`
	Replay *Replay `json:"replay,omitempty"` // what became of it when it was replayed

	// of tier warning: likely, possible or unlikely
	Likelihood string `json:"likelihood,omitempty"`
	// of tier warning: the codes of what speaks against it
	Reasons []string `json:"reasons,omitempty"`
	Vet     *Vet     `json:"vet,omitempty"` // of tier warning
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
	// ByPath races are predicted ones in whose execution a goroutine leaves its recorded path: one
	// or both accesses may not have been executed in the recorded run (RECIPE's path relaxation).
	ByPath Tier = "by-path"
	// Confirmed races were replayed: Go's race detector reports them in a run under the schedule of
	// their witness. Replay.Tier is what vouched for the race before.
	Confirmed Tier = "confirmed"
	// Replayed races have no witness: presage has chosen a schedule in which code outside the trace
	// may read something else than in the recorded run, and Go's race detector reports them in a
	// run under it.
	Replayed Tier = "replayed"
	// ToRun is no race but a pair with such a schedule, which was not yet run. It is in no report.
	ToRun Tier = "to-run"
	// Candidate is no race but a pair that a detector of one pass reports (presage analyze
	// -engine). It has no witness.
	Candidate Tier = "candidate"
	// Static is no race but a warning of the static lens (presage vet): two accesses that may race
	// in some run. It has no witness.
	Static Tier = "warning"
)

// Replay is what became of a race when the program was run again under its witness.
type Replay struct {
	Tier  Tier `json:"tier"`  // of the race without the replay
	Tries int  `json:"tries"` //
	// go-race-detector, or gates where there is no C compiler
	Judge  string  `json:"judge"`
	Report string  `json:"report,omitempty"` // of the race detector
	Why    string  `json:"why,omitempty"`    // it was not confirmed
	Sec    float64 `json:"seconds"`          // that it took
}

// Proof is the tier that a race has without a replay.
func (r *Race) Proof() Tier {
	if r.Tier == Confirmed && r.Replay != nil {
		return r.Replay.Tier
	}
	return r.Tier
}

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
}

// Goroutine says who executed an access.
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
	Semantics string `json:"semantics"` // what the judgement of reads rests on
	// what stands before this event is as in the recorded run
	From int64 `json:"from,omitempty"`
	// event numbers of the trace, −1, −2, … for steps of the path; the last two are the accesses
	Order   []int64 `json:"order"`
	Steps   []Step  `json:"steps"`   // those of them that a reader needs
	Omitted int     `json:"omitted"` // earlier steps of that kind that were left out

	// Events are the witness as the checker has it, numbers of events in the window that begins at
	// From. presage replay has it checked again.
	Events []int32 `json:"events,omitempty"`

	// Reads are those that branches, addresses and what they rest on are made of, where they see
	// another value than in the recorded run, or were not executed there. Of tiers by-value and
	// by-path.
	Reads []Sight `json:"reads,omitempty"`
}

// Sight is a read of a witness and what it sees.
type Sight struct {
	Step
	Expr     string `json:"expr"`
	Value    string `json:"value"`              // as a Go literal of a basic type; "" is not known
	Recorded string `json:"recorded,omitempty"` // in the recorded run
	Fork     bool   `json:"fork,omitempty"`     // the goroutine leaves its path because of it
	// the write that the value is from; null: nothing recorded wrote it, it is the initial value
	From *Step `json:"from"`
}

// Path is how a goroutine leaves its recorded path (RECIPE's path relaxation).
type Path struct {
	Goroutine int `json:"goroutine"`
	Position
	Func   string `json:"func,omitempty"`
	Expr   string `json:"expr"`             // the condition of the branch
	Base   bool   `json:"base,omitempty"`   // or the pointer or index, which is another
	Was    string `json:"was"`              // its value in the recorded run
	Is     string `json:"is"`               // and in the race
	Source string `json:"source,omitempty"` // the line as it was recorded
	// event in whose place the steps are; what follows it in the goroutine does not happen
	Before int64 `json:"before"`
	// what the goroutine does instead, and those do that it starts; −1, −2, …
	Steps []PathStep `json:"steps"`
}

// PathStep is a step that the recorded run did not execute. A witness need not have all of them.
type PathStep struct {
	Step
	Kind string `json:"kind"` // as in a dump of the trace
	Site int    `json:"site"` // in the tables of the trace

	Object uint64 `json:"object,omitempty"` // the operand of its event
	Flags  uint8  `json:"flags,omitempty"`  // of its event
	Size   uint16 `json:"size,omitempty"`   // of its event
}

// RecordedRun, as the semantics of a witness, says that the recorded run itself is the execution:
// no synchronisation leads from one access to the other. Its order has the two accesses alone,
// which need not be next to each other.
const RecordedRun = "recorded"

// Step is one event as a reader sees it.
type Step struct {
	Event     int64 `json:"event"`
	Goroutine int   `json:"goroutine"`
	Position
	Func   string `json:"func,omitempty"`
	Text   string `json:"text"`             // "locks mu"
	Source string `json:"source,omitempty"` // the line as it was recorded

	OffPath bool `json:"off_path,omitempty"` // a step of the race's path
}

// compareRaces orders races for a report: by position of A, then of B.
func compareRaces(a, b *Race) int {
	return cmp.Or(
		cmp.Compare(tierRank(a.Proof()), tierRank(b.Proof())),
		comparePositions(a.A.Position, b.A.Position),
		comparePositions(a.B.Position, b.B.Position),
		cmp.Compare(a.A.Kind, b.A.Kind), cmp.Compare(a.B.Kind, b.B.Kind), cmp.Compare(a.ID, b.ID))
}

func tierRank(t Tier) int {
	return slices.Index([]Tier{Observed, Predicted, ByValue, ByPath, Replayed, ToRun, Candidate}, t)
}
