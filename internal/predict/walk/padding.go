package walk

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// meaning says what the bits of the memory image of a type mean, word by word.
type meaning struct {
	bits   []uint64    // those that are not padding
	floats []floatWord // where floating-point numbers stand; nil: nowhere
}

// floatWord is the floating-point numbers in one word.
type floatWord struct{ low32, high32, all64 bool }

// differ reports whether two values of type t differ in a byte that has a meaning. Padding and
// blank fields have the earlier content of memory. Two NaN are equal (WA1).
func (w *Walker) differ(t types.Type, sizes types.Sizes, a, b goval.Value, size int64) bool {
	m := w.meaning(t, sizes, size)
	for i := range m.bits {
		x, ok := a.Word(i)
		y, ok2 := b.Word(i)
		if !ok || !ok2 || (x^y)&m.bits[i] == 0 {
			continue
		}
		if m.floats == nil || m.floats[i].without(x, y)&m.bits[i] != 0 {
			return true
		}
	}
	return false
}

// without returns the bits in which x and y differ, without those of numbers that are NaN in both.
func (f floatWord) without(x, y uint64) uint64 {
	diff := x ^ y
	nan32 := func(a, b uint64) bool {
		return goval.IsNaN(types.Float32, goval.Known(a&goval.Mask(4))) && goval.IsNaN(types.Float32, goval.Known(b&goval.Mask(4)))
	}
	if f.all64 && goval.IsNaN(types.Float64, goval.Known(x)) && goval.IsNaN(types.Float64, goval.Known(y)) {
		return 0
	}
	if f.low32 && nan32(x, y) {
		diff &^= goval.Mask(4)
	}
	if f.high32 && nan32(x>>32, y>>32) {
		diff &= goval.Mask(4)
	}
	return diff
}

// meaning returns what the bits of a type mean. Where a type parameter makes the layout, any of
// them may be padding.
func (w *Walker) meaning(t types.Type, sizes types.Sizes, size int64) *meaning {
	if m, ok := w.meanings[t]; ok {
		return m
	}
	m := &meaning{bits: make([]uint64, (size+7)/8)}
	m.mark(t, sizes, 0)
	w.meanings[t] = m
	return m
}

// padding returns the bytes without a meaning of an access, which begins at byte off and has size
// bytes of what a hook covers: one value, or several elements.
func (w *Walker) padding(h *plan.Hook, sizes types.Sizes, off, size int64) (bytes uint8) {
	switch h.Type.Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return 0
	}
	if h.Extent == plan.MapObject || plan.Open(h.Type) {
		return 0
	}
	n := sizes.Sizeof(h.Type)
	if n == 0 {
		return 0
	}
	m := w.meaning(h.Type, sizes, n)
	for i := range min(size, 8) {
		at := (off + i) % n
		if m.bits[at/8]>>(8*(at%8))&0xff == 0 {
			bytes |= 1 << i
		}
	}
	return bytes
}

// mark notes the bits of a value of type t at byte off.
func (m *meaning) mark(t types.Type, sizes types.Sizes, off int64) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		var vars []*types.Var // before the first whose layout is not known
		for v := range u.Fields() {
			if plan.Open(v.Type()) {
				break
			}
			vars = append(vars, v)
		}
		for i, at := range sizes.Offsetsof(vars) {
			if vars[i].Name() != "_" {
				m.mark(vars[i].Type(), sizes, off+at)
			}
		}
	case *types.Array:
		if plan.Open(u.Elem()) {
			return
		}
		n := sizes.Sizeof(u.Elem())
		for i := range u.Len() {
			if off+i*n >= int64(len(m.bits))*8 {
				return
			}
			m.mark(u.Elem(), sizes, off+i*n)
		}
	default:
		if !plan.Open(t) {
			m.full(off, sizes.Sizeof(t))
			m.numbers(goval.KindOf(t), off)
		}
	}
}

func (m *meaning) full(off, size int64) {
	for i := off; i < off+size && i/8 < int64(len(m.bits)); {
		n := min(8-i%8, off+size-i)
		m.bits[i/8] |= goval.Mask(n) << (8 * (i % 8))
		i += n
	}
}

// numbers notes the floating-point numbers of a value of kind k at byte off.
func (m *meaning) numbers(k types.BasicKind, off int64) {
	switch k {
	case types.Complex64:
		m.numbers(types.Float32, off)
		m.numbers(types.Float32, off+4)
		return
	case types.Complex128:
		m.numbers(types.Float64, off)
		m.numbers(types.Float64, off+8)
		return
	case types.Float32, types.Float64:
	default:
		return
	}
	if off/8 >= int64(len(m.bits)) {
		return
	}
	if m.floats == nil {
		m.floats = make([]floatWord, len(m.bits))
	}
	switch w := &m.floats[off/8]; {
	case k == types.Float64:
		w.all64 = true
	case off%8 == 0:
		w.low32 = true
	default:
		w.high32 = true
	}
}
