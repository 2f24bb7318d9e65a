package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// Where the pointers of a type are. A walk asks for each value that it comes to; so it is found
// once for each type, and kept: types never go.

// A pgType is a type, as walks see it: a list of what leads on.
type pgType struct {
	_    sys.NotInHeap
	next *pgType
	typ  *_type
	size uintptr
	n    int // if it is 0, values lead nowhere
	ops  uintptr
}

// A pgOp is one place of a value that leads on, or an array of such.
type pgOp struct {
	off  uintptr
	kind abi.Kind
	some bool    // of an interface: it has methods
	typ  *_type  // of what a pointer points to, of elements; else of the place
	to   *pgType // typ's, once it has been asked for
	n    uintptr // elements of an array
}

const (
	pgTypeSlots = 1 << 10
	pgUnrolled  = 4 // elements of an array that stand in the list one by one
)

var pgTypes [pgTypeSlots]uintptr // lists

// pgTypeOf returns what walks know of a type.
func pgTypeOf(t *_type) *pgType {
	head := &pgTypes[uint64(uintptr(unsafe.Pointer(t)))*0x9E3779B97F4A7C15>>54]
	for x := (*pgType)(unsafe.Pointer(atomic.Loaduintptr(head))); x != nil; x = x.next {
		if x.typ == t {
			return x
		}
	}
	x := (*pgType)(persistentalloc(unsafe.Sizeof(pgType{}), 8, &memstats.other_sys))
	x.typ, x.size = t, t.Size_
	x.list(t, 0) // counts
	if x.n > 0 {
		x.ops = uintptr(persistentalloc(uintptr(x.n)*unsafe.Sizeof(pgOp{}), 8, &memstats.other_sys))
		x.n = 0
		x.list(t, 0)
	}
	lock(&presage.mu)
	x.next = (*pgType)(unsafe.Pointer(*head))
	atomic.Storeuintptr(head, uintptr(unsafe.Pointer(x)))
	unlock(&presage.mu)
	return x
}

// pgLeads reports whether values of a type lead anywhere.
func pgLeads(t *_type) bool { return t.Pointers() && pgTypeOf(t).n > 0 }

// of returns what walks know of the type of a place.
func (o *pgOp) of() *pgType {
	if x := (*pgType)(atomic.Loadp(unsafe.Pointer(&o.to))); x != nil {
		return x
	}
	return o.asked()
}

// asked is of, for the first time.
//
//go:noinline
func (o *pgOp) asked() *pgType {
	x := pgTypeOf(o.typ)
	atomic.StorepNoWB(unsafe.Pointer(&o.to), unsafe.Pointer(x))
	return x
}

func (x *pgType) op(i int) *pgOp {
	return (*pgOp)(unsafe.Pointer(x.ops + uintptr(i)*unsafe.Sizeof(pgOp{})))
}

// list adds the places of a value of type t at an offset; it counts them as long as there is no
// memory for them.
func (x *pgType) list(t *_type, off uintptr) {
	if !t.Pointers() || pgOpaqueType(t) {
		return
	}
	o := pgOp{off: off, kind: t.Kind(), typ: t}
	switch o.kind {
	case abi.Struct:
		for i := range (*abi.StructType)(unsafe.Pointer(t)).Fields {
			f := &(*abi.StructType)(unsafe.Pointer(t)).Fields[i]
			x.list(f.Typ, off+f.Offset)
			if x.ops != 0 && f.Typ.Kind() == abi.UnsafePointer {
				x.op(x.n - 1).named(t)
			}
		}
		return
	case abi.Array:
		a := (*abi.ArrayType)(unsafe.Pointer(t))
		if a.Len <= pgUnrolled {
			for i := range a.Len {
				x.list(a.Elem, off+i*a.Elem.Size_)
			}
			return
		}
		if !pgLeads(a.Elem) {
			return
		}
		o.typ, o.n = a.Elem, a.Len
	case abi.Pointer:
		o.typ = (*abi.PtrType)(unsafe.Pointer(t)).Elem
	case abi.Slice:
		o.typ = (*abi.SliceType)(unsafe.Pointer(t)).Elem
	case abi.Interface:
		o.some = len((*abi.InterfaceType)(unsafe.Pointer(t)).Methods) > 0
	case abi.Map, abi.Chan, abi.Func, abi.UnsafePointer:
	default:
		return // a string: what it points to never changes
	}
	if x.ops != 0 {
		*x.op(x.n) = o
	}
	x.n++
}

// named sets what an unsafe pointer in a struct of type t points to, if t says so: an
// atomic.Pointer names its element.
func (o *pgOp) named(t *_type) {
	if elem := pgAtomicElem(t); elem != nil {
		o.kind, o.typ = abi.Pointer, elem
	}
}

// pgAtomicElem returns T if a struct is an atomic.Pointer[T], which its first field has the type
// of. Nodes of the trie of packages internal/sync and unique are of two types, of which this names
// one.
func pgAtomicElem(t *_type) *_type {
	fields := (*abi.StructType)(unsafe.Pointer(t)).Fields
	if t.TFlag&abi.TFlagNamed == 0 || toRType(t).pkgpath() != "sync/atomic" || !stringslite.HasPrefix(toRType(t).name(), "Pointer[") || len(fields) == 0 || fields[0].Typ.Kind() != abi.Array {
		return nil
	}
	p := (*abi.ArrayType)(unsafe.Pointer(fields[0].Typ)).Elem
	if p.Kind() != abi.Pointer {
		return nil
	}
	elem := (*abi.PtrType)(unsafe.Pointer(p)).Elem
	if path := toRType(elem).pkgpath(); path == "unique" || stringslite.HasPrefix(path, "internal/") {
		return nil
	}
	return elem
}

// pgOpaqueType reports whether values of a type are left alone: they synchronise by themselves, or
// never change.
func pgOpaqueType(t *_type) bool {
	if t.TFlag&abi.TFlagNamed == 0 || t.Kind() != abi.Struct {
		return false
	}
	switch toRType(t).pkgpath() {
	case "testing":
		switch toRType(t).name() {
		case "T", "B", "F", "common":
			return true
		}
	case "sync": // the runtime alone has what waits for a Cond
		return toRType(t).name() == "notifyList"
	case "time":
		return toRType(t).name() == "Location"
	case "regexp":
		return toRType(t).name() == "Regexp"
	case "internal/abi":
		return true
	}
	return false
}
