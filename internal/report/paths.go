package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Paths counts what was looked at off the recorded paths. Windows overlap: a fork may count twice.
type Paths struct {
	// branches, pointers and indices that rest on what other goroutines write
	Forks int `json:"forks"`
	// of these, left out: many are alike, or there are too many
	Unexplored int `json:"unexplored"`
	// repetitions of an instruction that were not looked at as forks, after the first 64
	Unkept int            `json:"unkept"`
	Ways   int            `json:"ways"` // to go on from the forks
	Ends   map[string]int `json:"ends"` // of the ways, by why they go no further
}

// ended are the ways that were followed to an end of their own.
var ended = []string{"goroutine-ends", "panic", "nil-channel", "no-value"}

// reasons say why the others go no further. What is not listed is not modelled.
var reasons = map[string]string{
	"opaque-call":   "code that is not instrumented",
	"opaque-memory": "what code that is not instrumented may touch", "opaque-object": "what code that is not instrumented may touch",
	"too-long": "a bound", "too-deep": "a bound", "too-many-steps": "a bound", "allocation": "a bound",
	"unknown-address": "a value that is not known", "unknown-branch": "a value that is not known", "unknown-capacity": "a value that is not known",
	"unknown-divisor": "a value that is not known", "unknown-index": "a value that is not known", "unknown-length": "a value that is not known",
	"unknown-value": "a value that is not known", "goroutine-argument": "a value that is not known", "deferred-calls": "a value that is not known",
	"new-object": "an object that is made there, and shared", "shared-allocation": "an object that is made there, and shared",
	"reused-memory": "memory that is used anew", "stack": "memory that is used anew",
	"returns": "a return to code that was not walked",
}

const notModelled = "what is not modelled"

// lost says in words what was not looked at to its end, "" for nothing.
func (p *Paths) lost() string {
	if p == nil {
		return ""
	}
	by, total := map[string]int{}, 0
	for code, n := range p.Ends {
		if slices.Contains(ended, code) {
			continue
		}
		total += n
		by[cmp.Or(reasons[code], notModelled)] += n
	}
	var parts []string
	if total > 0 {
		list := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
		for i, what := range list {
			list[i] = fmt.Sprintf("%s (%d)", what, by[what])
		}
		parts = append(parts, fmt.Sprintf("explored %s, %d only in part, because of %s", plural(p.Ways, "alternative path"), total, strings.Join(list, ", ")))
	}
	if n := p.Unexplored; n > 0 {
		parts = append(parts, fmt.Sprintf("did not explore %d of %s, because there are many", n, plural(p.Forks, "fork")))
	}
	return strings.Join(parts, "; ")
}

// rungs says how many races stand on which of the upper rungs.
func (s *Summary) rungs() string {
	var parts []string
	if s.ByValue > 0 {
		parts = append(parts, fmt.Sprintf("%d by value", s.ByValue))
	}
	if s.ByPath > 0 {
		parts = append(parts, fmt.Sprintf("%d by path", s.ByPath))
	}
	if s.Replayed > 0 {
		parts = append(parts, fmt.Sprintf("%d seen in a run under a schedule that presage chose", s.Replayed))
	}
	if s.Confirmed > 0 {
		parts = append(parts, fmt.Sprintf("%d confirmed by a replay", s.Confirmed))
	}
	if s.Unconfirmed > 0 {
		parts = append(parts, fmt.Sprintf("%d replayed and not confirmed", s.Unconfirmed))
	}
	if s.Unreplayed > 0 {
		parts = append(parts, fmt.Sprintf("%d not replayed", s.Unreplayed))
	}
	if parts == nil {
		return ""
	}
	return " (of these " + strings.Join(parts, ", ") + ")"
}
