package offpath_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/check/offpath"
	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A faulty fork returns alternatives with a fault, or explores from a wrong state. Window and
// engine work on them as they are.
type faulty struct {
	flow.Fork
	r     *rand.Rand
	fault string
	other flow.Fork // the one before it
}

func (f *faulty) Explore(s flow.Surroundings) (list []*flow.Alternative, bounded bool) {
	switch f.fault {
	case "foreign", "content":
		return f.Fork.Explore(&lying{s, f.fault})
	case "fork":
		if f.other != nil {
			return f.other.Explore(s)
		}
	}
	list, bounded = f.Fork.Explore(s)
	for _, a := range list {
		f.spoil(a)
	}
	return list, bounded
}

// Timer is wrong about when a timer is started, or does not see that it is stopped.
func (f *faulty) Timer() (t flow.Timer, ok bool) {
	t, ok = f.Fork.Timer()
	switch f.fault {
	case "timer":
		return t, false
	case "stop":
		t.Object ^= 8
	}
	return t, ok
}

// spoil puts the fault into an alternative.
func (f *faulty) spoil(a *flow.Alternative) {
	n := len(a.Steps)
	if n == 0 {
		return
	}
	k := f.r.IntN(n)
	s := &a.Steps[k]
	switch f.fault {
	case "guards":
		for i := range a.Steps {
			a.Steps[i].Flow.Guards = nil
		}
	case "flipped":
		for i := range a.Steps {
			for j := range a.Steps[i].Flow.Guards {
				a.Steps[i].Flow.Guards[j].Want ^= 1
			}
		}
	case "needs":
		for i := range a.Steps {
			a.Steps[i].Flow.Needs = nil
		}
	case "address":
		if t := &a.Steps[f.r.IntN(n)]; s.Event.Kind.IsAccess() && t.Event.Kind.IsAccess() && t.Event.Size == s.Event.Size {
			s.Event.Obj = t.Event.Obj
		}
	case "value":
		s.Event.Val ^= 1
		s.Flow.Value, s.Flow.From = nil, nil
	case "unlocked", "dropped":
		sync := s.Event.Kind == format.Lock || s.Event.Kind == format.Unlock || s.Event.Kind == format.WGAdd
		if (f.fault == "unlocked") == sync && s.Event.Kind != format.Go {
			drop(a, k)
		}
	case "swapped":
		if k+1 < n && a.Steps[k].Event.G == a.Steps[k+1].Event.G && !reads(a.Steps[k].Event.Kind) && !reads(a.Steps[k+1].Event.Kind) {
			a.Steps[k].Event, a.Steps[k+1].Event = a.Steps[k+1].Event, a.Steps[k].Event
		}
	case "write":
		if s.Event.Kind == format.Read {
			s.Event.Kind = format.Write
		}
	}
}

func reads(k format.Kind) bool { return k != format.Write && (k.IsAccess() || k == format.ChanRecv) }

// drop removes step k and everything that depends on it.
func drop(a *flow.Alternative, k int) {
	gone := flow.AlternativeBase + int64(k)
	renumber := func(e *expr.Expr) *expr.Expr {
		if e == nil {
			return nil
		}
		return e.Replace(func(r *expr.Expr) *expr.Expr {
			v, _ := r.Recorded()
			switch n := r.Number(); {
			case n == gone:
				return expr.Word(v)
			case n > gone:
				return expr.NewRead(n-1, r.Bytes(), v)
			}
			return r
		})
	}
	a.Steps = slices.Delete(a.Steps, k, k+1)
	for i := range a.Steps {
		f := &a.Steps[i].Flow
		f.Value = renumber(f.Value)
		var guards []flow.Guard
		for _, g := range f.Guards {
			if t := renumber(g.Term); t != nil && !t.IsConst() {
				guards = append(guards, flow.Guard{Term: t, Want: g.Want})
			}
		}
		f.Guards, f.From, f.Needs = guards, nil, slices.DeleteFunc(slices.Clone(f.Needs), func(x int64) bool { return x >= gone })
		if f.Value != nil {
			for _, r := range f.Value.Reads() {
				f.From = append(f.From, r.Number())
			}
		}
	}
	a.Chosen = nil
}

// lying surroundings answer a fork wrongly.
type lying struct {
	flow.Surroundings
	fault string
}

func (l *lying) Foreign(addr uint64, size int64) bool {
	return l.fault != "foreign" && l.Surroundings.Foreign(addr, size)
}

func (l *lying) Content(e *trace.Event) (bits uint64, term *expr.Expr, ok bool) {
	bits, term, ok = l.Surroundings.Content(e)
	if l.fault == "content" {
		return bits ^ 1, nil, ok
	}
	return bits, term, ok
}

// trusting reports whether an alternative assumes something of memory that its goroutine has not
// accessed before the fork.
func trusting(alt *built.Way, run *progtest.Run) bool {
	for _, a := range alt.Assumes {
		if !slices.ContainsFunc(run.Events[:alt.At], func(e trace.Event) bool {
			return e.G == alt.G && e.Kind.IsAccess() && uint64(e.Obj) < a.Addr+uint64(a.Size) && a.Addr < uint64(e.Obj)+uint64(e.Size)
		}) {
			return true
		}
	}
	return false
}

// TestFaultyExplorer runs window, engine and package witness on the alternatives of a faulty
// explorer. What this package accepts has to be a race of the program, by the oracle of package
// progtest. What it rejects is counted, with how much of it is no race.
func TestFaultyExplorer(t *testing.T) {
	kinds := []string{"guards", "flipped", "needs", "address", "value", "dropped", "unlocked", "swapped", "write", "foreign", "content", "fork", "timer", "stop"}
	trusted := 0 // what memory held before the window is not checked
	passed, stopped, harm := map[string]int{}, map[string]int{}, map[string]int{}
	eachRun(t, 200, 1, func(name string, p *progtest.Program, run *progtest.Run) {
		var truth *progtest.Races
		for _, kind := range kinds {
			r := rand.New(rand.NewPCG(3, 3))
			var last flow.Fork
			races(t, name, p, run, func(f flow.Fork) flow.Fork {
				x := &faulty{f, r, kind, last}
				last = f
				return x
			}, func(f *found) {
				x, err := witness.Execute(f.w, f.pair, f.order)
				if err != nil {
					return
				}
				if truth == nil {
					truth = p.Explore(100_000)
				}
				if !truth.Exhausted {
					return
				}
				a, b := &f.w.Events[f.pair.A], &f.w.Events[f.pair.B]
				real := truth.Has(progtest.PairOf(a.Site, b.Site))
				err = offpath.Check(f.built, []*built.Way{f.alt}, f.w, f.pair, x)
				switch {
				case err == nil && !real && kind == "content" && trusting(f.alt, run):
					trusted++
				case err == nil && !real:
					t.Errorf("%s, explorer wrong about %s: no race, %s, steps%s", name, kind, p.Describe(progtest.PairOf(a.Site, b.Site)), steps(f.alt))
				case err == nil:
					passed[kind]++
				default:
					stopped[kind]++
					if !real {
						harm[kind]++
					}
				}
			})
		}
	})
	t.Logf("passed %v\nstopped %v\nof these no races %v\npassed on trust, and no races: %d", passed, stopped, harm, trusted)
	for _, kind := range kinds {
		if stopped[kind] == 0 {
			t.Errorf("nothing was stopped of an explorer that is wrong about %s", kind)
		}
	}
}
