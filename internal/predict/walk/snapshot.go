package walk

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
)

// Snapshot implements [flow.Fork].
func (x *fork) Snapshot() *flow.Snapshot {
	s := &flow.Snapshot{Program: x.w.plan, Stacks: x.stacks, Needs: slices.Clone(x.needs), Guards: slices.Clone(x.guards), Texts: x.w.texts, Global: x.w.addressOf, Closure: x.w.closureAt, TypeOf: x.w.typeOf, TypeWord: x.w.dynamics.word}
	for f := x.frame; f != nil; f = f.caller {
		s.Frames = append(s.Frames, f.snapshot())
		s.Root = f.root
	}
	return s
}

// addressOf returns the address of a variable of a package, if an access has told it.
func (w *Walker) addressOf(v *ssa.Global) (addr uint64, at int64, ok bool) {
	l := w.global(v).learnt.Load()
	if l == nil {
		return 0, 0, false
	}
	addr, ok = l.addr.Bits()
	return addr, l.at, ok
}

// closureAt returns the function value that an address is right before an event.
func (w *Walker) closureAt(addr uint64, before int64) (c flow.Closure, ok bool) {
	m, ok := w.functions.at(addr, before)
	if !ok {
		return c, false
	}
	c.Fn = m.fn
	pf := w.plan.Func(m.fn)
	for i, v := range m.fn.FreeVars {
		t, bound := v.Type(), pf != nil && pf.Bound(v)
		if bound {
			t = t.Underlying().(*types.Pointer).Elem()
		}
		d := datumOf(sval{v: m.free[i]}, plan.Sizeof(t))
		d.Bound = bound
		c.Free = append(c.Free, d)
	}
	return c, true
}

func (w *Walker) typeOf(word uint64, before int64) (t types.Type, prog *ssa.Program, ok bool) {
	d, ok := w.dynamics.of(word, before)
	return d.typ, d.prog, ok
}

// snapshot is a frame as data.
func (f *xframe) snapshot() flow.Frame {
	pf := f.code.plan
	out := flow.Frame{
		Func: pf.SSA, Block: int(f.block), Instr: int(f.ip), LostDefers: f.lostDefers,
		Values: map[ssa.Value]flow.Datum{}, Locals: map[*ssa.Alloc]flow.Datum{},
	}
	for i, v := range slices.Concat(parameters(pf.SSA), freeVars(pf.SSA)) {
		out.Values[v] = f.datum(v, f.code.args[i], 1)
	}
	for b := range f.code.blocks {
		for i := range f.code.blocks[b].instrs {
			in := &f.code.blocks[b].instrs[i]
			if v, ok := in.in.(ssa.Value); ok {
				out.Values[v] = f.datum(v, in.reg, in.n)
			}
			if a, ok := in.in.(*ssa.Alloc); ok && in.cell >= 0 {
				out.Locals[a] = datumOf(f.cells[in.cell], f.code.cells[in.cell])
			}
		}
	}
	for _, d := range f.defers {
		out.Defers = append(out.Defers, f.deferredCall(d))
	}
	return out
}

func parameters(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, p := range fn.Params {
		out = append(out, p)
	}
	return out
}

func freeVars(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, v := range fn.FreeVars {
		out = append(out, v)
	}
	return out
}

// datum is the value v, which has n registers from reg on.
func (f *xframe) datum(v ssa.Value, reg, n int32) flow.Datum {
	if t, ok := v.Type().(*types.Tuple); ok {
		var d flow.Datum
		for i := range n {
			d.Parts = append(d.Parts, datumOf(f.regs[reg+i], f.sizeof(t.At(int(i)).Type())))
		}
		return d
	}
	return f.bound(v, f.regs[reg])
}

// bound is the value of v, or that of the variable that v points to, if it is a value (plan R13).
func (f *xframe) bound(v ssa.Value, s sval) flow.Datum {
	pf := f.code.plan
	if !pf.Bound(v) {
		return datumOf(s, f.sizeof(v.Type()))
	}
	d := datumOf(s, f.sizeof(v.Type().Underlying().(*types.Pointer).Elem()))
	d.Bound = true
	return d
}

// sizeof is the size of t, 0 if it depends on type parameters.
func (f *xframe) sizeof(t types.Type) int64 {
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid || plan.Open(t) {
		return 0
	}
	return f.code.sizes.Sizeof(t)
}

func (f *xframe) deferredCall(d xdefer) flow.Deferred {
	call := d.in.in.(*ssa.Defer)
	out := flow.Deferred{Call: call, Callee: datumOf(d.args[0], 8)}
	for i, a := range call.Call.Args {
		out.Args = append(out.Args, datumOf(d.args[1+i], f.sizeof(a.Type())))
	}
	if m, ok := call.Call.Value.(*ssa.MakeClosure); ok {
		for i, b := range m.Bindings {
			out.Free = append(out.Free, f.bound(b, d.free[i]))
		}
	}
	return out
}

// datumOf is a value of some bytes, word by word.
func datumOf(s sval, size int64) flow.Datum {
	d := flow.Datum{Func: s.v.function()}
	t := s.term()
	for i := range int(size+7) / 8 {
		var w flow.DatumWord
		if e := t.word(i); e != nil {
			w.Known = true
			if w.Bits, _ = e.Recorded(); !e.IsConst() {
				w.Term = e
			}
		}
		d.Words = append(d.Words, w)
	}
	if t == nil {
		return d
	}
	d.Null = t.null
	if text, ok := textOf(t); ok {
		d.Text = &text
	} else {
		d.Says = t.text
	}
	return d
}

// textOf is the content of a string that is the same in every run.
func textOf(t *term) (string, bool) {
	if t.text == nil || !t.text.IsConst() {
		return "", false
	}
	return t.text.RecordedText()
}
