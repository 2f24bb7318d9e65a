package report

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
	Broken bool `json:"broken"` // the witness does not keep it
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
