package runtime

import "unsafe"

// What a pointer points into.
const (
	pgNowhere = iota
	pgHeap
	pgStack
	pgVariable
	pgConstant
	pgForeign // memory that the runtime does not manage
)

// pgRegion returns what p points into, and for the heap its object, else where that ends.
func pgRegion(p uintptr) (kind int, base, end uintptr, s *mspan) {
	if s = spanOf(p); s != nil {
		switch s.state.get() {
		case mSpanInUse:
			if p < s.base() || p >= s.limit {
				return pgNowhere, 0, 0, nil
			}
			base = s.base() + s.objIndex(p)*s.elemsize
			return pgHeap, base, base + s.elemsize, s
		case mSpanManual:
			return pgStack, s.base(), s.base() + s.npages*pageSize, s
		}
		return pgNowhere, 0, 0, nil
	}
	for m := &firstmoduledata; m != nil; m = m.next {
		switch {
		case m.noptrdata <= p && p < m.enoptrbss:
			return pgVariable, 0, m.enoptrbss, nil
		case m.text <= p && p < m.noptrdata:
			return pgConstant, 0, m.noptrdata, nil
		}
	}
	return pgForeign, 0, 0, nil
}

// pgOnStack reports whether p points into a stack.
func pgOnStack(p uintptr) bool {
	s := spanOf(p)
	return s != nil && s.state.get() == mSpanManual
}

// region is pgRegion, without the object: in what the last pointer pointed into, most times.
func (r *pgWalk) region(p uintptr) (kind int, end uintptr) {
	if s := r.near; s != nil && s.base() <= p && p < s.limit {
		return pgHeap, s.base() + (s.objIndex(p)+1)*s.elemsize
	}
	kind, _, end, s := pgRegion(p)
	if kind == pgHeap {
		r.near = s
	}
	return kind, end
}

func pgWord(p uintptr) uintptr { return *(*uintptr)(unsafe.Pointer(p)) }
