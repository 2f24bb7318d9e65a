package walk

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// output is what the Flow of an event says of the value that the event writes or sends.
type output struct {
	from     []int64
	where    []int64
	appended *flow.Appended
	value    *expr.Expr
	own      bool
	padding  uint8
	entry    *flow.Entry
}

// reset begins the next event.
func (o *output) reset() {
	*o = output{from: o.from[:0]}
}

// An emitter computes the output of a goroutine's accesses.
type emitter struct {
	deps     *deps
	out      *output
	privates *privates
}

// text handles a read of the content of a string.
func (o *emitter) text(f *Frame, index int64, e *trace.Event) {
	s := &f.stage
	s.run = e.Flags&format.FlagMore != 0
	if e.Flags&format.FlagStack == 0 {
		s.reads, s.says = o.deps.union(s.reads, o.deps.read(index)), true
	}
}

// moved handles the read of an element that append moves to a new array without a write (WA5).
func (o *emitter) moved(f *Frame, in *regcode.Instr, index int64) {
	if !in.Appends {
		o.deps.pinLater(index)
		return
	}
	r := o.deps.read(index)
	s := &f.stage
	s.moved = o.deps.union(s.moved, r)
	o.deps.store(r)
}

// appended sets Where, and Appended of the first write of an append (WA5).
func (o *emitter) appended(f *Frame, in *regcode.Instr, e *trace.Event) {
	slice := f.depsOf(&in.Args[1])
	if e.Kind == format.Write && uint64(e.Obj) == f.stage.addr {
		result := f.regs[in.Reg]
		if !result.IsKnown(24) {
			o.deps.pin(o.deps.union(slice, f.stage.moved))
			return
		}
		array, _ := result.Word(0)
		n, _ := result.Word(2)
		o.out.appended = &flow.Appended{Array: array, Bytes: n * uint64(in.Elem), Elem: uint64(in.Elem), Moved: o.deps.indexes(f.stage.moved)}
	}
	o.out.where = o.deps.indexes(slice)
}

// stored sets From: the reads that the written value depends on.
func (o *emitter) stored(f *Frame, in *regcode.Instr, at trace.Addr, stack bool) {
	d := f.stage.reads
	for i := range in.Args {
		d = o.deps.union(d, f.depsOf(&in.Args[i]))
	}
	o.out.own = in.Own
	if in.Own || !stack && o.privates.has(uint64(at)) { // opaque code does not read it (WA3)
		o.from(d)
		return
	}
	if stack { // (WA4)
		o.deps.pin(o.deps.union(d, f.stage.moved))
		return
	}
	o.from(d)
	o.deps.store(d)
}

func (o *emitter) from(d *reads) {
	for _, r := range o.deps.members(d) {
		o.out.from = append(o.out.from, r.index)
	}
}

// value notes the term of the value that the event writes or sends.
func (o *emitter) value(e *expr.Expr, val uint64) {
	if e != nil && goval.RecordedIs(e, val, goval.Mask(8)) {
		o.out.value = e
	}
}
