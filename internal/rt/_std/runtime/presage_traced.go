package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// Which code is traced: what it accesses is recorded when it does, so walks do not follow what it has captured.

// pgTracedAnswers are answers of pgTraced: a pc, and whether.
var pgTracedAnswers [256]uintptr

// pgTraced reports whether the function at pc is instrumented.
func pgTraced(pc uintptr) bool {
	k := &pgTracedAnswers[pc>>4%256]
	if x := atomic.Loaduintptr(k); x>>1 == pc {
		return x&1 != 0
	}
	x := pc << 1
	if pgFindTraced(pc) {
		x |= 1
	}
	atomic.Storeuintptr(k, x)
	return x&1 != 0
}

// What the compiler has made (a method value, a promoted method) is of the package of its type, and calls anybody's code, but for the method values that have a line of their own.
func pgFindTraced(pc uintptr) bool {
	if f := findfunc(pc); f.valid() && f.funcID == abi.FuncIDWrapper && !pgTracedPath(funcname(f)) {
		return false
	}
	return pgTracedPath(pgPackage(pc))
}

// pgTracedPath reports whether all functions of a package are instrumented.
func pgTracedPath(path string) bool {
	traced := presageOutside.traced
	for i := 0; path != "" && i+len(path)+2 <= len(traced); i++ {
		if traced[i] == '\n' && traced[i+1+len(path)] == '\n' && traced[i+1:i+1+len(path)] == path {
			return true
		}
	}
	return false
}

// pgMethodsTraced reports whether all methods of a type are instrumented: those of embedded fields are those of their types, and of what an embedded interface holds.
func pgMethodsTraced(t *_type) bool {
	if t.Kind() == abi.Pointer {
		t = (*abi.PtrType)(unsafe.Pointer(t)).Elem
	}
	if t.Kind() == abi.Interface || t.TFlag&abi.TFlagNamed == 0 || !pgTracedPath(toRType(t).pkgpath()) {
		return false
	}
	if t.Kind() == abi.Struct {
		for i := range (*abi.StructType)(unsafe.Pointer(t)).Fields {
			f := &(*abi.StructType)(unsafe.Pointer(t)).Fields[i]
			if f.Name.IsEmbedded() && !pgMethodsTraced(f.Typ) {
				return false
			}
		}
	}
	return true
}
