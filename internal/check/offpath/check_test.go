package offpath_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/check/offpath"
	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// found is a race off the recorded path, with its witness.
type found struct {
	name  string
	built *built.Window
	alt   *built.Way
	w     *model.Window
	pair  model.Pair
	order []int32
}

// check runs both checkers.
func (f *found) check() (*witness.Execution, error) {
	x, err := witness.Execute(f.w, f.pair, f.order)
	if err != nil {
		return nil, err
	}
	return x, offpath.Check(f.built, []*built.Way{f.alt}, f.w, f.pair, x)
}

// eachRace calls f for races off the recorded path of random programs and of bodies.
func eachRace(t *testing.T, seeds, from uint64, f func(*found)) {
	t.Helper()
	eachRun(t, seeds, from, func(name string, p *progtest.Program, run *progtest.Run) { races(t, name, p, run, nil, f) })
}

// eachRun calls f for runs of random programs, and of bodies.
func eachRun(t *testing.T, seeds, from uint64, f func(name string, p *progtest.Program, run *progtest.Run)) {
	t.Helper()
	if testing.Short() {
		seeds /= 5
	}
	l := progtest.NewLoader()
	record := func(name string, p *progtest.Program, seed uint64) {
		if run, err := p.Record(seed); err == nil {
			f(name, p, run)
		}
	}
	for seed := from; seed < from+seeds; seed++ {
		var k progtest.Knobs
		if seed%4 == 0 {
			k.Use = progtest.Guards | progtest.Late | progtest.Arith | progtest.Maps | progtest.SyncMaps
		}
		p, err := l.Load(progtest.Generate(seed, k))
		if err != nil {
			t.Fatal(err)
		}
		record(fmt.Sprintf("random %d", seed), p, seed*16)
	}
	for i := range bodies {
		p, err := l.Load(bodies[i].source())
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(4) {
			record(bodies[i].name, p, seed)
		}
	}
}

// races looks for races off the recorded path of one run, with other forks in place of those of the
// walk if fork is not nil.
func races(t *testing.T, name string, p *progtest.Program, run *progtest.Run, fork func(flow.Fork) flow.Fork, f func(*found)) *window.Builder {
	t.Helper()
	walker := walk.NewBranching(p.Plan)
	walker.Read(run.Meta)
	b := window.NewBuilder(window.BuildOptions{Walked: true, Symbolic: true, Paths: true, Meta: run.Meta}, func(b *built.Window) error {
		for k := range b.Alternatives {
			alt := &b.Alternatives[k]
			w, from := b.Variant(alt), int32(len(b.Events))
			solver := engine.New(w, engine.Options{})
			tried := 0
			for _, p := range pairs(w, from) {
				if order := solve(solver, p, fork != nil); order != nil {
					f(&found{name, b, alt, w, p, order})
				}
				if tried++; tried > 40 {
					break
				}
			}
		}
		return nil
	})
	for i := range run.Events {
		e := run.Events[i]
		flow := walker.Step(int64(i), &e)
		for k := range flow.Forks {
			if fork != nil {
				flow.Forks[k] = fork(flow.Forks[k])
			}
		}
		if err := b.Add(int64(i), &e, flow); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Flush(nil); err != nil {
		t.Fatal(err)
	}
	return b
}

// solve returns the engine's witness, nil if there is none. With a faulty explorer the window may
// be malformed.
func solve(s *engine.Solver, p model.Pair, faulty bool) (order []int32) {
	defer func() {
		if r := recover(); r != nil && !faulty {
			panic(r)
		}
	}()
	if res := s.Solve(p); res.Verdict == engine.Race {
		return append([]int32{}, res.Order...)
	}
	return nil
}

// pairs are the conflicting accesses of a variant of which one is an event of the alternative, or a
// recorded one.
func pairs(w *model.Window, from int32) (list []model.Pair) {
	ok := func(i int32) bool {
		e := &w.Events[i]
		return e.Kind.IsAccess() && e.Flags&format.FlagStack == 0 && w.Threads[e.Thread] >= 0 && !e.Never
	}
	for j := int32(len(w.Events)) - 1; j >= from; j-- {
		for i := range j {
			a, b := &w.Events[i], &w.Events[j]
			if ok(i) && ok(j) && a.Thread != b.Thread && a.Obj == b.Obj && (a.Kind.IsWrite() || b.Kind.IsWrite()) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic()) {
				list = append(list, model.Pair{A: i, B: j})
			}
		}
	}
	return list
}

// TestAccepts checks that the checker accepts the alternatives of random programs.
func TestAccepts(t *testing.T) {
	n := 0
	eachRace(t, 400, 1, func(f *found) {
		n++
		if _, err := f.check(); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	})
	if t.Logf("%d witnesses", n); n < 100 {
		t.Error("too few")
	}
}

// needed are the steps of an alternative that its witness has, executed or as an access of the
// race, and which of them are executed.
func (f *found) needed(x *witness.Execution) (list []int, executed map[int]bool) {
	executed = map[int]bool{}
	for i := int32(len(f.built.Events)); int(i) < len(f.w.Events); i++ {
		k := int(f.w.Events[i].Index - flow.AlternativeBase)
		if x.Done(i) {
			executed[k] = true
		}
		if (x.Done(i) || i == f.pair.A || i == f.pair.B) && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list, executed
}

// clone is a copy that a fault may change.
func (f *found) clone() *found {
	c := *f
	alt, w := *f.alt, *f.w
	c.alt, c.w = &alt, &w
	alt.Steps, alt.Assumes = slices.Clone(alt.Steps), slices.Clone(alt.Assumes)
	w.Events = slices.Clone(w.Events)
	c.order = slices.Clone(f.order)
	return &c
}

// each calls g for the events of step k.
func (f *found) each(k int, g func(i int32, e *model.Event)) {
	for i := int32(len(f.built.Events)); int(i) < len(f.w.Events); i++ {
		if e := &f.w.Events[i]; e.Index == flow.AlternativeBase+int64(k) {
			g(i, e)
		}
	}
}

// ofMap reports whether a step is an access to a map.
func ofMap(s *flow.Step) bool {
	return (s.Event.Kind == format.Read || s.Event.Kind == format.Write) && s.Event.Flags&format.FlagNoValue != 0
}

// otherEntry has a write to a map act on the entry of another key, or leave there what a recorded
// event has left, and which is something else. It returns false if there is none.
func (f *found) otherEntry(r *rand.Rand, k int) (done bool) {
	f.each(k, func(_ int32, w *model.Event) {
		x, ok := f.built.Entries[w.Obj]
		if !ok || done || x.Whole {
			return
		}
		var others []model.Obj
		for o, y := range f.built.Entries {
			if y.Map == x.Map && y.Presence == x.Presence && y.Key != x.Key && !y.Whole {
				others = append(others, o)
			}
		}
		slices.Sort(others)
		if len(others) > 0 && r.IntN(2) == 0 {
			w.Obj, done = others[r.IntN(len(others))], true
			return
		}
		if v := f.w.Init[w.Obj].Val; v != w.Val {
			w.Val, done = v, true
		}
	})
	return done
}

// faults make step k of an alternative wrong, and its events in the window with it: as if package
// alternative had been wrong, and the window built accordingly. They return false where they do not
// apply.
var faults = []struct {
	name  string
	spoil func(r *rand.Rand, f *found, k int, needed []int, executed map[int]bool) bool
}{
	{"address", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		e := &f.alt.Steps[k].Event
		if !e.Kind.IsAccess() {
			return false
		}
		places := f.built.Places
		off := uint64(e.Obj) & 7
		mask := uint8((1<<e.Size - 1) << off)
		var others []model.Obj
		for o, p := range places {
			// a pool has several objects
			if format.IsPoolWord(e.Obj) && format.IsPoolWord(trace.Addr(p.Addr)) {
				continue
			}
			if p.Mask == mask && p.Addr != uint64(e.Obj)&^7 {
				others = append(others, model.Obj(o))
			}
		}
		n := 0
		f.each(k, func(int32, *model.Event) { n++ })
		if len(others) == 0 || n != 1 {
			return false
		}
		o := others[r.IntN(len(others))]
		f.each(k, func(_ int32, w *model.Event) { w.Obj = o })
		e.Obj = trace.Addr(places[o].Addr + off)
		return true
	}},
	{"object", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		e := &f.alt.Steps[k].Event
		if e.Kind.IsAccess() || e.Kind == format.Go {
			return false
		}
		places := f.built.Places
		for o, p := range places {
			if p.Mask == 0 && p.Addr != 0 && p.Addr != uint64(e.Obj) {
				f.each(k, func(_ int32, w *model.Event) { w.Obj = model.Obj(o) })
				e.Obj = trace.Addr(p.Addr)
				return true
			}
		}
		return false
	}},
	{"site", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		f.alt.Steps[k].Event.Site++
		f.each(k, func(_ int32, w *model.Event) { w.Site++ })
		return true
	}},
	{"kind", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		other := map[format.Kind]format.Kind{
			format.Read: format.Write, format.Write: format.Read, format.AtomicRead: format.Read, format.AtomicWrite: format.Write,
			format.Lock: format.Unlock, format.Unlock: format.Lock, format.WGAdd: format.WGWait, format.WGWait: format.WGAdd,
			format.ChanSend: format.ChanRecv, format.ChanRecv: format.ChanSend, format.AtomicRMW: format.AtomicWrite,
		}
		kind, ok := other[f.alt.Steps[k].Event.Kind]
		if !ok {
			return false
		}
		f.alt.Steps[k].Event.Kind = kind
		f.each(k, func(_ int32, w *model.Event) { w.Kind, w.Value = kind, nil })
		return true
	}},
	{"shared mode", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		if s := f.alt.Steps[k].Event.Kind; s != format.Lock && s != format.Unlock {
			return false
		}
		f.alt.Steps[k].Event.Flags ^= format.FlagRead
		f.each(k, func(_ int32, w *model.Event) { w.Flags ^= format.FlagRead })
		return true
	}},
	{"value", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		switch f.alt.Steps[k].Event.Kind {
		case format.Write, format.AtomicWrite, format.AtomicRMW, format.ChanSend, format.WGAdd:
		default:
			return false
		}
		if !executed[k] || ofMap(&f.alt.Steps[k]) {
			return false
		}
		f.alt.Steps[k].Event.Val ^= 1
		f.each(k, func(_ int32, w *model.Event) {
			w.Val, w.Aux, w.Value, w.ValDeps = w.Val^1, w.Aux^1, nil, nil
		})
		return true
	}},
	{"contents", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		s := &f.alt.Steps[k]
		if !executed[k] || !ofMap(s) || s.Event.Kind != format.Write || s.Flow.Entry == nil {
			return false
		}
		wrong := *s.Flow.Entry
		if wrong.Left.Known && r.IntN(2) == 0 {
			wrong.Left.Word ^= 1
		} else {
			wrong.Left.Present = !wrong.Left.Present
		}
		s.Flow.Entry = &wrong
		some := false
		f.each(k, func(_ int32, w *model.Event) { some = some || w.Kind == format.AtomicWrite })
		return some
	}},
	{"stored", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		s := &f.alt.Steps[k]
		if !executed[k] || s.Stored == nil {
			return false
		}
		wrong := *s.Stored
		wrong.Is.Word ^= 1
		s.Stored = &wrong
		return true
	}},
	{"entry", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		if s := &f.alt.Steps[k]; !executed[k] || !ofMap(s) || s.Event.Kind != format.Write {
			return false
		}
		return f.otherEntry(r, k)
	}},
	{"order", func(r *rand.Rand, f *found, k int, needed []int, executed map[int]bool) bool {
		if !executed[k] || !executed[k+1] {
			return false
		}
		a, b := f.alt.Steps[k], f.alt.Steps[k+1]
		if a.Event.G != b.Event.G || a.Event.Site == b.Event.Site && a.Event.Obj == b.Event.Obj || a.Event.Kind == format.Go || b.Event.Kind == format.Go {
			return false
		}
		var one, two []int32
		f.each(k, func(i int32, _ *model.Event) { one = append(one, i) })
		f.each(k+1, func(i int32, _ *model.Event) { two = append(two, i) })
		if len(one) != 1 || len(two) != 1 {
			return false
		}
		i, j := one[0], two[0]
		f.alt.Steps[k], f.alt.Steps[k+1] = b, a
		x, y := f.w.Events[i], f.w.Events[j]
		x.Index, y.Index = y.Index, x.Index
		f.w.Events[i], f.w.Events[j] = y, x
		f.blind(i, j)
		return true
	}},
	{"dropped", func(r *rand.Rand, f *found, k int, needed []int, executed map[int]bool) bool {
		g := f.alt.Steps[k].Event.G
		later := slices.ContainsFunc(needed, func(n int) bool { return n > k && f.alt.Steps[n].Event.G == g })
		if !executed[k] || !later || f.alt.Steps[k].Event.Kind == format.Go {
			return false
		}
		if a, b := &f.alt.Steps[k].Event, &f.alt.Steps[k+1].Event; a.Site == b.Site && a.Obj == b.Obj {
			// the result is the same
			return false
		}
		var gone []int32
		f.each(k, func(i int32, e *model.Event) { gone = append(gone, i) })
		f.blind(gone...)
		f.alt.Steps = slices.Delete(f.alt.Steps, k, k+1)
		for _, i := range gone {
			f.w.Events[i] = model.Event{Kind: model.Pin, Obj: -1, Partner: -1, Thread: f.w.Events[i].Thread}
		}
		for i := len(f.built.Events); i < len(f.w.Events); i++ {
			if e := &f.w.Events[i]; e.Kind != model.Pin && e.Index > flow.AlternativeBase+int64(k) {
				e.Index--
			}
		}
		return true
	}},
	{"twice", func(r *rand.Rand, f *found, k int, needed []int, executed map[int]bool) bool {
		// The step after it becomes the same step once more.
		if !executed[k] || k+1 >= len(f.alt.Steps) || !slices.Contains(needed, k+1) || f.alt.Steps[k].Event.G != f.alt.Steps[k+1].Event.G || f.alt.Steps[k].Event.Kind == format.Go {
			return false
		}
		a, b := f.alt.Steps[k], f.alt.Steps[k+1]
		if a.Event.Site == b.Event.Site && a.Event.Obj == b.Event.Obj || b.Event.Kind == format.Go {
			return false
		}
		var one, two []int32
		f.each(k, func(i int32, _ *model.Event) { one = append(one, i) })
		f.each(k+1, func(i int32, _ *model.Event) { two = append(two, i) })
		if len(one) != 1 || len(two) != 1 {
			return false
		}
		f.alt.Steps[k+1] = a
		e := f.w.Events[one[0]]
		e.Index++
		f.w.Events[two[0]] = e
		f.blind(two[0])
		return true
	}},
	{"goroutine", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		f.alt.Steps[k].Event.G++
		return true
	}},
	{"size", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		e := &f.alt.Steps[k].Event
		if !e.Kind.IsAccess() || e.Size < 2 {
			return false
		}
		e.Size /= 2
		return true
	}},
	{"set of cases", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		spoilt := false
		f.each(k, func(_ int32, w *model.Event) {
			if len(w.Cases) > 0 {
				w.Cases, spoilt = slices.Clone(w.Cases[1:]), true
			}
		})
		return spoilt
	}},
	{"case", func(r *rand.Rand, f *found, k int, _ []int, _ map[int]bool) bool {
		s := &f.alt.Steps[k]
		s.Case++
		return len(s.Cases) > 0 && s.Event.Kind != format.SelectDefault
	}},
	{"outcome", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		s := &f.alt.Steps[k]
		flags := format.Flags(0)
		switch {
		case !executed[k]: // its outcome matters to nothing
			return false
		case s.Compares && s.Event.Kind == format.AtomicRMW:
			s.Event.Kind, flags = format.AtomicRead, format.FlagTry
		case s.Event.Kind == format.AtomicRead && s.Event.Flags == format.FlagTry:
			if format.IsMapWord(s.Event.Obj) && !executed[k+1] {
				return false // a Delete that finds nothing may as well write what is there
			}
			s.Event.Kind = format.AtomicRMW
		default:
			return false
		}
		s.Event.Flags = flags
		f.each(k, func(_ int32, w *model.Event) { w.Kind, w.Flags, w.Strict = s.Event.Kind, flags, false })
		return true
	}},
	{"comparison", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		s := &f.alt.Steps[k]
		if !s.Compares || executed[k] {
			return false
		}
		if r.IntN(2) == 0 {
			s.Event.Val ^= 1
		}
		f.each(k, func(_ int32, w *model.Event) { w.Val ^= 1 })
		return true
	}},
	{"last", func(r *rand.Rand, f *found, k int, _ []int, executed map[int]bool) bool {
		if !executed[k] {
			return false
		}
		f.alt.Steps[k].Last = true
		return true
	}},
}

// blind removes the guards and dependencies on some events from the other events of the
// alternative, since they were computed from the events as they were.
func (f *found) blind(events ...int32) {
	for i := len(f.built.Events); i < len(f.w.Events); i++ {
		e := &f.w.Events[i]
		on := func(reads []int32) bool {
			return slices.ContainsFunc(reads, func(r int32) bool { return slices.Contains(events, r) })
		}
		if on(e.Deps) {
			e.Deps = nil
		}
		if on(e.ValDeps) || e.Value != nil && on(e.Value.Reads()) {
			e.Value, e.ValDeps = nil, nil
		}
		e.Guards = slices.DeleteFunc(slices.Clone(e.Guards), func(g model.Guard) bool { return on(g.Term.Reads()) })
	}
}

// sameWords reports whether step k writes the same values in two executions, where they are known.
func (f *found) sameWords(k int, x, y *witness.Execution) bool {
	same := true
	f.each(k, func(i int32, _ *model.Event) {
		v, ok := x.Wrote(i)
		w, ok2 := y.Wrote(i)
		same = same && (!ok2 || ok && v == w)
	})
	return same
}

// TestFaults makes alternatives wrong with each of faults. Package witness may reject them as well;
// this checker has to reject every one.
func TestFaults(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	tried, byWindow := map[string]int{}, map[string]int{}
	eachRace(t, 600, 1000, func(f *found) {
		x, err := f.check()
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			return
		}
		needed, executed := f.needed(x)
		for _, fault := range faults {
			for _, k := range needed {
				c := f.clone()
				if !fault.spoil(r, c, k, needed, executed) {
					continue
				}
				y, _ := witness.Execute(c.w, c.pair, c.order)
				if y == nil {
					byWindow[fault.name]++
					if fault.name == "value" { // it is in the execution that it shows
						continue
					}
					y = x // the execution before the fault, with the faulty alternative
				}
				if fault.name == "value" && c.sameWords(k, x, y) {
					// its term has the same value here
					continue
				}
				tried[fault.name]++
				if err := offpath.Check(c.built, []*built.Way{c.alt}, c.w, c.pair, y); err == nil {
					t.Errorf("%s: an alternative with a wrong %s at step %d of %s is accepted", f.name, fault.name, k, steps(f.alt))
				}
			}
		}
	})
	t.Logf("tried %v; of these, package witness rejects as well: %v", tried, byWindow)
	for _, fault := range faults {
		if tried[fault.name] < 5 {
			t.Errorf("%s was tried %d times", fault.name, tried[fault.name])
		}
	}
}

func steps(alt *built.Way) (s string) {
	for k := range alt.Steps {
		e := &alt.Steps[k].Event
		s += fmt.Sprintf("\n%d: g%d %v site %d %#x", k, e.G, e.Kind, e.Site, uint64(e.Obj))
	}
	return s
}
