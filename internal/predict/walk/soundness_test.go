package walk_test

import (
	"flag"
	"fmt"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

var (
	flowSeed  = flag.Uint64("flowseed", 1, "seed of TestFlowSoundness")
	flowFuncs = flag.Int("flowfuncs", 60, "functions of its program")
	flowRuns  = flag.Int("flowruns", 20, "runs with one input changed")
)

// TestFlowSoundness compares recordings of one program with different inputs. Its functions read
// the inputs from memory; the reads whose values differ between two runs are *tainted*. As long as
// no tainted read is among the Needs so far, the two runs of a function must have the same events,
// a value that is written or sent may differ only if a tainted read is in its From, and what the
// function reads of new memory only if such a value was written there, or moved there by append. A
// map that was given such a value is another version from then on, and reads of it are tainted.
// So what the walk says is free is compared with what really happens when it changes.
func TestFlowSoundness(t *testing.T) {
	b := build(t, generate(*flowSeed, *flowFuncs))
	rng := rand.New(rand.NewPCG(*flowSeed, 2))
	base := []string{"3", "5", "8", "2", "1", "6"}
	want := b.functions(t, base)
	var c counts
	for range *flowRuns {
		args := slices.Clone(base)
		args[rng.IntN(len(args))] = fmt.Sprint(rng.IntN(20))
		got := b.functions(t, args)
		for name, w := range want {
			if err := c.compare(b, w, got[name]); err != nil {
				t.Errorf("%s with %v instead of %v: %v", name, args, base, err)
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%+v", c)
	if c.freeWrites < 100 || c.needed < 100 || c.versions == 0 || c.moved == 0 {
		t.Errorf("the comparison has no power: %+v", c)
	}
}

// counts says what a comparison was able to see.
type counts struct {
	functions  int // pairs of runs of a function
	equal      int // without a tainted read
	needed     int // ended at a tainted read that was needed
	freeReads  int // tainted reads that were free to the end
	freeWrites int // values that differ and have a tainted read in From
	versions   int // of them, what is put into maps
	elsewhere  int // ended at an append to another slice
	moved      int // appends that moved what differs
}

// A step is one event of a function and what the walk says of it.
type step struct {
	index int64
	e     trace.Event
	flow  flow.Flow
}

// functions runs the program and cuts its trace into the calls of f0, f1, …
func (b *built) functions(t *testing.T, args []string) map[string][]step {
	w := walk.New(b.plan)
	m := map[string][]step{}
	name, g := "", trace.GoID(0)
	for i, e := range b.record(t, args...) {
		flow := w.Step(int64(i), &e)
		if pf, block, _ := b.plan.FuncAt(e.Site); pf != nil && block < 0 && e.Kind == format.Enter {
			if n := pf.SSA.Name(); strings.HasPrefix(n, "f") && pf.SSA.Parent() == nil {
				name, g = n, e.G
			}
		}
		if name == "" || e.G != g {
			continue
		}
		flow.Needs, flow.From, flow.Where = slices.Clone(flow.Needs), slices.Clone(flow.From), slices.Clone(flow.Where)
		m[name] = append(m[name], step{int64(i), e, flow})
		if pf, _, _ := b.plan.FuncAt(e.Site); e.Kind == format.Exit && pf != nil && pf.SSA.Name() == name {
			name = ""
		}
	}
	for _, mm := range w.Mismatches() {
		t.Errorf("%v", mm)
	}
	return m
}

// compare checks one function in two runs.
func (c *counts) compare(b *built, x, y []step) error {
	c.functions++
	tainted, changed, versions := map[int64]bool{}, map[trace.Addr]bool{}, map[trace.Addr]bool{}
	x, y = walked(x), walked(y)
	for i := range min(len(x), len(y)) {
		p, q := &x[i], &y[i]
		if touches(p.flow.Needs, tainted) {
			c.needed++
			return nil
		}
		if touches(p.flow.Where, tainted) { // it takes place elsewhere
			c.elsewhere++
			return nil
		}
		if a := p.flow.Appended; a != nil && touches(a.Moved, tainted) { // which the window follows
			for w := uint64(0); w < a.Bytes; w += 8 {
				changed[trace.Addr(a.Array+w)&^7] = true
			}
			c.moved++
		}
		if !sameEvent(&p.e, &q.e) {
			return fmt.Errorf("event %d is %s, event %d is %s", p.index, b.describe(&p.e), q.index, b.describe(&q.e))
		}
		if p.e.Flags&format.FlagNoValue != 0 { // a map: the window follows its versions
			switch {
			case p.e.Kind == format.Write && touches(p.flow.From, tainted):
				versions[p.e.Obj] = true
				c.versions++
			case p.e.Kind == format.Read && versions[p.e.Obj]:
				tainted[p.index] = true
			}
		}
		if !differing(&p.e, &q.e) {
			continue
		}
		switch p.e.Kind {
		case format.Read:
			if word := p.e.Obj &^ 7; word > heap && !changed[word] {
				return fmt.Errorf("event %d, %s, reads %#x and %#x, which was not written", p.index, b.describe(&p.e), p.e.Val, q.e.Val)
			}
			tainted[p.index] = true
		case format.AtomicRead, format.ChanRecv:
			tainted[p.index] = true
		case format.Write, format.ChanSend:
			if !touches(p.flow.From, tainted) {
				return fmt.Errorf("event %d, %s, writes %#x and %#x and has From %v, tainted are %v", p.index, b.describe(&p.e), p.e.Val, q.e.Val, p.flow.From, tainted)
			}
			c.freeWrites++
			changed[p.e.Obj&^7] = true
		}
	}
	if len(x) != len(y) {
		return fmt.Errorf("%d events, %d events", len(x), len(y))
	}
	if len(tainted) == 0 {
		c.equal++
	}
	c.freeReads += len(tainted)
	return nil
}

// walked drops what is not a step of the program: allocation, the runtime's accesses, and the order
// in which a map is ranged over does not matter here because its records come one by one.
func walked(s []step) []step {
	return slices.DeleteFunc(slices.Clone(s), func(s step) bool {
		return s.e.Kind == format.Alloc || s.e.Flags&format.FlagOpaque != 0 || s.e.Kind == format.Word
	})
}

func touches(set []int64, tainted map[int64]bool) bool {
	return slices.ContainsFunc(set, func(i int64) bool { return tainted[i] })
}

// heap is above every value and static address of the program.
const heap = 1 << 32

func sameEvent(a, b *trace.Event) bool {
	if a.Kind != b.Kind || a.Site != b.Site || a.Size != b.Size {
		return false
	}
	return a.Obj == b.Obj || a.Obj > heap && b.Obj > heap
}

// differing reports whether the events hold different values. Addresses of the heap differ from run
// to run anyway.
func differing(a, b *trace.Event) bool {
	return a.Val != b.Val && (a.Val < heap || b.Val < heap) && a.Flags&format.FlagNoValue == 0
}

func (b *built) describe(e *trace.Event) string {
	pf, block, i := b.plan.FuncAt(e.Site)
	if pf == nil || block < 0 || i < 0 {
		return fmt.Sprintf("%v at site %d", e.Kind, e.Site)
	}
	in := pf.SSA.Blocks[block].Instrs[i]
	name := ""
	if v, ok := in.(interface{ Type() types.Type }); ok && v.Type() != nil {
		name = v.Type().String()
	}
	return fmt.Sprintf("%v of %s at %v %v (%s)", e.Kind, in, pf.SSA, b.plan.Program.Fset.Position(in.Pos()).Line, name)
}
