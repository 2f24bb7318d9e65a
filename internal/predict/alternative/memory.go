package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Memory (A1), and local variables.

// allocate makes new memory, all zero.
func (p *path) allocate(in *regcode.Instr, size int64) bool {
	if size < 0 || uint64(size) >= freshSize {
		return p.stop("allocation")
	}
	p.fresh++
	return p.next(in, Value{Concrete: goval.Known(freshMemory + p.fresh*freshSize)})
}

func (p *path) makeSlice(in *regcode.Instr, x *ssa.MakeSlice) bool {
	args := p.operands(in)
	n, ok := args[0].Concrete.Bits()
	c, ok2 := args[1].Concrete.Bits()
	elem := p.frame.Code.Sizes.Sizeof(x.Type().Underlying().(*types.Slice).Elem())
	if !ok || !ok2 || elem < 0 || n > c || c*uint64(max(elem, 1)) >= freshSize {
		return p.stop("allocation")
	}
	p.fresh++
	return p.next(in, Value{Concrete: goval.Words([]uint64{freshMemory + p.fresh*freshSize, n, c})})
}

// setLocal stores to a local variable.
func (p *path) setLocal(in *regcode.Instr) bool {
	c := &p.frame.Cells[in.Cell]
	whole := p.frame.Code.Cells[in.Cell]
	at, ok := p.val(&in.Args[0]).Concrete.Bits()
	v := p.val(&in.Args[1])
	switch {
	case ok && at == 0 && in.Size == whole:
		*c = v
	case !ok || in.Size < 0 || whole < 0 || at+uint64(in.Size) > uint64(whole):
		*c = Value{}
	case c.symbolic() || v.symbolic() || c.Concrete.Unknown():
		*c = p.patched(*c, v, int64(at), in.Size, whole)
	default:
		*c = Value{Concrete: patch(c.Concrete, v.Concrete, int64(at), in.Size, whole)}
	}
	p.frame.IP++
	return true
}

// patch is a value of size whole with n bytes at offset at replaced by those of v.
func patch(c, v goval.Value, at, n, whole int64) goval.Value {
	if at+n < whole {
		return goval.Join(whole, []int64{0, at, at + n}, []int64{at, n, whole - at - n}, []goval.Value{c.Part(0, at), v, c.Part(at+n, whole-at-n)})
	}
	return goval.Join(whole, []int64{0, at}, []int64{at, n}, []goval.Value{c.Part(0, at), v})
}

func (p *path) patched(c, v Value, at, n, whole int64) Value {
	if !c.symbolic() && c.Concrete.Unknown() || !v.symbolic() && v.Concrete.Unknown() {
		return Value{}
	}
	t, of := &goval.Term{Words: make([]*expr.Expr, max(1, (whole+7)/8))}, c.term()
	copy(t.Words, of.Words)
	t.Set(at, n, v.term())
	return bounded(t)
}

// getLocal loads from a local variable.
func (p *path) getLocal(in *regcode.Instr) bool {
	c := p.frame.Cells[in.Cell]
	at, ok := p.val(&in.Args[0]).Concrete.Bits()
	whole := p.frame.Code.Cells[in.Cell]
	switch {
	case !ok || in.Size < 0 || whole < 0 || at+uint64(in.Size) > uint64(whole):
		return p.next(in, Value{})
	case at == 0 && in.Size == whole:
		return p.next(in, c)
	}
	return p.next(in, pieceOf(c, int64(at), in.Size))
}

// part loads from a bound variable (plan R13), or computes an address in it.
func (p *path) part(in *regcode.Instr) bool {
	s := p.val(&in.Args[0])
	switch in.SSA.(type) {
	case *ssa.FieldAddr:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return p.next(in, Value{})
		}
		return p.next(in, pieceOf(s, in.Offsets[in.Index], in.Size))
	case *ssa.IndexAddr:
		i := p.val(&in.Args[1])
		n, ok := lengthOf(in, goval.Value{})
		if !ok || in.Elem < 0 {
			return p.next(in, Value{})
		}
		if why := within(in.Kind2, i.Concrete, n); why != "" {
			return p.stop(why)
		}
		at, _ := i.Concrete.Bits()
		return p.next(in, pieceOf(s, goval.Signed(in.Kind2, at)*in.Elem, in.Elem))
	}
	return p.next(in, s)
}

// access returns the address and size of a load or store through operand 0. ok is false if the path
// has ended.
func (p *path) access(in *regcode.Instr, size int64) (addr uint64, ok bool) {
	ptr := p.val(&in.Args[0]).Concrete
	if why := isPointer(ptr); why != "" {
		p.stop(why)
		return 0, false
	}
	addr, _ = ptr.Bits()
	switch {
	case size < 0:
		p.stop("type-parameter")
		return 0, false
	case slices.ContainsFunc(p.x.Stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] }):
		p.stop("stack")
		return 0, false
	case addr < freshMemory && !p.s.Settled(addr):
		p.stop("reused-memory")
		return 0, false
	}
	return addr, true
}

// hooked reports whether an instruction's access is recorded.
func hooked(in *regcode.Instr, k format.Kind) bool {
	return slices.ContainsFunc(in.Wants, func(w regcode.Want) bool {
		return w.Kind == regcode.WantAccess && w.Hook.Kind == k && w.Hook.Extent == plan.Pointee
	})
}

// load is (A1).
func (p *path) load(in *regcode.Instr) bool {
	addr, ok := p.access(in, in.Size)
	if !ok {
		return true
	}
	if s, ok := p.known(in, addr, in.Size); ok {
		return p.next(in, s)
	}
	if addr >= freshMemory {
		return p.next(in, Value{}) // stored in parts
	}
	if !hooked(in, format.Read) {
		return p.next(in, Value{})
	}
	var parts []goval.LoadPart
	for off := int64(0); off < in.Size; {
		n := min(in.Size-off, int64(8-(addr+uint64(off))%8))
		e := trace.Event{Kind: format.Read, Obj: trace.Addr(addr + uint64(off)), Size: uint16(n)}
		opaque := p.opaque(in, &e)
		r := p.emit(in, e, flow.Flow{})
		if opaque {
			return p.last("opaque-memory")
		}
		parts = append(parts, goval.LoadPart{Read: r, At: off, Size: n})
		off += n
	}
	if t := goval.LoadTerm(parts); t != nil {
		return p.next(in, Value{Term: t})
	}
	return p.next(in, Value{})
}

// opaque reports whether a call of opaque code may conflict with an access.
func (p *path) opaque(in *regcode.Instr, e *trace.Event) bool {
	c := *e
	c.Site, c.G = in.Site, p.g
	return p.s.Opaque(&c)
}

// known returns what memory at addr holds, if that is known: what the alternative stored in memory
// that it has allocated or that no other goroutine accesses, or the content at the fork.
func (p *path) known(in *regcode.Instr, addr uint64, size int64) (Value, bool) {
	own := addr >= freshMemory
	if !own && (p.forked || p.s.Foreign(addr, size)) {
		return Value{}, false
	}
	for i := len(p.mem) - 1; i >= 0; i-- {
		m := &p.mem[i]
		switch {
		case addr+uint64(size) <= m.addr || m.addr+uint64(m.size) <= addr:
			continue
		case m.addr <= addr && addr+uint64(size) <= m.addr+uint64(m.size):
			return p.visible(pieceAt(m, addr, size)), true
		}
		return Value{}, own
	}
	switch {
	case addr >= unseenMemory:
		return Value{}, true
	case own:
		return Value{Concrete: goval.Zero(size)}, true
	}
	return p.content(in, addr, size)
}

// visible hides values that depend on reads from a goroutine that the alternative has started: the
// reads are of another goroutine.
func (p *path) visible(s Value) Value {
	if s.symbolic() && p.g != p.x.G {
		return Value{}
	}
	return s
}

func pieceAt(m *stored, addr uint64, size int64) Value {
	if m.addr == addr && m.size == size {
		return m.val
	}
	return pieceOf(m.val, int64(addr-m.addr), size)
}

// content returns what memory at addr holds at the fork.
func (p *path) content(in *regcode.Instr, addr uint64, size int64) (Value, bool) {
	t := &goval.Term{Words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range t.Words {
		t.Words[i] = expr.Word(0)
	}
	for at := int64(0); at < size; {
		n := min(size-at, int64(8-(addr+uint64(at))%8))
		e := trace.Event{Kind: format.Read, G: p.g, Site: in.Site, Obj: trace.Addr(addr + uint64(at)), Size: uint16(n)}
		bits, ft, ok := p.s.Content(&e)
		if !ok {
			return Value{}, false
		}
		p.assumes = append(p.assumes, flow.Assumption{Addr: addr + uint64(at), Size: n, Bits: bits, Term: ft})
		if ft == nil {
			ft = expr.Word(bits)
		}
		t.Set(at, n, goval.Single(expr.PartOf(ft, 0, n)))
		at += n
	}
	return bounded(t), true
}

// store is (A1).
func (p *path) store(in *regcode.Instr) bool {
	addr, ok := p.access(in, in.Size)
	if !ok {
		return true
	}
	v := p.val(&in.Args[1])
	if addr >= freshMemory {
		if p.forked {
			return p.stop("shared-allocation")
		}
		p.mem = append(slices.Clip(p.mem), stored{addr, in.Size, v})
		p.frame.IP++
		return true
	}
	if !hooked(in, format.Write) {
		return p.stop("not-recorded")
	}
	for off := int64(0); off < in.Size; {
		n := min(in.Size-off, int64(8-(addr+uint64(off))%8))
		e := trace.Event{Kind: format.Write, Obj: trace.Addr(addr + uint64(off)), Size: uint16(n)}
		part := pieceOf(v, off, n)
		f, known := p.written(part, &e.Val)
		opaque := p.opaque(in, &e)
		p.emit(in, e, f)
		switch {
		case !known:
			return p.last("unknown-value")
		case opaque:
			return p.last("opaque-memory")
		}
		off += n
	}
	p.mem = append(slices.Clip(p.mem), stored{addr, in.Size, v})
	p.frame.IP++
	return true
}

// written returns the Flow of a write of the word s. If its value is known, it sets *val.
func (p *path) written(s Value, val *uint64) (f flow.Flow, known bool) {
	if !s.symbolic() {
		v, ok := s.Concrete.Bits()
		*val = v
		return f, ok && (v < 4096 || v >= 1<<48 || p.s.Settled(v))
	}
	if f.Value = s.Term.Word(0); f.Value == nil {
		return f, false
	}
	if f.Value.IsConst() {
		w, _ := f.Value.Recorded()
		return p.written(Value{Concrete: goval.Known(w)}, val)
	}
	for _, r := range f.Value.Reads() {
		f.From = append(f.From, r.Number())
	}
	return f, true
}

// touched ends a path at an instruction that is not modelled. An access to a map can still race: it
// is the last step.
func (p *path) touched(in *regcode.Instr) bool {
	for i := range in.Wants {
		w := &in.Wants[i]
		if w.Kind != regcode.WantAccess || w.Hook.Extent != plan.MapObject {
			continue
		}
		var m ssa.Value = w.Hook.Addr
		for k, o := range in.SSA.Operands(nil) {
			if *o != m {
				continue
			}
			addr, ok := p.val(&in.Args[k]).Concrete.Bits()
			if ok && addr >= 4096 && addr < freshMemory && p.s.Settled(addr) {
				p.emit(in, trace.Event{Kind: w.Hook.Kind, Obj: trace.Addr(addr), Size: 8, Flags: format.FlagNoValue}, flow.Flow{})
				return p.last("map")
			}
		}
	}
	return p.stop("not-modelled")
}
