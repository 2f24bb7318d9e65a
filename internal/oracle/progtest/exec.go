package progtest

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// exec executes the next instruction of a goroutine, one that concerns nobody else.
func (m *machine) exec(s *state, g *goroutine) {
	g.steps++
	f := g.top()
	x := &f.fn.ins[f.ip]
	switch in := x.in.(type) {
	case *ssa.If:
		i := 1 - int(g.arg1(f, &x.args[0]))
		to := in.Block().Succs[i].Index
		m.decide(g, f.fn, to)
		m.jump(g, f, to)
		return
	case *ssa.Jump:
		m.jump(g, f, in.Block().Succs[0].Index)
		return
	case *ssa.Return:
		m.leave(s, g, f, x)
		return
	case *ssa.Call:
		if x.call.fn != nil || x.call.dynamic {
			m.call(s, g, f, x)
			return
		}
		if x.call.std != nil {
			m.std(s, g, f, x)
		} else {
			m.builtin(g, f, x)
		}
	case *ssa.Defer:
		args, value := m.gather(g, f, x)
		d := deferral{ins: x}
		copy(d.args[:], args)
		if len(x.args) > len(in.Call.Args) {
			d.args[len(args)] = value
		}
		g.defers = append(g.defers, d)
	case *ssa.Store:
		m.storeWords(s, g.arg1(f, &x.args[0]), x.size, g.arg(f, &x.args[1]))
	case *ssa.RunDefers, *ssa.DebugRef, *ssa.Phi:
	default:
		m.value(s, g, f, x)
	}
	m.rec.after(s, g, x)
	g.top().ip++
}

// value executes an instruction that has a result.
func (m *machine) value(s *state, g *goroutine, f *frame, x *ins) {
	dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
	switch in := x.in.(type) {
	case *ssa.Alloc:
		m.allocate(s, g, f, x, dst)
	case *ssa.UnOp:
		m.unop(s, g, f, x, in, dst)
	case *ssa.BinOp:
		m.binop(s, g, f, x, in, dst)
	case *ssa.FieldAddr:
		p := g.arg1(f, &x.args[0])
		if p < nilPage && !x.local {
			panic(isPanic{})
		}
		dst[0] = p + x.off
	case *ssa.Field:
		extract(dst, g.arg(f, &x.args[0]), int64(x.off), x.size)
	case *ssa.IndexAddr:
		base, n := g.arg(f, &x.args[0]), x.off
		if len(base) == 3 {
			n = base[1]
		}
		i := m.index(g, f, x, n)
		if base[0] < nilPage {
			panic(isPanic{})
		}
		dst[0] = base[0] + i*uint64(x.size)
	case *ssa.Index:
		v := g.arg(f, &x.args[0])
		if x.size == 0 { // a string
			dst[0] = uint64(m.byteAt(s, v[0]+m.index(g, f, x, v[1])))
			return
		}
		i := m.index(g, f, x, x.off)
		extract(dst, v, int64(i)*x.size, x.size)
	case *ssa.Lookup:
		v := g.arg(f, &x.args[0])
		dst[0] = uint64(m.byteAt(s, v[0]+m.index(g, f, x, v[1])))
	case *ssa.Slice:
		m.slice(g, f, x, dst)
	case *ssa.Convert:
		if x.n != 1 || !numeric(x.kind) || !numeric(x.to) {
			panic(fault("conversion"))
		}
		dst[0] = convert(x.kind, x.to, g.arg1(f, &x.args[0]))
	case *ssa.ChangeType:
		copy(dst, g.arg(f, &x.args[0]))
	case *ssa.Extract:
		copy(dst, g.arg(f, &x.args[0])[x.off:])
	case *ssa.MakeClosure:
		a := m.alloc(g, int64(8*(1+x.frees)))
		*m.word(s, a) = x.fn.addr
		n := uint64(1)
		for i := range x.args {
			for _, w := range g.arg(f, &x.args[i]) {
				*m.word(s, a+8*n) = w
				n++
			}
		}
		m.rec.alloc(g, a, int64(8*n))
		dst[0] = a
	case *ssa.MakeChan:
		n := extend(x.kind, g.arg1(f, &x.args[0]))
		if n < 0 {
			panic(isPanic{})
		}
		if n > 64 || x.size > 8 {
			panic(fault("a channel of many or large elements"))
		}
		a := m.alloc(g, 24+8*n)
		*m.word(s, a) = uint64(n)
		m.rec.alloc(g, a, 24+8*n)
		dst[0] = a
	case *ssa.MakeSlice:
		n, c := g.arg1(f, &x.args[0]), g.arg1(f, &x.args[1])
		if n > c || c > 1<<10 {
			panic(isPanic{})
		}
		a := m.alloc(g, int64(c)*x.size)
		m.rec.alloc(g, a, int64(c)*x.size)
		dst[0], dst[1], dst[2] = a, n, c
	case *ssa.MakeInterface:
		m.makeInterface(s, g, f, x, dst)
	case *ssa.ChangeInterface:
		copy(dst, m.changed(in.Type(), g.arg(f, &x.args[0])))
	case *ssa.TypeAssert:
		m.typeAssert(s, g, f, x, in, dst)
	default:
		panic(fault("an instruction"))
	}
}

func numeric(k types.BasicKind) bool {
	return k >= types.Int && k <= types.Float64 || k == types.UnsafePointer
}

func (m *machine) allocate(s *state, g *goroutine, f *frame, x *ins, dst []uint64) {
	if x.local {
		dst[0] = g.stackAddr() + uint64(f.locals)*8 + x.off*8
		clear(g.stack[f.locals+int(x.off):][:words(x.size)])
		return
	}
	dst[0] = m.alloc(g, x.size)
	m.rec.alloc(g, dst[0], x.size)
}

// index returns the index operand, which must be less than n.
func (m *machine) index(g *goroutine, f *frame, x *ins, n uint64) uint64 {
	i := g.arg1(f, &x.args[1])
	if signed(x.kind) && extend(x.kind, i) < 0 || i >= n {
		panic(isPanic{})
	}
	return i
}

// extract copies size bytes at offset off of a value.
func extract(dst, v []uint64, off, size int64) {
	for i := range dst {
		n := min(8, size-int64(i)*8)
		dst[i] = bytesAt(v, off+int64(i)*8, n)
	}
}

// bytesAt returns n bytes at offset off of a value, which may lie in two words.
func bytesAt(v []uint64, off, n int64) uint64 {
	w, sh := v[off/8]>>(8*(off%8)), 8*(off%8)
	if off%8+n > 8 {
		w |= v[off/8+1] << (64 - sh)
	}
	return w & mask(n)
}

// putBytes is its inverse.
func putBytes(v []uint64, off, n int64, w uint64) {
	i, sh := off/8, 8*(off%8)
	v[i] = v[i]&^(mask(n)<<sh) | (w&mask(n))<<sh
	if off%8+n > 8 {
		k := off%8 + n - 8
		v[i+1] = v[i+1]&^mask(k) | w&mask(n)>>(64-sh)
	}
}

// storeWords writes a whole value, piece by piece of one word.
func (m *machine) storeWords(s *state, addr uint64, size int64, v []uint64) {
	for done := int64(0); done < size; {
		a := addr + uint64(done)
		n := min(8-int64(a&7), size-done)
		m.store(s, a, n, bytesAt(v, done, n))
		done += n
	}
}

func (m *machine) loadWords(s *state, addr uint64, size int64, v []uint64) {
	clear(v)
	for done := int64(0); done < size; {
		a := addr + uint64(done)
		n := min(8-int64(a&7), size-done)
		putBytes(v, done, n, m.load(s, a, n))
		done += n
	}
}

func (m *machine) unop(s *state, g *goroutine, f *frame, x *ins, in *ssa.UnOp, dst []uint64) {
	v := g.arg1(f, &x.args[0])
	switch in.Op {
	case token.MUL: // of a variable, or of no bytes
		m.loadWords(s, v, x.size, dst)
	case token.NOT:
		dst[0] = 1 - v
	case token.XOR:
		dst[0] = clip(x.kind, ^v)
	case token.SUB:
		if integer(x.kind) {
			dst[0] = clip(x.kind, -v)
		} else {
			dst[0] = unfloat(x.kind, -float(x.kind, v))
		}
	default:
		panic(fault("operator"))
	}
}

func (m *machine) binop(s *state, g *goroutine, f *frame, x *ins, in *ssa.BinOp, dst []uint64) {
	a, b := g.arg(f, &x.args[0]), g.arg(f, &x.args[1])
	switch {
	case x.kind == types.String:
		m.strings(s, g, in.Op, a, b, dst)
	case x.kind == types.Invalid || x.kind == types.UnsafePointer:
		same := true
		for i := range max(len(a), 1) {
			if len(a) == 3 && i > 0 {
				break // a slice is compared with nil
			}
			same = same && a[i] == b[i]
		}
		dst[0] = truth(same == (in.Op == token.EQL))
	case in.Op == token.SHL || in.Op == token.SHR:
		dst[0] = shift(in.Op, x.kind, x.to, a[0], b[0])
	default:
		dst[0] = number(in.Op, x.kind, a[0], b[0])
	}
}

func (m *machine) strings(s *state, g *goroutine, op token.Token, a, b, dst []uint64) {
	x, y := m.text(s, a[0], a[1]), m.text(s, b[0], b[1])
	if op != token.ADD {
		dst[0] = compare(op, x, y)
		return
	}
	switch {
	case y == "":
		copy(dst, a)
		return
	case x == "":
		copy(dst, b)
		return
	}
	t := x + y
	dst[0], dst[1] = m.newText(s, g, t), uint64(len(t))
}

func (m *machine) slice(g *goroutine, f *frame, x *ins, dst []uint64) {
	v := g.arg(f, &x.args[0])
	base, n, c := v[0], x.off, x.off
	switch {
	case len(v) == 3:
		n, c = v[1], v[2]
	case len(v) == 2:
		n, c = v[1], v[1]
	case base < nilPage:
		panic(isPanic{})
	}
	lo, hi := uint64(0), n
	if x.args[1].n > 0 {
		lo = g.arg1(f, &x.args[1])
	}
	if x.args[2].n > 0 {
		hi = g.arg1(f, &x.args[2])
	}
	if lo > hi || hi > c {
		panic(isPanic{})
	}
	size := uint64(max(x.size, 1))
	if c > lo {
		base += lo * size
	}
	dst[0], dst[1] = base, hi-lo
	if len(dst) == 3 {
		dst[2] = c - lo
	}
}

func (m *machine) builtin(g *goroutine, f *frame, x *ins) {
	switch x.call.builtin {
	case "len":
		g.regs[f.base+x.dst] = g.arg(f, &x.args[0])[1]
	case "cap":
		g.regs[f.base+x.dst] = g.arg(f, &x.args[0])[2]
	case "min", "max":
		op := token.LSS
		if x.call.builtin == "max" {
			op = token.GTR
		}
		v := g.arg1(f, &x.args[0])
		for i := range x.args[1:] {
			if w := g.arg1(f, &x.args[i+1]); number(op, x.call.kind, w, v) != 0 {
				v = w
			}
		}
		g.regs[f.base+x.dst] = v
	case "print", "println":
	case "ssa:wrapnilchk":
		if v := g.arg1(f, &x.args[0]); v < nilPage {
			panic(isPanic{})
		} else {
			g.regs[f.base+x.dst] = v
		}
	}
}

// jump enters a block: its phis take their values of the edge, all at once.
func (m *machine) jump(g *goroutine, f *frame, to int) {
	from := f.fn.ins[f.ip].block
	i := f.fn.blocks[to]
	edge := -1
	for k, pr := range f.fn.ssa.Blocks[to].Preds {
		if pr.Index == from {
			edge = k
		}
	}
	m.phis = m.phis[:0]
	n := i
	for ; n < len(f.fn.ins); n++ {
		x := &f.fn.ins[n]
		if _, ok := x.in.(*ssa.Phi); !ok {
			break
		}
		m.phis = append(m.phis, g.arg(f, &x.args[edge])...)
	}
	m.phiSites(g, f, i, n)
	f.ip = n
	m.rec.block(g, to)
}

func (m *machine) phiSites(g *goroutine, f *frame, i, n int) {
	v := m.phis
	for ; i < n; i++ {
		x := &f.fn.ins[i]
		copy(g.regs[f.base+x.dst:f.base+x.dst+x.n], v)
		v = v[x.n:]
	}
}

// decide notes where a goroutine goes at a branch or a call of a function value: it is part of its
// path, or it leaves the path that it is compared with.
func (m *machine) decide(g *goroutine, f *fn, block int) {
	g.steps = 0
	d := decision(uint32(f.id)<<16 | uint32(block))
	if m.rec != nil {
		m.rec.run.paths[g.name] = append(m.rec.run.paths[g.name], d)
	}
	if m.paths == nil || g.off {
		return
	}
	if path := m.paths[g.name]; g.pos >= len(path) || path[g.pos] != d {
		g.off, g.pos = true, 0
		return
	}
	g.pos++
}

// A decision is a function and a block of it.
type decision uint32
