package replay

import (
	"fmt"
	"path/filepath"

	"github.com/presage-race/presage/internal/trace"
)

// Verdict is what became of a kept schedule.
type Verdict string

const (
	// Confirmed: the race is still there.
	Confirmed Verdict = "confirmed"
	// NotConfirmed: the program is as it was when the schedule was kept, and the race did not come.
	NotConfirmed Verdict = "not confirmed"
	// NoLongerFeasible: the program has changed, and a step of the schedule cannot come any more.
	NoLongerFeasible Verdict = "no longer feasible"
	// NoLongerFits: the program has changed so much that nothing can be said.
	NoLongerFits Verdict = "no longer fits"
)

// where is where a goroutine was when the schedule stalled
// (internal/record/recorder/_gates/runtime/presage_where.go).
type where uint64

// What a goroutine waits for.
var waits = []string{"", "a lock", "a read lock", "a WaitGroup", "a Cond", "a receive", "a send", "a select"}

const (
	waitsOther = 8
	hasEnded   = 10
)

func (w where) unborn() bool { return w&0xff == 0 }

func (w where) ended() bool { return w&0xff == hasEnded }

// blocked reports whether it waits for another goroutine, and for what.
func (w where) blocked() (what string, ok bool) {
	n := int(w & 0xff)
	if n == 0 || n >= waitsOther {
		return "", false
	}
	return waits[n], true
}

// site is the last gate that it came to, 0 if it came to none.
func (w where) site() trace.Site {
	if w>>8 == 0 {
		return 0
	}
	return trace.Site(w>>8 - 1)
}

// judgement is why a schedule was not kept to.
type judgement struct {
	f  *fit
	s  *schedule
	st *state
}

// verdict says what became of a kept schedule that no try confirmed.
//
// It is (RP5): no longer feasible if one of the two accesses cannot come while the other goroutine
// stands before its own: nothing else is held at that moment, and the goroutine that should make
// it, or the one that should start that, waits for a lock, a channel, a WaitGroup. Or if the two
// accesses were made, and not at one address.
func (j *judgement) verdict() (Verdict, string) {
	n := len(j.s.steps)
	a, b := j.s.steps[n-1].pair, n-1
	xa, xb := &j.st.steps[a], &j.st.steps[b]
	switch {
	case j.st.pid == 0:
		return NoLongerFits, "the program did not take the schedule: it may have ended before"
	case xa.state >= done && xb.state >= done && xa.addr != 0 && xb.addr != 0 && !overlap(*xa, *xb) && j.s.isOutside():
		return NoLongerFits, "the two accesses were made in different memory: which passages of outside code meet is not known"
	case xa.state >= done && xb.state >= done && xa.addr != 0 && xb.addr != 0 && !overlap(*xa, *xb):
		return NoLongerFeasible, fmt.Sprintf("the two accesses are no longer at one place in memory: %#x and %#x", xa.addr, xb.addr)
	case xa.state >= done && xb.state >= done:
		return NotConfirmed, "both accesses were made, and the race detector reported no race of these lines"
	case xa.state >= arrived && xb.state < arrived:
		v, why := j.missing(b, a)
		return v, why + j.before(b)
	case xb.state >= arrived && xa.state < arrived:
		v, why := j.missing(a, b)
		return v, why + j.before(a)
	}
	return NoLongerFits, "neither of the two accesses came: " + j.first()
}

// missing is the verdict where one access came and the other did not.
func (j *judgement) missing(k, other int) (Verdict, string) {
	text := j.step(k) + " cannot come while " + j.who(j.s.steps[other].gate) + " is before " + j.step(other) + ": "
	g := j.s.steps[k].gate
	for {
		switch at := j.st.last[g]; {
		case at.ended():
			return NoLongerFits, j.step(k) + " did not come: " + j.who(g) + " ended without it"
		case !at.unborn():
			what, ok := at.blocked()
			if !ok {
				return NoLongerFits, fmt.Sprintf("%s did not come: %s was elsewhere, last at %s", j.step(k), j.who(g), j.at(at))
			}
			return NoLongerFeasible, text + fmt.Sprintf("%s waits for %s at %s", j.who(g), what, j.at(at))
		}
		p := j.s.gates[g].parent
		if p == 0 || p > uint64(len(j.s.gates)) {
			return NoLongerFits, j.step(k) + " did not come: " + j.who(g) + " was not started"
		}
		text += j.who(g) + " is not started, "
		g = int(p - 1)
	}
}

// before names a step that did not come before the access that did not.
func (j *judgement) before(k int) string {
	if first := j.firstStep(); first >= 0 && first < k {
		return "; the first to be missed was " + j.step(first)
	}
	return ""
}

// firstStep is the first step that had not come when the schedule stalled first, -1 if all had.
func (j *judgement) firstStep() int {
	passed := j.st.passed
	if len(j.st.stalls) > 0 {
		passed = j.st.stalls[0].passed
	}
	for k := range j.s.steps {
		if x := &j.st.steps[k]; (x.order == 0 || x.order > passed) && x.state != arrived {
			return k
		}
	}
	return -1
}

// first says what became of that step.
func (j *judgement) first() string {
	if k := j.firstStep(); k >= 0 {
		g := j.s.steps[k].gate
		text := j.step(k) + " did not come"
		switch at := j.st.first[g]; {
		case at.unborn():
			return text + ": " + j.who(g) + " was not started"
		case at.ended():
			return text + ": " + j.who(g) + " ended without it"
		}
		if what, ok := j.st.first[g].blocked(); ok {
			return text + fmt.Sprintf(": %s waited for %s at %s", j.who(g), what, j.at(j.st.first[g]))
		}
		return text + fmt.Sprintf(": %s was last at %s", j.who(g), j.at(j.st.first[g]))
	}
	return "all others did"
}

// step names a step by its number in the kept schedule.
func (j *judgement) step(k int) string {
	st := &j.s.steps[k]
	return fmt.Sprintf("step %d of %d (%s at %s)", st.index, len(j.f.kept.steps), kindName(st.kind), j.stepPlace(st))
}

func (j *judgement) who(g int) string { return fmt.Sprintf("goroutine %d", j.s.gates[g].g) }

func (j *judgement) at(w where) string {
	if w.site() == 0 {
		return "no gate"
	}
	return j.place(w.site())
}

func (j *judgement) stepPlace(st *step) string {
	if st.place != nil {
		return st.place.String()
	}
	return j.place(st.site)
}

func (j *judgement) place(s trace.Site) string {
	info := &j.f.plan.Sites[s]
	return fmt.Sprintf("%s:%d", filepath.Base(j.f.plan.Files[info.File].Name), info.Line)
}
