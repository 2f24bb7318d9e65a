package walk

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace"
)

// A fork is the state of a goroutine right before an instruction at which it could have gone on in another way, because an
// operand that must keep its value (rule F2 of package walk) depends on reads that need not. It implements [window.Fork]. The walk makes
// it and does not change it, nor what it leads to, any more.
type fork struct {
	Program *program
	Facts   knowledge
	G       trace.GoID
	Frame   *xframe // the innermost one
	Args    []int   // the operands that may have other values
	At      trace.Site
	Stacks  [][2]uint64 // where the goroutine's stack has been: not memory (F6 of package walk)

	// Needs and Guards are what the goroutine's next event depends on, whichever way the goroutine goes.
	Needs  []int64
	Guards []window.FlowGuard

	reads []int64 // of Args; nil: not computed
}

// knowledge is what the walk has learnt of words: a lookup has the state right before an event of the trace. Lookups run beside the
// walk, about events that the walk has passed.
type knowledge interface {
	// FunctionAt returns the function value at an address, with what it has captured.
	FunctionAt(addr uint64, before int64) (fn *ssa.Function, free []Value, ok bool)

	// TypeOf returns the type that a type word of an interface stands for.
	TypeOf(word uint64, before int64) (dynamic, bool)

	// TypeWord returns the type word of an interface of type i that holds a t.
	TypeWord(i, t types.Type, before int64) (word uint64, ok bool)
}

// sval is a symbolic value: known, a term, or neither.
type sval struct {
	v Value
	t *term
}

func (s *sval) symbolic() bool { return s.t != nil }

// xframe is an invocation in an alternative.
type xframe struct {
	code       *code
	regs       []sval
	cells      []sval
	block, ip  int32
	defers     []xdefer
	lostDefers bool
	deferred   bool // runs as a deferred call
	root       bool // the goroutine ends with it
	depth      int
	caller     *xframe // immutable until it is returned to
}

type xdefer struct {
	in         *instr
	args, free []sval
}

func (f *xframe) instr() *instr { return &f.code.blocks[f.block].instrs[f.ip] }

func (f *xframe) clone() *xframe {
	c := *f
	c.regs, c.cells, c.defers = slices.Clone(f.regs), slices.Clone(f.cells), slices.Clip(f.defers)
	return &c
}

// Reads implements [window.Fork].
func (x *fork) Reads() []int64 {
	if x.reads == nil {
		x.reads = []int64{}
		in := x.Frame.instr()
		for _, i := range x.Args {
			for _, r := range readsOf(x.Frame.regs[in.args[i].reg].term()) {
				x.reads = append(x.reads, r.Number())
			}
		}
		slices.Sort(x.reads)
		x.reads = slices.Compact(x.reads)
	}
	return x.reads
}

// Base implements [window.Fork].
func (x *fork) Base() bool { return x.Frame.instr().op != opIf }

// Site implements [window.Fork].
func (x *fork) Site() trace.Site { return x.At }

// Where implements [window.Fork].
func (x *fork) Where() window.Where {
	in := x.Frame.instr()
	v := *in.in.Operands(nil)[x.Args[0]]
	at, expr := x.Frame.code.plan.Written(in.in, v)
	return window.Where{Site: x.Frame.code.plan.Site, Line: int32(at.Line), Col: int32(at.Column), Expr: expr, Type: Shape(v.Type())}
}

// Explore implements [window.Fork].
func (x *fork) Explore(s window.Surroundings) []*window.Alternative {
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
