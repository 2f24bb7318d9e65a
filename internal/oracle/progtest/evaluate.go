package progtest

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// evaluator executes instructions that compute a value, and builtin functions. Their allocations
// are in the goroutine's part of the heap.
type evaluator struct {
	prog *Program
	rec  *recorder
}

// value executes an instruction that has a result.
func (ev *evaluator) value(s *state, g *goroutine, f *frame, x *ins) {
	dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
	switch in := x.in.(type) {
	case *ssa.Alloc:
		ev.allocate(s, g, f, x, dst)
	case *ssa.UnOp:
		ev.unop(s, g, f, x, in, dst)
	case *ssa.BinOp:
		ev.binop(s, g, f, x, in, dst)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		dst[0] = ev.address(g, f, x)
	case *ssa.Field:
		extract(dst, g.arg(f, &x.args[0]), int64(x.off), x.size)
	case *ssa.Index, *ssa.Lookup:
		ev.element(s, g, f, x, dst)
	case *ssa.Slice:
		ev.slice(g, f, x, dst)
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
		dst[0] = ev.makeClosure(s, g, f, x)
	case *ssa.MakeMap:
		dst[0] = g.alloc(16 + 16*maxEntries)
	case *ssa.MakeChan:
		dst[0] = ev.makeChan(s, g, f, x)
	case *ssa.MakeSlice:
		ev.makeSlice(g, f, x, dst)
	case *ssa.MakeInterface:
		ev.makeInterface(s, g, f, x, dst)
	case *ssa.ChangeInterface:
		copy(dst, ev.prog.changed(in.Type(), g.arg(f, &x.args[0])))
	case *ssa.TypeAssert:
		ev.typeAssert(s, g, f, x, in, dst)
	default:
		panic(fault("an instruction"))
	}
}

// address is the address of a field or an element.
func (ev *evaluator) address(g *goroutine, f *frame, x *ins) uint64 {
	base := g.arg(f, &x.args[0])
	if _, ok := x.in.(*ssa.FieldAddr); ok {
		if base[0] < nilPage && !x.local {
			panic(isPanic{})
		}
		return base[0] + x.off
	}
	n := x.off
	if len(base) == 3 {
		n = base[1]
	}
	i := ev.index(g, f, x, n)
	if base[0] < nilPage {
		panic(isPanic{})
	}
	return base[0] + i*uint64(x.size)
}

// element is an element of an array that is a value, or a byte of a string.
func (ev *evaluator) element(s *state, g *goroutine, f *frame, x *ins, dst []uint64) {
	v := g.arg(f, &x.args[0])
	if _, lookup := x.in.(*ssa.Lookup); lookup || x.size == 0 {
		dst[0] = uint64(ev.prog.byteAt(s, v[0]+ev.index(g, f, x, v[1])))
		return
	}
	i := ev.index(g, f, x, x.off)
	extract(dst, v, int64(i)*x.size, x.size)
}

func (ev *evaluator) makeClosure(s *state, g *goroutine, f *frame, x *ins) uint64 {
	a := g.alloc(int64(8 * (1 + x.frees)))
	*s.word(a) = x.fn.addr
	n := uint64(1)
	for i := range x.args {
		for _, w := range g.arg(f, &x.args[i]) {
			*s.word(a + 8*n) = w
			n++
		}
	}
	ev.rec.alloc(g, a, int64(8*n))
	return a
}

// makeChan makes a channel: its capacity, whether it is closed, the number of its elements, and the
// elements.
func (ev *evaluator) makeChan(s *state, g *goroutine, f *frame, x *ins) uint64 {
	n := extend(x.kind, g.arg1(f, &x.args[0]))
	if n < 0 {
		panic(isPanic{})
	}
	if n > 64 || x.size > 8 {
		panic(fault("a channel of many or large elements"))
	}
	a := g.alloc(24 + 8*n)
	*s.word(a) = uint64(n)
	ev.rec.alloc(g, a, 24+8*n)
	return a
}

func (ev *evaluator) makeSlice(g *goroutine, f *frame, x *ins, dst []uint64) {
	n, c := g.arg1(f, &x.args[0]), g.arg1(f, &x.args[1])
	if n > c || c > 1<<10 {
		panic(isPanic{})
	}
	a := g.alloc(int64(c) * x.size)
	ev.rec.variable(g, a, int64(c)*x.size)
	dst[0], dst[1], dst[2] = a, n, c
}

func numeric(k types.BasicKind) bool {
	return k >= types.Int && k <= types.Float64 || k == types.UnsafePointer
}

func (ev *evaluator) allocate(s *state, g *goroutine, f *frame, x *ins, dst []uint64) {
	if x.local {
		dst[0] = g.stackAddr() + uint64(f.locals)*8 + x.off*8
		clear(g.stack[f.locals+int(x.off):][:words(x.size)])
		return
	}
	dst[0] = g.alloc(x.size)
	ev.rec.variable(g, dst[0], x.size)
}

// index returns the index operand, which must be less than n.
func (ev *evaluator) index(g *goroutine, f *frame, x *ins, n uint64) uint64 {
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

// putBytes is the inverse of bytesAt.
func putBytes(v []uint64, off, n int64, w uint64) {
	i, sh := off/8, 8*(off%8)
	v[i] = v[i]&^(mask(n)<<sh) | (w&mask(n))<<sh
	if off%8+n > 8 {
		k := off%8 + n - 8
		v[i+1] = v[i+1]&^mask(k) | w&mask(n)>>(64-sh)
	}
}

// storeWords writes a whole value, piece by piece of one word.
func (s *state) storeWords(addr uint64, size int64, v []uint64) {
	for done := int64(0); done < size; {
		a := addr + uint64(done)
		n := min(8-int64(a&7), size-done)
		s.store(a, n, bytesAt(v, done, n))
		done += n
	}
}

func (s *state) loadWords(addr uint64, size int64, v []uint64) {
	clear(v)
	for done := int64(0); done < size; {
		a := addr + uint64(done)
		n := min(8-int64(a&7), size-done)
		putBytes(v, done, n, s.load(a, n))
		done += n
	}
}

func (ev *evaluator) unop(s *state, g *goroutine, f *frame, x *ins, in *ssa.UnOp, dst []uint64) {
	v := g.arg1(f, &x.args[0])
	switch in.Op {
	case token.MUL: // of a variable, or of no bytes
		s.loadWords(v, x.size, dst)
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

func (ev *evaluator) binop(s *state, g *goroutine, f *frame, x *ins, in *ssa.BinOp, dst []uint64) {
	a, b := g.arg(f, &x.args[0]), g.arg(f, &x.args[1])
	switch {
	case x.kind == types.String:
		ev.strings(s, g, in.Op, a, b, dst)
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

func (ev *evaluator) strings(s *state, g *goroutine, op token.Token, a, b, dst []uint64) {
	x, y := ev.prog.textAt(s, a[0], a[1]), ev.prog.textAt(s, b[0], b[1])
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
	dst[0], dst[1] = ev.newText(s, g, t), uint64(len(t))
}

func (ev *evaluator) slice(g *goroutine, f *frame, x *ins, dst []uint64) {
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

func (ev *evaluator) builtin(s *state, g *goroutine, f *frame, x *ins) {
	switch x.call.builtin {
	case "len":
		g.regs[f.base+x.dst] = g.arg(f, &x.args[0])[1]
	case "cap":
		g.regs[f.base+x.dst] = g.arg(f, &x.args[0])[2]
	case "NewCond":
		ev.makeCond(s, g, f, x)
	case "OnceFunc", "OnceValue":
		ev.makeOnce(s, g, f, x)
	case "chancap":
		if c := g.arg1(f, &x.args[0]); c != 0 {
			g.regs[f.base+x.dst] = *s.word(c)
		}
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
