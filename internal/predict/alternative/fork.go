package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
)

// A Fork is the state of a goroutine right before an instruction that could have had another
// outcome: an operand that must keep its value (F2 of package walk) depends on reads that may have
// other values. It implements [flow.Fork]. A fork and all that it refers to are immutable.
type Fork struct {
	Program *regcode.Program
	Facts   Facts
	G       trace.GoID
	Frame   *Frame      // the innermost one
	Args    []int       // the operands that may have other values
	At      trace.Site  // of the instruction
	Stacks  [][2]uint64 // addresses of the goroutine's stacks, no locations (F6 of package walk)

	// Needs and Guards are what the goroutine's next event depends on, on every path.
	Needs  []int64
	Guards []flow.Guard

	reads []int64 // of Args; nil: not computed
}

// Facts looks up what the walk has learnt of function values and type words. The answer is what
// was known right before an event of the trace, which the walk has passed. Several goroutines may
// look up facts while the walk continues.
type Facts interface {
	// FunctionAt returns the function value at an address, with what it has captured.
	FunctionAt(addr uint64, before int64) (fn *ssa.Function, free []goval.Value, ok bool)

	// TypeOf returns the type that a type word of an interface stands for.
	TypeOf(word uint64, before int64) (goval.Dynamic, bool)

	// TypeWord returns the type word of an interface of type i that holds a t.
	TypeWord(i, t types.Type, before int64) (word uint64, ok bool)
}

// Reads implements [flow.Fork].
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

// Base implements [flow.Fork].
func (x *Fork) Base() bool { return x.Frame.instr().Op != regcode.OpIf }

// Site implements [flow.Fork].
func (x *Fork) Site() trace.Site { return x.At }

// Where implements [flow.Fork].
func (x *Fork) Where() flow.Where {
	in := x.Frame.instr()
	v := *in.SSA.Operands(nil)[x.Args[0]]
	at, expr := x.Frame.Code.Plan.Written(in.SSA, v)
	return flow.Where{Site: x.Frame.Code.Plan.Site, Line: int32(at.Line), Col: int32(at.Column), Expr: expr, Type: regcode.Shape(v.Type())}
}

// Explore implements [flow.Fork].
func (x *Fork) Explore(s flow.Surroundings) []*flow.Alternative {
	e := &explorer{x: x, s: s}
	first := &path{explorer: e, g: x.G, frame: x.Frame.clone(), needs: x.Needs, guards: slices.Clip(x.Guards)}
	e.paths = []*path{first}
	some := 0 // alternatives with an event
	for len(e.paths) > 0 && some < maxAlternatives && len(e.done) < maxPaths {
		p := e.paths[len(e.paths)-1]
		e.paths = e.paths[:len(e.paths)-1]
		if p.run() {
			if len(p.steps) > 0 {
				some++
			}
			e.done = append(e.done, &flow.Alternative{Steps: p.steps, Chosen: p.chosen, Assumes: p.assumes, End: p.end, Executed: p.instrs})
		}
	}
	return e.done
}
