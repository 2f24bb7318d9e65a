package offpath

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An Execution is a witness as package witness has executed it.
type Execution interface {
	Done(event int32) bool                         // it has happened
	Intact(event int32) bool                       // a read: it has seen what was recorded
	Seen(event int32) (word uint64, known bool)    // what a read saw
	Wrote(event int32) (word uint64, known bool)   // what a write or send left
	Value(t *model.Term) (word uint64, known bool) // of what its reads saw
	Text(t *model.Term) (text string, known bool)  // of a string
}

// A Violation says which rule an alternative breaks.
type Violation struct {
	Rule   string
	Step   int // of the alternative, the next one; -1: none in particular
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

// throw rejects what the interpreter cannot execute (D4).
func throw(reason string, args ...any) { reject("D4", reason, args...) }

// Check executes the program from the fork of a way on, under the values that it has in the witness
// x of the race p in the variant w, and reports whether it does what the way says, up to what of it
// is in the witness. The error is a *Violation.
func Check(b *built.Window, way *built.Way, w *model.Window, p model.Pair, x Execution) (err error) {
	c := &checker{
		b: b, way: way, w: w, x: x, pair: p, snap: way.Origin.Snapshot(), places: b.Places,
		todo: map[trace.GoID][]int{}, threads: map[trace.GoID]model.Thread{way.G: way.Thread},
		memory: memory{funcs: map[*ssa.Function]uint64{}, globals: map[string]uint64{}, overlay: map[uint64]overlaid{}, mine: map[uint64]uint64{}, theirs: map[uint64]uint64{}},
	}
	c.texts = texts{c.snap.Texts}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Violation:
			if r.Step < 0 {
				r.Step = c.at
			}
			err = r
		default:
			err = &Violation{Rule: "D4", Step: c.at, Reason: fmt.Sprint(r)}
		}
	}()
	c.at = -1
	c.leaves()
	c.correspond()
	c.granted()
	c.execute()
	c.at = -1
	c.surroundings()
	return nil
}

// checker is one check.
type checker struct {
	b      *built.Window
	way    *built.Way
	w      *model.Window // the variant
	x      Execution
	pair   model.Pair
	snap   *flow.Snapshot
	places []built.Place
	steps  []step
	// by goroutine: what of its steps the witness has, and it has not come to
	todo map[trace.GoID][]int
	at   int // step

	threads map[trace.GoID]model.Thread // of the alternative's goroutines
	waiting []*machine                  // that were started and have not been executed
	forked  bool                        // one was started
	instrs  int

	memory
	texts texts
}

// step is a step of the alternative with its events in the variant.
type step struct {
	*flow.Step
	events []int32
	any    bool // an event of it is in the witness
	whole  bool // all of it is
	racing bool // one of its events is an access of the race
}

// leaves checks (D1): the recorded path ends at the fork.
func (c *checker) leaves() {
	for i := range c.b.Events {
		e, v := &c.b.Events[i], &c.w.Events[i]
		switch {
		case e.Thread == c.way.Thread && e.Index >= c.way.At && !v.Never:
			reject("D1", "event %d comes after the fork, and is not out of it", i)
		case e.Thread == c.way.Thread && e.Index < c.way.At && v.Thread != e.Thread:
			reject("D1", "event %d comes before the fork, and is out of it", i)
		case v.Kind == format.Join && model.Thread(v.Obj) == c.way.Thread && !v.Never:
			reject("D1", "event %d waits for the end of the goroutine", i)
		}
	}
}

// correspond is (D2): finds the events of each step.
func (c *checker) correspond() {
	for k := range c.way.Steps {
		c.steps = append(c.steps, step{Step: &c.way.Steps[k]})
	}
	last := map[model.Thread]int{}
	for i := int32(len(c.b.Events)); int(i) < len(c.w.Events); i++ {
		e := &c.w.Events[i]
		if e.Kind == model.Pin {
			continue
		}
		k := int(e.Index - flow.AlternativeBase)
		if k < 0 || k >= len(c.steps) {
			reject("D2", "event %d stands for no step", i)
		}
		c.at = k
		c.stands(&c.steps[k], i, e)
		if k < last[e.Thread] {
			reject("D2", "event %d is out of order", i)
		}
		last[e.Thread] = k
	}
	end := map[trace.GoID]int{}
	for k := range c.steps {
		s := &c.steps[k]
		c.at = k
		c.inWitness(s)
		if s.any || s.racing {
			end[s.Event.G] = k + 1
		}
	}
	for k := range c.steps {
		s := &c.steps[k]
		if g := s.Event.G; k < end[g] {
			c.at = k
			if k < end[g]-1 && !s.whole {
				reject("D2", "the witness goes on without the step")
			}
			c.todo[g] = append(c.todo[g], k)
		}
	}
}

// stands checks that event i may stand for a step.
func (c *checker) stands(s *step, i int32, e *model.Event) {
	d := &s.Event
	switch t, ok := c.threads[d.G]; {
	case !ok || t != e.Thread:
		reject("D2", "event %d is of thread %d", i, e.Thread)
	case e.Kind != d.Kind || e.Flags != d.Flags&^format.FlagMore || e.Site != d.Site:
		reject("D2", "event %d is another operation", i)
	}
	s.events = append(s.events, i)
	switch {
	case d.Kind.IsAccess():
		at := c.places[e.Obj]
		if at.Mask == 0 || at.Addr != uint64(d.Obj)&^7 || at.Mask&^bytesOf(uint64(d.Obj), int(d.Size)) != 0 {
			reject("D2", "event %d is of another location", i)
		}
		return
	case d.Kind == format.Go:
		t := model.Thread(e.Obj)
		if _, twice := c.threads[trace.GoID(d.Obj)]; twice || c.usedBefore(t) {
			reject("D2", "event %d starts a thread that is not new", i)
		}
		c.threads[trace.GoID(d.Obj)] = t
	case d.Kind == format.SelectDefault:
		if e.Obj != -1 || d.Obj != 0 {
			reject("D2", "event %d is of an object", i)
		}
	default:
		if at := c.places[e.Obj]; at.Mask != 0 || at.Addr != uint64(d.Obj) {
			reject("D2", "event %d is of another object", i)
		}
		if d.Kind == format.WGAdd && e.Val != d.Val {
			reject("D2", "event %d adds %d", i, int64(e.Val))
		}
	}
	if len(s.events) > 1 {
		reject("D2", "event %d is one too many", i)
	}
}

// usedBefore reports whether a thread has events that are not of the alternative.
func (c *checker) usedBefore(t model.Thread) bool {
	for i := range c.b.Events {
		if c.w.Events[i].Thread == t {
			return true
		}
	}
	return false
}

// inWitness says what of a step the witness has.
func (c *checker) inWitness(s *step) {
	var covered uint8
	done := 0
	for _, i := range s.events {
		if i == c.pair.A || i == c.pair.B {
			s.racing = true
		}
		if c.x.Done(i) {
			done++
			if s.Event.Kind.IsAccess() {
				covered |= c.places[c.w.Events[i].Obj].Mask
			}
		}
	}
	s.any = done > 0
	s.whole = s.any && done == len(s.events)
	if s.Event.Kind.IsAccess() {
		s.whole = s.whole && covered == bytesOf(uint64(s.Event.Obj), int(s.Event.Size))
	}
	if s.any && s.Last {
		reject("D2", "nothing may rest on the step, but the witness executes it")
	}
}

// bytesOf is the bytes of its word that an access covers.
func bytesOf(addr uint64, size int) uint8 {
	if size <= 0 || size > 8 || int(addr&7)+size > 8 {
		return 0
	}
	return uint8((1<<size - 1) << (addr & 7))
}

// granted checks (D3): what the snapshot takes for granted holds in the witness, if it has anything
// of the alternative.
func (c *checker) granted() {
	c.at = -1
	if len(c.todo) == 0 {
		return
	}
	for _, i := range c.b.SourcesOf(c.snap.Needs) {
		if !c.x.Intact(i) {
			reject("D3", "the fork rests on the read %d, which does not keep its value", i)
		}
	}
	for _, g := range c.snap.Guards {
		if v, ok := c.term(g.Term); !ok || v != g.Want {
			reject("D3", "the fork rests on a guard that does not hold")
		}
	}
}

// term is what a term amounts to in the witness.
func (c *checker) term(f *expr.Expr) (word uint64, known bool) {
	t, ok := c.b.Term(f)
	switch {
	case !ok:
		return 0, false
	case t.Copies():
		if word, known = c.x.Seen(t.Reads()[0]); !known {
			return 0, false
		}
		return c.pointed(word).bits()
	}
	return c.x.Value(t)
}

// content is what a term of a string amounts to.
func (c *checker) content(f *expr.Expr) (text string, known bool) {
	if t, ok := c.b.Term(f); ok {
		return c.x.Text(t)
	}
	return "", false
}

// maxInstrs bounds the instructions of a check.
const maxInstrs = 1 << 16

// execute executes the goroutines of the alternative, each up to its last step that is in the
// witness.
func (c *checker) execute() {
	if len(c.todo[c.way.G]) > 0 {
		c.run(c.resume())
	}
	for len(c.waiting) > 0 {
		m := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.run(m)
	}
	for g, list := range c.todo { // whichever is the first
		if len(list) > 0 {
			reject("D5", "goroutine %d is not started", g)
		}
	}
}

// finished is thrown where a goroutine has come to the last step that counts, in the middle of what
// cannot be executed.
type finished struct{}

func (c *checker) run(m *machine) {
	defer func() {
		if r := recover(); r != nil && r != (finished{}) {
			panic(r)
		}
	}()
	for len(c.todo[m.g]) > 0 {
		c.at = c.todo[m.g][0]
		if c.instrs++; c.instrs > maxInstrs {
			throw("more than %d instructions", maxInstrs)
		}
		m.step()
	}
}
