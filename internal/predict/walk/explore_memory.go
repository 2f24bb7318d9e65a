package walk

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Memory of alternatives (A1).

// allocate makes new memory, all zero.
func (p *path) allocate(in *instr, size int64) bool {
	if size < 0 || uint64(size) >= freshSize {
		return p.stop("allocation")
	}
	p.fresh++
	return p.next(in, sval{v: Known(freshMemory + p.fresh*freshSize)})
}

func (p *path) makeSlice(in *instr, x *ssa.MakeSlice) bool {
	args := p.operands(in)
	n, ok := args[0].v.Bits()
	c, ok2 := args[1].v.Bits()
	elem := p.frame.code.sizes.Sizeof(x.Type().Underlying().(*types.Slice).Elem())
	if !ok || !ok2 || elem < 0 || n > c || c*uint64(max(elem, 1)) >= freshSize {
		return p.stop("allocation")
	}
	p.fresh++
	return p.next(in, sval{v: Words([]uint64{freshMemory + p.fresh*freshSize, n, c})})
}

// setLocal stores to a local variable.
func (p *path) setLocal(in *instr) bool {
	c := &p.frame.cells[in.cell]
	whole := p.frame.code.cells[in.cell]
	at, ok := p.val(&in.args[0]).v.Bits()
	v := p.val(&in.args[1])
	switch {
	case ok && at == 0 && in.size == whole:
		*c = v
	case !ok || in.size < 0 || whole < 0 || at+uint64(in.size) > uint64(whole):
		*c = sval{}
	case c.symbolic() || v.symbolic() || c.v.known == 0:
		*c = p.patched(*c, v, int64(at), in.size, whole)
	default:
		*c = sval{v: patch(c.v, v.v, int64(at), in.size, whole)}
	}
	p.frame.ip++
	return true
}

// patch is a value of size whole with n bytes at offset at replaced by those of v.
func patch(c, v Value, at, n, whole int64) Value {
	if at+n < whole {
		return join(whole, []int64{0, at, at + n}, []int64{at, n, whole - at - n}, []Value{c.part(0, at), v, c.part(at+n, whole-at-n)})
	}
	return join(whole, []int64{0, at}, []int64{at, n}, []Value{c.part(0, at), v})
}

func (p *path) patched(c, v sval, at, n, whole int64) sval {
	if !c.symbolic() && c.v.known == 0 || !v.symbolic() && v.v.known == 0 {
		return sval{}
	}
	t, of := &term{words: make([]*expr.Expr, max(1, (whole+7)/8))}, c.term()
	copy(t.words, of.words)
	t.set(at, n, v.term())
	return bounded(t)
}

// getLocal loads from a local variable.
func (p *path) getLocal(in *instr) bool {
	c := p.frame.cells[in.cell]
	at, ok := p.val(&in.args[0]).v.Bits()
	whole := p.frame.code.cells[in.cell]
	switch {
	case !ok || in.size < 0 || whole < 0 || at+uint64(in.size) > uint64(whole):
		return p.next(in, sval{})
	case at == 0 && in.size == whole:
		return p.next(in, c)
	}
	return p.next(in, pieceOf(c, int64(at), in.size))
}

// part is a load from, or an address in, a bound variable.
func (p *path) part(in *instr) bool {
	s := p.val(&in.args[0])
	switch in.in.(type) {
	case *ssa.FieldAddr:
		if in.off == nil || in.size < 0 || in.fused {
			return p.next(in, sval{})
		}
		return p.next(in, pieceOf(s, in.off[in.index], in.size))
	case *ssa.IndexAddr:
		i := p.val(&in.args[1])
		n, ok := lengthOf(in, Value{})
		if !ok || in.elem < 0 {
			return p.next(in, sval{})
		}
		if why := within(in.kind2, i.v, n); why != "" {
			return p.stop(why)
		}
		at, _ := i.v.Bits()
		return p.next(in, pieceOf(s, signed(in.kind2, at)*in.elem, in.elem))
	}
	return p.next(in, s)
}

// access returns the address and size of a load or store through operand 0. ok is false if the path
// has ended.
func (p *path) access(in *instr, size int64) (addr uint64, ok bool) {
	ptr := p.val(&in.args[0]).v
	if why := isPointer(ptr); why != "" {
		p.stop(why)
		return 0, false
	}
	addr, _ = ptr.Bits()
	switch {
	case size < 0:
		p.stop("type-parameter")
		return 0, false
	case slices.ContainsFunc(p.x.stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] }):
		p.stop("stack")
		return 0, false
	case addr < freshMemory && !p.s.Settled(addr):
		p.stop("reused-memory")
		return 0, false
	}
	return addr, true
}

// hooked reports whether an instruction's access is recorded.
func hooked(in *instr, k format.Kind) bool {
	return slices.ContainsFunc(in.wants, func(w want) bool {
		return w.kind == wantAccess && w.hook.Kind == k && w.hook.Extent == plan.Pointee
	})
}

// load is (A1).
func (p *path) load(in *instr) bool {
	addr, ok := p.access(in, in.size)
	if !ok {
		return true
	}
	if s, ok := p.known(in, addr, in.size); ok {
		return p.next(in, s)
	}
	if addr >= freshMemory {
		return p.next(in, sval{}) // in parts
	}
	if !hooked(in, format.Read) {
		return p.next(in, sval{})
	}
	var parts []loaded
	for off := int64(0); off < in.size; {
		n := min(in.size-off, int64(8-(addr+uint64(off))%8))
		e := trace.Event{Kind: format.Read, Obj: trace.Addr(addr + uint64(off)), Size: uint16(n)}
		opaque := p.opaque(in, &e)
		r := p.emit(in, e, flow.Flow{})
		if opaque {
			return p.last("opaque-memory")
		}
		parts = append(parts, loaded{read: r, at: off, n: n})
		off += n
	}
	if t := leaf(parts); t != nil {
		return p.next(in, sval{t: t})
	}
	return p.next(in, sval{})
}

// opaque reports whether opaque code may do something about an access.
func (p *path) opaque(in *instr, e *trace.Event) bool {
	c := *e
	c.Site, c.G = in.site, p.g
	return p.s.Opaque(&c)
}

// known is what the alternative knows to be at addr: what it stored in memory that is its own or
// that nobody else accesses, or what was there at the fork.
func (p *path) known(in *instr, addr uint64, size int64) (sval, bool) {
	own := addr >= freshMemory
	if !own && (p.forked || p.s.Foreign(addr, size)) {
		return sval{}, false
	}
	for i := len(p.mem) - 1; i >= 0; i-- {
		m := &p.mem[i]
		switch {
		case addr+uint64(size) <= m.addr || m.addr+uint64(m.size) <= addr:
			continue
		case m.addr <= addr && addr+uint64(size) <= m.addr+uint64(m.size):
			return p.visible(pieceAt(m, addr, size)), true
		}
		return sval{}, own
	}
	switch {
	case addr >= unseenMemory:
		return sval{}, true
	case own:
		return sval{v: Zero(size)}, true
	}
	return p.content(in, addr, size)
}

// visible hides, in a goroutine that the alternative has started, what rests on reads of others.
func (p *path) visible(s sval) sval {
	if s.symbolic() && p.g != p.x.g {
		return sval{}
	}
	return s
}

func pieceAt(m *stored, addr uint64, size int64) sval {
	if m.addr == addr && m.size == size {
		return m.val
	}
	return pieceOf(m.val, int64(addr-m.addr), size)
}

// content is what is at addr at the fork.
func (p *path) content(in *instr, addr uint64, size int64) (sval, bool) {
	t := &term{words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range t.words {
		t.words[i] = expr.Word(0)
	}
	for at := int64(0); at < size; {
		n := min(size-at, int64(8-(addr+uint64(at))%8))
		e := trace.Event{Kind: format.Read, G: p.g, Site: in.site, Obj: trace.Addr(addr + uint64(at)), Size: uint16(n)}
		bits, ft, ok := p.s.Content(&e)
		if !ok {
			return sval{}, false
		}
		p.assumes = append(p.assumes, flow.Assumption{Addr: addr + uint64(at), Size: n, Bits: bits, Term: ft})
		if ft == nil {
			ft = expr.Word(bits)
		}
		t.set(at, n, single(expr.PartOf(ft, 0, n)))
		at += n
	}
	return bounded(t), true
}

// store is (A1).
func (p *path) store(in *instr) bool {
	addr, ok := p.access(in, in.size)
	if !ok {
		return true
	}
	v := p.val(&in.args[1])
	if addr >= freshMemory {
		if p.forked {
			return p.stop("shared-allocation")
		}
		p.mem = append(slices.Clip(p.mem), stored{addr, in.size, v})
		p.frame.ip++
		return true
	}
	if !hooked(in, format.Write) {
		return p.stop("not-recorded")
	}
	for off := int64(0); off < in.size; {
		n := min(in.size-off, int64(8-(addr+uint64(off))%8))
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
	p.mem = append(slices.Clip(p.mem), stored{addr, in.size, v})
	p.frame.ip++
	return true
}

// written is the Flow of a write of s, a word, whose value is in *val if it is known.
func (p *path) written(s sval, val *uint64) (f flow.Flow, known bool) {
	if !s.symbolic() {
		v, ok := s.v.Bits()
		*val = v
		return f, ok && (v < 4096 || v >= 1<<48 || p.s.Settled(v))
	}
	if f.Value = s.t.word(0); f.Value == nil {
		return f, false
	}
	if f.Value.IsConst() {
		w, _ := f.Value.Recorded()
		return p.written(sval{v: Known(w)}, val)
	}
	for _, r := range f.Value.Reads() {
		f.From = append(f.From, r.Number())
	}
	return f, true
}

// touched ends a path at an instruction that is not modelled. An access to a map is still one that
// can race.
func (p *path) touched(in *instr) bool {
	for i := range in.wants {
		w := &in.wants[i]
		if w.kind != wantAccess || w.hook.Extent != plan.MapObject {
			continue
		}
		var m ssa.Value = w.hook.Addr
		for k, o := range in.in.Operands(nil) {
			if *o != m {
				continue
			}
			addr, ok := p.val(&in.args[k]).v.Bits()
			if ok && addr >= 4096 && addr < freshMemory && p.s.Settled(addr) {
				p.emit(in, trace.Event{Kind: w.hook.Kind, Obj: trace.Addr(addr), Size: 8, Flags: format.FlagNoValue}, flow.Flow{})
				return p.last("map")
			}
		}
	}
	return p.stop("not-modelled")
}
