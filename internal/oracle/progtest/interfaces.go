package progtest

import (
	"encoding/binary"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An interface is a type word and a data word. There is one type word for each interface type and
// type. The data word is a pointer, or the address of a copy of the value. Copies of a constant are
// shared, as are copies of a small integer.

const (
	typeBase  = 0x4a0000
	nowhere   = 0x4bfff0 // the address of values without bytes
	smallBase = 0x4b0000 // of the integers below maxSmall, which interfaces share
	maxSmall  = 256
)

// typeWord is the type word of an interface of type i that holds a t.
func (p *Program) typeWord(i, t types.Type) uint64 {
	k := [2]string{types.TypeString(i, nil), types.TypeString(t, nil)}
	if i.Underlying().(*types.Interface).Empty() {
		k[0] = ""
	}
	w, ok := p.typeWords[k]
	if !ok {
		w = typeBase + uint64(len(p.types))*16
		p.types = append(p.types, t)
		p.typeWords[k] = w
	}
	return w
}

// typeOf is the type that a type word stands for.
func (p *Program) typeOf(w uint64) types.Type { return p.types[(w-typeBase)/16] }

func pointerLike(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	}
	return false
}

func (p *Program) prepareInterface(f *fn, x *ins, in *ssa.MakeInterface) {
	t := in.X.Type()
	x.args, x.size, x.direct = p.args(f, in.X), p.layout.sizeof(t), pointerLike(t)
	x.word = p.typeWord(in.Type(), t)
	if x.kind = basicKind(t); integer(x.kind) {
		if c, ok := in.X.(*ssa.Const); ok {
			x.off = integerOf(p, p.constant(c)[0])
		}
	}
	prog := f.ssa.Prog
	for sel := range prog.MethodSets.MethodSet(t).Methods() {
		if m := prog.MethodValue(sel); m != nil && m.Synthetic == "" {
			p.fn(m)
		}
	}
}

func (ev *evaluator) makeInterface(s *state, g *goroutine, f *frame, x *ins, dst []uint64) {
	v := g.arg(f, &x.args[0])
	dst[0] = x.word
	switch {
	case x.direct:
		dst[1] = v[0]
	case x.size == 0:
		dst[1] = nowhere
	case x.off != 0:
		dst[1] = x.off
	case integer(x.kind) && v[0] < maxSmall:
		dst[1] = smallBase + 8*v[0]
	default:
		a := g.alloc(x.size)
		s.storeWords(a, x.size, v)
		ev.rec.box(g, a, x.size)
		dst[1] = a
	}
}

// changed is an interface value as one of another interface type.
func (p *Program) changed(to types.Type, v []uint64) []uint64 {
	if v[0] == 0 {
		return []uint64{0, 0}
	}
	return []uint64{p.typeWord(to, p.typeOf(v[0])), v[1]}
}

func (ev *evaluator) typeAssert(s *state, g *goroutine, f *frame, x *ins, in *ssa.TypeAssert, dst []uint64) {
	v := g.arg(f, &x.args[0])
	n := ev.prog.layout.width(in.AssertedType)
	var found []uint64
	if v[0] != 0 {
		t := ev.prog.typeOf(v[0])
		i, ok := in.AssertedType.Underlying().(*types.Interface)
		switch {
		case ok && types.Implements(t, i):
			found = ev.prog.changed(in.AssertedType, v)
		case !ok && types.Identical(t, in.AssertedType):
			found = ev.prog.inside(s, t, v)
		}
	}
	if found == nil && !in.CommaOk {
		panic(isPanic{})
	}
	clear(dst)
	copy(dst[:n], found)
	if in.CommaOk {
		dst[n] = truth(found != nil)
	}
}

// inside is the value in an interface, of type t.
func (p *Program) inside(s *state, t types.Type, v []uint64) []uint64 {
	if pointerLike(t) {
		return []uint64{v[1]}
	}
	size := p.layout.sizeof(t)
	out := make([]uint64, words(size))
	for i := range out {
		n := min(8, size-int64(i)*8)
		out[i] = boxed(p, s, v[1]+uint64(i)*8) & mask(n)
	}
	return out
}

// boxed returns a word of a value in an interface.
func boxed(p *Program, s *state, addr uint64) uint64 {
	switch {
	case addr >= smallBase && addr < smallBase+8*maxSmall:
		return (addr - smallBase) / 8
	case addr >= rodataBase && addr < globalBase:
		return binary.LittleEndian.Uint64(p.rodata[addr-rodataBase:])
	}
	return s.load(addr, 8)
}

// integer returns the address of a constant integer in read-only data.
func integerOf(p *Program, v uint64) uint64 {
	a, ok := p.integers[v]
	if !ok {
		a = rodataBase + uint64(len(p.rodata))
		p.integers[v] = a
		p.rodata = binary.LittleEndian.AppendUint64(p.rodata, v)
	}
	return a
}
