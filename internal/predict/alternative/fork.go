package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace"
)

// A Fork is the state of a goroutine right before an instruction at which it could have gone on in another way, because an
// operand that must keep its value (rule F2 of package walk) depends on reads that need not. It implements [window.Fork]. The walk makes
// it and does not change it, nor what it leads to, any more.
type Fork struct {
	Program *regcode.Program
	Facts   Facts
	G       trace.GoID
	Frame   *Frame // the innermost one
	Args    []int  // the operands that may have other values
	At      trace.Site
	Stacks  [][2]uint64 // where the goroutine's stack has been: not memory (F6 of package walk)

	// Needs and Guards are what the goroutine's next event depends on, whichever way the goroutine goes.
	Needs  []int64
	Guards []window.FlowGuard

	reads []int64 // of Args; nil: not computed
}

// Facts is what the walk has learnt of words: a lookup has the state right before an event of the trace. Lookups run beside the
// walk, about events that the walk has passed.
type Facts interface {
	// FunctionAt returns the function value at an address, with what it has captured.
	FunctionAt(addr uint64, before int64) (fn *ssa.Function, free []goval.Value, ok bool)

	// TypeOf returns the type that a type word of an interface stands for.
	TypeOf(word uint64, before int64) (goval.Dynamic, bool)

	// TypeWord returns the type word of an interface of type i that holds a t.
	TypeWord(i, t types.Type, before int64) (word uint64, ok bool)
}

// Reads implements [window.Fork].
func (x *Fork) Reads() []int64 {
	if x.reads == nil {
		x.reads = []int64{}
		in := x.Frame.instr()
		for _, i := range x.Args {
			for _, r := range goval.ReadsOf(x.Frame.Regs[in.Args[i].Reg].term()) {
				x.reads = append(x.reads, r.Number())
			}
		}
		slices.Sort(x.reads)
		x.reads = slices.Compact(x.reads)
	}
	return x.reads
}

// Base implements [window.Fork].
func (x *Fork) Base() bool { return x.Frame.instr().Op != regcode.OpIf }

// Site implements [window.Fork].
func (x *Fork) Site() trace.Site { return x.At }

// Where implements [window.Fork].
func (x *Fork) Where() window.Where {
	in := x.Frame.instr()
	v := *in.SSA.Operands(nil)[x.Args[0]]
	at, expr := x.Frame.Code.Plan.Written(in.SSA, v)
	return window.Where{Site: x.Frame.Code.Plan.Site, Line: int32(at.Line), Col: int32(at.Column), Expr: expr, Type: regcode.Shape(v.Type())}
}

// Explore implements [window.Fork].
func (x *Fork) Explore(s window.Surroundings) []*window.Alternative {
	e := &explorer{x: x, s: s}
	first := &path{explorer: e, g: x.G, frame: x.Frame.clone(), needs: x.Needs, guards: slices.Clip(x.Guards)}
	e.paths = []*path{first}
	some := 0 // that do something
	for len(e.paths) > 0 && some < maxAlternatives && len(e.done) < maxPaths {
		p := e.paths[len(e.paths)-1]
		e.paths = e.paths[:len(e.paths)-1]
		if p.run() {
			if len(p.steps) > 0 {
				some++
			}
			e.done = append(e.done, &window.Alternative{Steps: p.steps, Chosen: p.chosen, Assumes: p.assumes, End: p.end, Executed: p.instrs})
		}
	}
	return e.done
}
