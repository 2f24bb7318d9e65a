package runtime

import (
	"internal/abi"
	"unsafe"
)

// Which pointers in a value the code of a mask may load, and so which a walk follows (D16 of package footprint): of a struct that a package of the program declares the fields that the mask has, which are in D then, and those
// that it names as ways, which the code loads from memory that it has made. All others lead the code nowhere. Everything else is followed: what is no field, and what is not loaded from memory where the walk finds it: copies in
// interfaces, maps (also where these have pointers to their elements) and channels.

// pgWays are the places of a value of a type from which a walk goes on, by number; those that have no bit are followed.
type pgWays uint64

const pgAllWays = ^pgWays(0)

func (w pgWays) has(i int) bool { return i >= 64 || w>>i&1 != 0 }

// ways returns those of a type, and whether there are any.
func (m pgMask) ways(t *_type) (w pgWays, leads bool) {
	w = pgAllWays
	x := pgTypeOf(t)
	_, all := m.find("*", "")
	for i := range x.n {
		switch {
		case all || i >= 64 || m.loads(t, x.op(i).off):
			leads = true
		default:
			w &^= 1 << i
		}
	}
	return w, leads
}

// leads reports whether code goes on from values of a type that it is given pointers to.
func (m pgMask) leads(x *pgType) bool {
	return x.n > 0 && (m.at == 0 || m.of(x.typ).leads)
}

// loads reports whether the code may load the pointer at an offset of a value of type t.
func (m pgMask) loads(t *_type, off uintptr) bool {
	for t.Kind() == abi.Struct {
		name := pgStructName(t)
		if !pgDeclared(t) {
			return true
		}
		if has, way := m.find(name, ""); way || has != pgUntouched {
			return true
		}
		f := pgFieldAt(t, off)
		has, way := m.find(name, f.Name.Name())
		if way || has&pgWholly != 0 {
			return true
		}
		switch f.Typ.Kind() {
		case abi.Struct:
			t, off = f.Typ, off-f.Offset
		case abi.Pointer, abi.Slice, abi.Map, abi.Func, abi.Interface:
			return has != pgUntouched || m.of(nil).asks && pgEmbeds(f)
		default: // elements have lines of their own, and channels and unsafe pointers are given to what synchronises
			return true
		}
	}
	return true
}

// pgFieldAt returns the field of a struct that has the byte at an offset.
func pgFieldAt(t *_type, off uintptr) (f *abi.StructField) {
	fields := (*abi.StructType)(unsafe.Pointer(t)).Fields
	for i := range fields {
		if f = &fields[i]; f.Offset <= off && off-f.Offset < f.Typ.Size_ {
			break
		}
	}
	return f
}

// pgDeclared reports whether a package declares a type that is traced, or left out and known by now. Other packages have code of which masks do not say what it loads. A time.Time is loaded as a whole.
func pgDeclared(t *_type) bool {
	if t.TFlag&abi.TFlagNamed == 0 {
		return false
	}
	path := toRType(t).pkgpath()
	return pgTracedPath(path) || pgOutsideOf(path) != 0 || path == "time" && toRType(t).name() == "Time"
}
