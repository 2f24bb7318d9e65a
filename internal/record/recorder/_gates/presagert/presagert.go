// Package presagert has the gates that presage's instrumentation puts into a program that is
// replayed. It is for generated code only.
package presagert

import (
	"internal/abi"
	"internal/race"
	"internal/runtime/maps"
	"runtime"
	"unsafe"
)

// Gate stands before what has a record, and holds its goroutine until its turn.
func Gate(site uint32) { runtime.PresageGate(site) }

// GateAt is Gate before an access to n bytes at p. It reports whether the race detector is not to
// see the access.
func GateAt(site uint32, p unsafe.Pointer, n uintptr) bool { return runtime.PresageGateAt(site, p, n) }

// Peek is a load that the race detector does not see.
//
//go:norace
//go:noinline
func Peek[T any](p *T) T { return *p }

// Poke is a store that it does not see.
//
//go:norace
//go:noinline
func Poke[T any](p *T, v T) { *p = v }

// Feed returns the nth value of the call at a site in the recorded run, v if there is none.
func Feed[T any](site, n uint32, v T) T {
	if x, ok := runtime.PresageFed(site, n); ok {
		switch p := unsafe.Pointer(&v); unsafe.Sizeof(v) {
		case 1:
			*(*uint8)(p) = uint8(x)
		case 2:
			*(*uint16)(p) = uint16(x)
		case 4:
			*(*uint32)(p) = uint32(x)
		case 8:
			*(*uint64)(p) = x
		}
	}
	return v
}

// Done follows the operation.
func Done(site uint32) { runtime.PresageDone(site) }

var (
	never bool
	sink  unsafe.Pointer
)

// Heap keeps what p points to out of the stack.
func Heap(p unsafe.Pointer) {
	if never {
		sink = p
	}
}

// MapIter is the iterator of a range loop over a map.
type MapIter[K comparable, V any] struct {
	it maps.Iter
	m  unsafe.Pointer
}

// RangeMap returns an iterator over m.
func RangeMap[K comparable, V any, M ~map[K]V](m M) *MapIter[K, V] {
	i := new(MapIter[K, V])
	i.m = *(*unsafe.Pointer)(unsafe.Pointer(&m))
	typ := (*mapType)(unsafe.Pointer(abi.TypeOf(m)))
	i.it.Init(typ, (*maps.Map)(i.m))
	return i
}

// Next returns the next entry; ok is false after the last. To the race detector it is a read of
// the map, as a range loop is.
func (i *MapIter[K, V]) Next() (ok bool, k K, v V) {
	if i.m != nil {
		race.Read(i.m)
	}
	i.it.Next()
	p := (*K)(i.it.Key())
	if p == nil {
		return
	}
	return true, *p, *(*V)(i.it.Elem())
}
