package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// Paths counts the alternative paths that were explored. Windows overlap, so a fork may count
// twice.
type Paths struct {
	// branches, pointers and indices that depend on writes of other goroutines
	Forks int `json:"forks"`
	// of these, not explored: many are alike, or there are too many
	Unexplored int `json:"unexplored"`
	// of the explored ones, those of which not all values were tried, or not all paths followed
	Bounded int `json:"bounded,omitempty"`
	// executions of an instruction that are not explored as forks, after the first 64
	Unkept int `json:"unkept"`
	// starts and stops of timers without other outcomes, because the program uses testing/synctest
	Timers int            `json:"timers,omitempty"`
	Ways   int            `json:"ways"` // alternative paths from the forks
	Ends   map[string]int `json:"ends"` // of the alternative paths, by the reason why they end
}

// ended are the reasons of alternative paths that were explored to their end.
var ended = []string{"goroutine-ends", "panic", "nil-channel", "no-value"}

// reasons are the reasons why the others end early. A code that is not listed means that something
// is not modelled.
var reasons = map[string]string{
	"opaque-call":   "code that is not recorded",
	"opaque-memory": "memory that such code may use", "opaque-object": "memory that such code may use",
	"too-long": "a bound", "too-deep": "a bound", "too-many-steps": "a bound", "allocation": "a bound",
	"unknown-address": "a value that is not known", "unknown-branch": "a value that is not known", "unknown-capacity": "a value that is not known",
	"unknown-divisor": "a value that is not known", "unknown-index": "a value that is not known", "unknown-length": "a value that is not known",
	"unknown-value": "a value that is not known", "goroutine-argument": "a value that is not known", "deferred-calls": "a value that is not known",
	"new-object": "a new object that goroutines share", "shared-allocation": "a new object that goroutines share",
	"reused-memory": "memory that is allocated again", "stack": "memory that is allocated again",
	"returns": "a return to code that is not recorded",
	"broken":  "an error of presage",
}

const notModelled = "operations that presage does not follow"

// early counts the alternative paths that were not explored to their end, in all and by the reason,
// and lists the reasons with the most frequent one first.
func (p *Paths) early() (total int, by map[string]int, reasonsOf []string) {
	by = map[string]int{}
	if p == nil {
		return 0, by, nil
	}
	for code, n := range p.Ends {
		if slices.Contains(ended, code) {
			continue
		}
		total += n
		by[cmp.Or(reasons[code], notModelled)] += n
	}
	return total, by, slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
}

// lost describes the alternative paths that were not explored to their end; "" if there are none.
func (p *Paths) lost() string {
	if p == nil {
		return ""
	}
	var parts []string
	if total, by, list := p.early(); total > 0 {
		for i, what := range list {
			list[i] = fmt.Sprintf("%s (%d)", what, by[what])
		}
		parts = append(parts, fmt.Sprintf("followed %s of untaken branches; %s early, at %s", plural.Of(p.Ways, "path"), plural.Text(total, "{{n}} end{{s|}}"), strings.Join(list, ", ")))
	}
	if n := p.Unexplored; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s that depend on other goroutines not followed, because they are many or alike", n, plural.Text(p.Forks, "{{n}} branch{{|es}}")))
	}
	if n := p.Bounded; n > 0 {
		parts = append(parts, plural.Text(n, "{{n}} branch{{|es}} followed only in part, because {{it has|they have}} many values or paths"))
	}
	if n := p.Unkept; n > 0 {
		parts = append(parts, plural.Text(n, "{{n}} execution{{|s}} of branches not followed, because the same branch was executed many times before"))
	}
	if n := p.Timers; n > 0 {
		parts = append(parts, plural.Text(n, "{{n}} operation{{|s}} on timers taken to happen as in the run, because the program uses testing/synctest"))
	}
	return strings.Join(parts, "; ")
}

// rungs counts the races by their upper levels and their replays.
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
