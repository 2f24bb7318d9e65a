package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// Snapshot implements [flow.Fork].
func (x *Fork) Snapshot() *flow.Snapshot {
	s := &flow.Snapshot{
		Program: x.Program.Plan, Starts: x.Starts, Stacks: x.Stacks, Needs: slices.Clone(x.Needs), Guards: slices.Clone(x.Guards), Texts: x.Program.Texts,
		Global: x.addressOf, Closure: x.closureAt, Capacity: x.Facts.CapacityAt, Locker: x.Facts.LockerAt, Done: x.Facts.DoneAt, Cancel: x.Facts.CancelAt, Objects: x.Facts.ObjectsAt, Map: x.mapAt, Word: x.Facts.WordAt, Stored: x.storedAt, Box: x.boxAt, Once: x.onceAt, Timer: x.timerAt, TypeOf: x.typeOf, TypeWord: x.Facts.TypeWord,
	}
	for f := x.Frame; f != nil; f = f.Caller {
		s.Frames = append(s.Frames, f.snapshot())
		s.Root = f.Root
	}
	return s
}

// addressOf returns the address of a variable of a package, if an access has shown it.
func (x *Fork) addressOf(v *ssa.Global) (addr uint64, at int64, ok bool) {
	return x.Program.Global(v).AddressAt()
}

// onceAt returns the Once of the function value at an address, and what its first call runs.
func (x *Fork) onceAt(addr uint64, before int64) (o flow.OnceFunc, ok bool) {
	object, runs, ok := x.Facts.OnceAt(addr, before)
	if ok {
		o.Object = object
		o.Runs, o.At, ok = x.closureOf(runs, before)
	}
	return o, ok
}

// closureOf returns the function value that v is right before an event, and its address; 0: it
// captures nothing.
func (x *Fork) closureOf(v goval.Value, before int64) (c flow.Closure, at uint64, ok bool) {
	if fn := v.Function(); fn != nil {
		return flow.Closure{Fn: fn}, 0, true
	}
	if at, ok = v.Bits(); ok {
		c, ok = x.closureAt(at, before)
	}
	return c, at, ok
}

// closureAt returns the function value that is at an address right before an event.
func (x *Fork) closureAt(addr uint64, before int64) (c flow.Closure, ok bool) {
	fn, free, ok := x.Facts.FunctionAt(addr, before)
	if !ok {
		return c, false
	}
	c.Fn, c.At = fn, x.Facts.MadeAt(addr, before)
	pf := x.Program.Plan.Func(fn)
	for i, v := range fn.FreeVars {
		t, bound := v.Type(), pf != nil && pf.Bound(v)
		if bound {
			t = t.Underlying().(*types.Pointer).Elem()
		}
		d := datumOf(Value{Concrete: free[i]}, plan.Sizeof(t))
		d.Bound = bound
		c.Free = append(c.Free, d)
	}
	return c, true
}

// mapAt returns what a map had for a key, with values of size bytes.
func (x *Fork) mapAt(m uint64, key flow.MapKey, size, at, before int64) (c flow.MapContent) {
	known := x.Facts.MapAt(m, key, at, before)
	c.Value, c.Present, c.HasPresent = datumOf(known.value(size), size), known.Present, known.HasPresent
	return c
}

// storedAt returns the value that a sync.Map has with a number, and an event at which it was there.
func (x *Fork) storedAt(number uint64, before int64) (d flow.Datum, at int64, ok bool) {
	v, at, ok := x.Facts.StoredAt(number, before)
	return datumOf(Value{Concrete: v}, 16), at, ok
}

// boxAt returns the content of the interface with a data word.
func (x *Fork) boxAt(data uint64, size, before int64) (d flow.Datum, ok bool) {
	v, ok := x.Facts.BoxAt(data, size, before)
	return datumOf(Value{Concrete: v}, size), ok
}

// timerAt returns the timer at an address that was started before the fork.
func (x *Fork) timerAt(addr uint64, until int64) (t flow.Timer, ok bool) {
	t, runs, ok := x.Facts.TimerAt(addr, x.G, x.Event, until)
	if !ok || !t.Calls {
		return t, ok
	}
	t.Runs, t.At, _ = x.closureOf(runs, until)
	return t, true
}

func (x *Fork) typeOf(word uint64, before int64) (t types.Type, prog *ssa.Program, ok bool) {
	d, ok := x.Facts.TypeOf(word, before)
	return d.Type, d.Prog, ok
}

// snapshot is a frame as data.
func (f *Frame) snapshot() flow.Frame {
	pf := f.Code.Plan
	out := flow.Frame{
		Func: pf.SSA, Block: int(f.Block), Instr: int(f.IP), LostDefers: f.LostDefers, Once: uint64(f.Once),
		Values: map[ssa.Value]flow.Datum{}, Locals: map[*ssa.Alloc]flow.Datum{},
	}
	for i, v := range slices.Concat(parameters(pf.SSA), freeVars(pf.SSA)) {
		out.Values[v] = f.datum(v, f.Code.Args[i], 1)
	}
	for b := range f.Code.Blocks {
		for i := range f.Code.Blocks[b].Instrs {
			in := &f.Code.Blocks[b].Instrs[i]
			if v, ok := in.SSA.(ssa.Value); ok {
				out.Values[v] = f.datum(v, in.Reg, in.N)
			}
			if a, ok := in.SSA.(*ssa.Alloc); ok && in.Cell >= 0 {
				out.Locals[a] = datumOf(f.Cells[in.Cell], f.Code.Cells[in.Cell])
			}
		}
	}
	for _, d := range f.Defers {
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

// datum returns the value v, which has n registers from reg on, as data.
func (f *Frame) datum(v ssa.Value, reg, n int32) flow.Datum {
	if t, ok := v.Type().(*types.Tuple); ok {
		var d flow.Datum
		for i := range n {
			d.Parts = append(d.Parts, datumOf(f.Regs[reg+i], f.sizeof(t.At(int(i)).Type())))
		}
		return d
	}
	return f.bound(v, f.Regs[reg])
}

// bound returns the value s of v as data. If v is the address of a bound variable (package plan), s
// is the value of the variable.
func (f *Frame) bound(v ssa.Value, s Value) flow.Datum {
	pf := f.Code.Plan
	if !pf.Bound(v) {
		return datumOf(s, f.sizeof(v.Type()))
	}
	d := datumOf(s, f.sizeof(v.Type().Underlying().(*types.Pointer).Elem()))
	d.Bound = true
	return d
}

func (f *Frame) deferredCall(d Deferred) flow.Deferred {
	call := d.Instr.SSA.(*ssa.Defer)
	out := flow.Deferred{Call: call, Callee: datumOf(d.Args[0], 8)}
	for i, a := range call.Call.Args {
		out.Args = append(out.Args, datumOf(d.Args[1+i], f.sizeof(a.Type())))
	}
	if m, ok := call.Call.Value.(*ssa.MakeClosure); ok {
		for i, b := range m.Bindings {
			out.Free = append(out.Free, f.bound(b, d.Free[i]))
		}
	}
	return out
}

// datumOf returns a value of size bytes as data, word by word.
func datumOf(v Value, size int64) flow.Datum {
	d := flow.Datum{Func: v.Concrete.Function()}
	t := v.term()
	for i := range int(size+7) / 8 {
		var w flow.DatumWord
		if e := t.Word(i); e != nil {
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
	d.Null = t.Null
	if text, ok := textOf(t); ok {
		d.Text = &text
	} else {
		d.Says = t.Text
	}
	return d
}

// textOf returns the content of a string, if it is the same in every run.
func textOf(t *goval.Term) (string, bool) {
	if t.Text == nil || !t.Text.IsConst() {
		return "", false
	}
	return t.Text.RecordedText()
}
