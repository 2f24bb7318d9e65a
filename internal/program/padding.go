package program

import (
	"go/types"

	"presage/internal/plan"
)

// differ reports whether two values of type t differ in a byte that means something: padding
// and blank fields hold what was in memory before.
func (w *Walker) differ(t types.Type, sizes types.Sizes, a, b Value, size int64) bool {
	m := w.meaning(t, sizes, size)
	for i := range m {
		x, ok := a.Word(i)
		y, ok2 := b.Word(i)
		if ok && ok2 && (x^y)&m[i] != 0 {
			return true
		}
	}
	return false
}

// meaning returns the bits of a type's memory image that are not padding, word by word. Where a type parameter makes the
// layout, any of them may be.
func (w *Walker) meaning(t types.Type, sizes types.Sizes, size int64) []uint64 {
	if m, ok := w.maskCache[t]; ok {
		return m
	}
	m := make([]uint64, (size+7)/8)
	mark(m, t, sizes, 0)
	w.maskCache[t] = m
	return m
}

// mark sets the bits of a value of type t at byte off.
func mark(m []uint64, t types.Type, sizes types.Sizes, off int64) {
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
				mark(m, vars[i].Type(), sizes, off+at)
			}
		}
	case *types.Array:
		if plan.Open(u.Elem()) {
			return
		}
		n := sizes.Sizeof(u.Elem())
		for i := range u.Len() {
			if off+i*n >= int64(len(m))*8 {
				return
			}
			mark(m, u.Elem(), sizes, off+i*n)
		}
	default:
		if !plan.Open(t) {
			full(m, off, sizes.Sizeof(t))
		}
	}
}

func full(m []uint64, off, size int64) {
	for i := off; i < off+size && i/8 < int64(len(m)); {
		n := min(8-i%8, off+size-i)
		m[i/8] |= mask(n) << (8 * (i % 8))
		i += n
	}
}
