package report

// Hidden is the reason why a happens-before detector such as go test -race does not see the race in
// the recorded run: a chain of synchronisation that orders the accesses (RT1).
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
	Semantics string `json:"semantics"` // what reads keep of the recorded run
	// all events before this one are as in the recorded run
	From int64 `json:"from,omitempty"`
	// event numbers of the trace, −1, −2, … for steps of the paths; the last two are the accesses
	Order   []int64 `json:"order"`
	Steps   []Step  `json:"steps"`   // those that a reader needs
	Omitted int     `json:"omitted"` // earlier steps of that kind that were left out

	// Events are the witness as numbers of events in the window that begins at From. presage replay
	// checks it again.
	Events []int32 `json:"events,omitempty"`

	// Reads are the reads that branches and addresses depend on, if they see other values than in
	// the recorded run, or are not executed there. Of tiers by-value and by-path.
	Reads []Sight `json:"reads,omitempty"`
}

// Sight is a read of a witness with its value.
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
	Expr   string `json:"expr,omitempty"`   // the condition of the branch
	Base   bool   `json:"base,omitempty"`   // or the pointer or index, which is another
	Was    string `json:"was,omitempty"`    // its value in the recorded run
	Is     string `json:"is,omitempty"`     // and in the race
	Source string `json:"source,omitempty"` // the line as it was recorded
	// Outcome says how an operation of synchronisation, Expr, turns out in the race. In the
	// recorded run it had another outcome. There is no condition.
	Outcome string `json:"outcome,omitempty"`
	// Ended says that there is no condition: the goroutine had not ended when the recorded run did,
	// and goes on from there.
	Ended bool `json:"ended,omitempty"`
	// Timer says that a timer starts the goroutine, which it did not in the recorded run.
	Timer bool `json:"timer,omitempty"`
	// the event that the steps replace; later events of the goroutine do not happen
	Before int64 `json:"before"`
	// Steps of the goroutine, and of goroutines that it starts. The steps of all paths of a race
	// have the event numbers −1, −2, …
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
	Case   int    `json:"case,omitempty"`   // of a select: the number of its case, from 0
}

// RecordedRun is the semantics of a witness that is the recorded run itself: no synchronisation
// leads from one access to the other. Its order has only the two accesses, which need not be next
// to each other.
const RecordedRun = "recorded"

// Step is one event as a reader sees it.
type Step struct {
	Event     int64 `json:"event"`
	Goroutine int   `json:"goroutine"`
	Position
	Func   string `json:"func,omitempty"`
	Text   string `json:"text"`             // "locks mu"
	Source string `json:"source,omitempty"` // the line as it was recorded

	OffPath bool `json:"off_path,omitempty"` // a step of the race's paths

	// Held are the locks that the goroutine holds before the step. Of the steps of a witness.
	Held []string `json:"held,omitempty"`
}
