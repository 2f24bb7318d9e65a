package runtime

import (
	"internal/abi"
	"unsafe"
)

// Masks that are of all methods that are left out and may be called (D12 of package footprint): those of a type that a walk comes to, they have.

// left reports whether a mask is one of these.
func (m pgMask) left() bool { return m.line("left", "") != pgUntouched }

// pgTypeLeftOut reports whether a type, or what it points to, is declared in a package that is left out. What wrappers of its methods do the mask has.
func pgTypeLeftOut(t *_type) bool {
	if t.Kind() == abi.Pointer {
		t = (*abi.PtrType)(unsafe.Pointer(t)).Elem
	}
	return t.TFlag&abi.TFlagNamed != 0 && pgOutsideOf(toRType(t).pkgpath()) != 0
}
