package offpath

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// An Execution is a witness as package witness has executed it.
type Execution interface {
	Done(event int32) bool                         // the event is executed
	Intact(event int32) bool                       // of a read: it returns its recorded value
	Seen(event int32) (word uint64, known bool)    // what a read returns
	Wrote(event int32) (word uint64, known bool)   // what a write or send leaves
	Value(t *model.Term) (word uint64, known bool) // the value of a term over its reads
	Text(t *model.Term) (text string, known bool)  // the value of a term of type string
}

// A Violation says which rule a witness breaks.
type Violation struct {
	Rule   string
	Step   int // the step of the alternative that is next; -1: none in particular
	Reason string
}

func (v *Violation) Error() string {
	if v.Step < 0 {
		return fmt.Sprintf("witness: (%s) %s", v.Rule, v.Reason)
	}
	return fmt.Sprintf("witness: (%s) at step %d: %s", v.Rule, v.Step, v.Reason)
}

// reject ends a check.
func reject(rule, reason string, args ...any) {
	panic(&Violation{Rule: rule, Step: -1, Reason: fmt.Sprintf(reason, args...)})
}

// throw rejects a witness because the interpreter cannot execute the program further (CP3).
func throw(reason string, args ...any) { reject("CP3", reason, args...) }

// subject is what a check is about: an alternative in a witness of a race in a variant of a window.
type subject struct {
	window  *built.Window // as recorded
	alt     *built.Way
	beside  []*built.Way // the other alternatives of the variant
	all     []*built.Way // alt and beside, in the order of the variant
	first   int          // the number in the variant of the alternative's first step
	total   int          // the number of the steps of all alternatives
	variant *model.Window
	pair    model.Pair
	exec    Execution
	snap    *flow.Snapshot // the goroutine at the fork
	former  *former        // the numbers that are taken from it
}

// Check executes the program along each alternative of a variant, from the fork on, and reports
// whether it does what the witness says. The witness is x, of the race p in the variant w. The
// error is a *Violation.
func Check(b *built.Window, alts []*built.Way, w *model.Window, p model.Pair, x Execution) error {
	total := 0
	for _, alt := range alts {
		total += len(alt.Steps)
	}
	made := map[uint64]bool{} // objects that alternatives have allocated, by the variant's number
	unseen := false
	first := 0
	for k, alt := range alts {
		in := &subject{
			window: b, alt: alt, all: alts, beside: slices.Delete(slices.Clone(alts), k, k+1), first: first, total: total,
			variant: w, pair: p, exec: x, former: newFormer(b),
		}
		snap := alt.Origin.Snapshot()
		in.former.atFork(snap, alt.Assumes)
		in.snap = in.former.watch(snap)
		c, err := in.check()
		if err != nil {
			return err
		}
		first += len(alt.Steps)
		if c == nil {
			continue
		}
		for n := range c.values.fresh.here {
			if made[n] {
				return &Violation{"CP4", -1, fmt.Sprintf("two alternatives have allocated the object %#x", n<<freshShift)}
			}
			made[n] = true
		}
		if c.vars.unseen() {
			if unseen {
				return &Violation{"CP5", -1, "two alternatives use variables that nobody has accessed"}
			}
			unseen = true
		}
	}
	return nil
}

// check executes one alternative. The result is nil if the witness has nothing of it.
func (in *subject) check() (c *process, err error) {
	s := newScript(in)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Violation:
			if r.Step < 0 {
				r.Step = s.at
			}
			err = r
		default:
			err = &Violation{Rule: "CP3", Step: s.at, Reason: fmt.Sprint(r)}
		}
	}()
	in.recordedPathEnds()
	in.atRest()
	in.goesOn()
	in.timerStarts()
	s.match()
	if !s.used {
		return nil, nil
	}
	s.at = -1
	c = newProcess(in, s)
	c.values.conditions()
	c.execute()
	s.at = -1
	around := &surroundings{in: in, script: s, loads: c.private.loads, called: c.called, vars: c.vars}
	around.check()
	return c, nil
}

// recordedPathEnds checks that the recorded path of the goroutine ends at the fork (CP1).
func (in *subject) recordedPathEnds() {
	for i := range in.window.Events {
		e, v := &in.window.Events[i], &in.variant.Events[i]
		switch {
		case e.Thread == in.alt.Thread && e.Index >= in.alt.At && !v.Never:
			reject("CP1", "event %d comes after the fork, but may be executed", i)
		case e.Thread == in.alt.Thread && e.Index < in.alt.At && v.Thread != e.Thread:
			reject("CP1", "event %d comes before the fork, but is not the goroutine's", i)
		case v.Kind == format.Join && model.Thread(v.Obj) == in.alt.Thread && !v.Never:
			reject("CP1", "event %d waits for the end of the goroutine", i)
		}
	}
}

// goesOn checks that the goroutine does not make a call again from which it has returned (CP1).
func (in *subject) goesOn() {
	if in.alt.Returned == 0 || len(in.snap.Frames) == 0 {
		return
	}
	f := &in.snap.Frames[0]
	at := in.snap.Program.Func(f.Func).Blocks[f.Block].Instrs[f.Instr].Site
	if at == in.alt.Returned && !repeats(f.Func.Blocks[f.Block]) {
		reject("CP1", "the goroutine has returned from the call where it goes on")
	}
}

// repeats reports whether a block may be executed again after itself.
func repeats(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	next := slices.Clone(b.Succs)
	for len(next) > 0 {
		c := next[len(next)-1]
		next = next[:len(next)-1]
		if c == b {
			return true
		}
		if !seen[c] {
			seen[c] = true
			next = append(next, c.Succs...)
		}
	}
	return false
}

// atRest checks that the goroutine is not within an operation where it leaves its recorded path
// (CP1): it does not wait in a Cond, has not begun a select, has made whole accesses, and its last
// operation has not made the counter of a WaitGroup negative, which panics.
func (in *subject) atRest() {
	waiting := slices.ContainsFunc(in.window.Init, func(s model.ObjState) bool {
		return slices.ContainsFunc(s.Waiters, func(w model.Waiter) bool { return w.Thread == in.alt.Thread })
	})
	within := false
	for _, r := range in.window.Records {
		if r.G != in.alt.G || r.Index >= in.alt.At {
			continue
		}
		switch r.Kind {
		case format.CondWait:
			waiting = true
		case format.CondWake:
			waiting = false
		}
		within = r.Flags&format.FlagMore != 0 || r.Kind == format.SelectCase || r.Kind == format.WGAdd && int64(r.Aux) < 0
	}
	if waiting || within {
		reject("CP1", "the goroutine is within an operation where it leaves its recorded path")
	}
}
