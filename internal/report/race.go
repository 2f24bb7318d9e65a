package report

import (
	"cmp"
	"slices"
)

// Race is two conflicting accesses that no synchronisation orders in some execution that the
// recorded code can have. Its tier says which execution that is.
type Race struct {
	ID     string  `json:"id"` // (RT3)
	Tier   Tier    `json:"tier"`
	A      Access  `json:"a"` // the access that comes first in the source
	B      Access  `json:"b"`
	Object string  `json:"object"` // the variable, field or element accessed
	Holds  Content `json:"holds,omitempty"`
	// the allocation of the memory; nil: it is not known, or the memory is a global variable
	Allocated *Frame   `json:"allocated,omitempty"`
	Fix       *Fix     `json:"fix,omitempty"` // nil: none is clear
	Hidden    Hidden   `json:"hidden"`
	Paths     []*Path  `json:"paths,omitempty"` // of tier by-path
	Witness   *Witness `json:"witness"`         // nil only for an observed race
	// pairs of recorded accesses at these two source lines
	Count  int         `json:"count"`
	Trace  string      `json:"trace,omitempty"`  // the file, if the report is of several
	Replay *Replay     `json:"replay,omitempty"` // the result of its replay
	Seen   *Occurrence `json:"seen,omitempty"`   // of merged reports
	Tests  []Test      `json:"tests,omitempty"`  // that it is of; none: it is not known
}

// Occurrence says in which of several reports a race is.
type Occurrence struct {
	First   string `json:"first"` // names of reports
	Last    string `json:"last"`
	Reports int    `json:"reports"` // that have it,
	Of      int    `json:"of"`      // of so many
}

// Tier says what proves a race.
type Tier string

const (
	// Observed races are unordered in the recorded run itself.
	Observed Tier = "observed"
	// Predicted races are unordered in another execution, which the witness leads to.
	Predicted Tier = "predicted"
	// ByValue races are predicted ones in whose execution a read that a branch or an address
	// depends on sees another value.
	ByValue Tier = "by-value"
	// ByPath races are predicted ones in whose execution a goroutine leaves its recorded path. The
	// recorded run need not have executed the accesses (RECIPE's path relaxation).
	ByPath Tier = "by-path"
	// Confirmed races were replayed: Go's race detector reports them in a run under the schedule of
	// their witness. Replay.Tier is the tier of the race before the replay.
	Confirmed Tier = "confirmed"
	// Replayed races have no witness. presage chose a schedule in which code outside the trace may
	// read other values than in the recorded run, and Go's race detector reports the race in a run
	// under that schedule.
	Replayed Tier = "replayed"
	// ToRun marks a pair that has such a schedule and was not yet run. No report has one.
	ToRun Tier = "to-run"
)

// rank orders tiers from the strongest proof to the weakest.
func (t Tier) rank() int {
	return slices.Index([]Tier{Confirmed, Observed, Predicted, ByValue, ByPath, Replayed, ToRun}, t)
}

// Replay is the result of running the program again under the witness of a race.
type Replay struct {
	Tier  Tier `json:"tier"` // of the race before the replay
	Tries int  `json:"tries"`
	// go-race-detector, or gates where there is no C compiler
	Judge  string  `json:"judge"`
	Report string  `json:"report,omitempty"` // of the race detector
	Why    string  `json:"why,omitempty"`    // the reason why the race was not confirmed
	Sec    float64 `json:"seconds"`
}

// Step returns a step of the race's paths by its event number, nil if there is none.
func (r *Race) Step(event int64) *PathStep {
	k := int(-1 - event)
	for _, p := range r.Paths {
		if k >= 0 && k < len(p.Steps) {
			return &p.Steps[k]
		}
		k -= len(p.Steps)
	}
	return nil
}

// Proof is the tier that a race has without a replay.
func (r *Race) Proof() Tier {
	if r.Tier == Confirmed && r.Replay != nil {
		return r.Replay.Tier
	}
	return r.Tier
}

// Name names the memory that the race is on.
func (r *Race) Name() string { return nameOf(r.Object, &r.A) }

// compareRaces is the order of races in a report: by tier, then by source line.
func compareRaces(a, b *Race) int {
	return cmp.Or(
		cmp.Compare(a.Proof().rank(), b.Proof().rank()),
		comparePairs(&a.A, &a.B, &b.A, &b.B), cmp.Compare(a.ID, b.ID))
}
