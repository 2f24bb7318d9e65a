package runtime

import (
	"internal/abi"
	"unsafe"
)

// What values of each type lead to (presage_reach.go).

// values follows the pointers in n values of type t at p, which is memory that can be read.
func (r *pgWalk) values(p uintptr, x *pgType, n uintptr) {
	for ; n > 0 && x.n > 0 && !r.all; n-- {
		r.value(p, x)
		p += x.size
	}
}

// value follows the pointers in a value.
func (r *pgWalk) value(p uintptr, x *pgType) {
	for i := range x.n {
		o := x.op(i)
		at := p + o.off
		switch o.kind {
		case abi.Pointer:
			r.add(r.see(at), o.of(), 1, pgNoted)
		case abi.UnsafePointer:
			r.object(r.see(at), true)
		case abi.Slice:
			r.add(r.see(at), o.of(), r.see(at+16), pgNoted)
		case abi.Interface:
			r.boxed(at, o.some)
		case abi.Map:
			r.mapped(r.see(at), (*pgMapType)(unsafe.Pointer(o.typ)))
		case abi.Chan:
			r.channel(r.see(at))
		case abi.Func:
			r.function(r.see(at))
		case abi.Array:
			r.values(at, o.of(), o.n)
		}
	}
}

// boxed follows an interface. The value in it never changes, where it is not a pointer itself.
func (r *pgWalk) boxed(p uintptr, methods bool) {
	typ, data := r.see(p), p+8
	if typ == 0 {
		return
	}
	t := pgBoxed(typ, methods)
	if x := pgTypeOf(t); pgDirectIface(t) {
		r.values(data, x, 1)
	} else {
		r.add(r.see(data), x, 1, pgFrozen)
	}
}

// pgBoxed returns the type of what an interface holds, by its first word.
func pgBoxed(typ uintptr, methods bool) *_type {
	if methods {
		return (*abi.ITab)(unsafe.Pointer(typ)).Type
	}
	return (*_type)(unsafe.Pointer(typ))
}

// function follows what a closure has captured. What a traced one accesses is recorded when it
// does;
func (r *pgWalk) function(p uintptr) {
	if kind, _, _, _ := pgRegion(p); kind == pgHeap && !pgTraced(pgWord(p)) {
		if r.object(p, false); pgPulls(pgWord(p)) {
			r.all = true
		}
	}
}

// channel adds a channel, with what is in it or about to be.
func (r *pgWalk) channel(p uintptr) {
	if kind, _ := r.region(p); kind != pgHeap {
		return
	}
	c := (*hchan)(unsafe.Pointer(p))
	if r.depends(pgKey{p, uintptr(unsafe.Pointer(c.elemtype)), 0, pgChannel}) || !r.fresh(p, uintptr(unsafe.Pointer(c.elemtype)), 0) {
		return
	}
	r.note(p, 8)
	if !c.elemtype.Pointers() {
		return
	}
	elem := pgTypeOf(c.elemtype)
	lock(&c.lock)
	r.values(uintptr(c.buf), elem, uintptr(c.dataqsiz))
	if r.see(uintptr(unsafe.Pointer(&c.sendq.first))) != 0 {
		r.loose = true // where their values are, other words say
	}
	for sg := c.sendq.first; sg != nil && !r.all; sg = sg.next {
		if p := presageSudogElem(sg); p != nil {
			r.values(uintptr(p), elem, 1)
		}
	}
	unlock(&c.lock)
}

// mapped adds a map: its header stands for it in a trace; its entries are followed.
func (r *pgWalk) mapped(p uintptr, t *pgMapType) {
	kind, _ := r.region(p)
	switch kind {
	case pgHeap, pgVariable:
	case pgStack:
		r.loose = true
	default:
		return
	}
	m := (*pgMap)(unsafe.Pointer(p))
	if r.depends(pgKey{p, uintptr(unsafe.Pointer(t)), 0, pgMapped}) || !r.fresh(p, uintptr(unsafe.Pointer(t)), 0) {
		return
	}
	r.note(p, 8)
	dir, n := r.see(uintptr(unsafe.Pointer(&m.dir))), int(r.see(uintptr(unsafe.Pointer(&m.dirLen))))
	if n <= 0 {
		r.add(dir, pgTypeOf(t.Group), 1, 0)
		return
	}
	kind, end := r.region(dir)
	for at := dir; kind == pgHeap && at < min(end, dir+uintptr(n)*8) && !r.all; at += 8 {
		p := r.see(at)
		if kind, end := r.region(p); kind == pgHeap && end-p >= unsafe.Sizeof(pgTable{}) {
			x := (*pgTable)(unsafe.Pointer(p))
			r.add(r.see(uintptr(unsafe.Pointer(&x.groups))), pgTypeOf(t.Group), r.see(uintptr(unsafe.Pointer(&x.mask)))+1, 0)
		}
	}
}

// pgMap and pgTable are the beginnings of maps.Map and maps.table.
type pgMap struct {
	used   uint64
	seed   uintptr
	dir    uintptr
	dirLen int
}

type pgTable struct {
	_      uint64
	index  int
	groups uintptr
	mask   uintptr
}
