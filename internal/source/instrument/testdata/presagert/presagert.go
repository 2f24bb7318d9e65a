// Package presagert is a recorder for tests of emitted code: it records nothing, and panics when a record
// is written without room for it. As strict as the contract allows: every hook but W1, W2,
// W3 uses up the room.
package presagert

import (
	"reflect"
	"unsafe"
)

type G struct{ room int }

type Frame struct{ g *G }

func Enter(h uint64) *G               { return &G{} }
func (g *G) Outside() bool            { return true }
func (g *G) Call(site uint32)         { g.room = 0 }
func (g *G) Block(h uint64, need int) { g.room = need }
func (g *G) Room(need int)            { g.room = need }
func (g *G) W1(h uint64)              { g.take(1) }
func (g *G) W2(h, v uint64)           { g.take(2) }
func (g *G) Opaque(h uint64)          { g.room = 0 }
func (g *G) Depth() uint32            { return 0 }

func (g *G) Dynamic(h uint64, target uintptr) { g.room = 0 }
func Same[T any](x T) T                       { return x }
func Func[T any](f T) uintptr                 { return 0 }
func Method[T any](x T, i int) uintptr        { return 0 }

func (g *G) CallTyped(site uint32, typed bool)                     { g.room = 0 }
func (f Frame) ExitTyped(h uint64, outside *bool)                  { f.g.room = 0 }
func TypedFunc[T any](g *G, site uint32, f T) bool                 { return false }
func TypedMethod[T any](g *G, site uint32, x T, i int) bool        { return false }
func TypedParam[T any](g *G, site uint32, x T, method string) bool { return false }
func (g *G) OpaqueEnd(uint64, uint32)                              { g.room = 0 }
func (g *G) Exit(h uint64)                                         { g.room = 0 }
func (g *G) Frame() Frame                                          { return Frame{g} }
func (f Frame) Exit(h uint64)                                      { f.g.room = 0 }
func Val[T any](g *G, h uint64, x T)                               { g.room = 0 }

func (g *G) W3(h uint64, p unsafe.Pointer, v uint64)       { g.take(3) }
func (g *G) W4(h uint64, p unsafe.Pointer, v, w uint64)    { g.take(4) }
func (g *G) W5(h uint64, p unsafe.Pointer, v, w, x uint64) { g.take(5) }
func (g *G) Text(h uint64, p unsafe.Pointer, n uintptr)    {}
func (g *G) Mem(h uint64, p, q unsafe.Pointer, n uintptr)  { g.touch(q, n) }
func (g *G) Range(h uint64, p unsafe.Pointer, n uintptr)   { g.touch(p, n) }
func (g *G) Bytes(h uint64, q unsafe.Pointer, n uintptr)   { g.touch(q, n) }

func (g *G) ChanLen(h uint64, c unsafe.Pointer) int {
	g.room = 0
	if c == nil {
		return 0
	}
	return *(*int)(c) // qcount
}

func (g *G) take(n int) {
	g.room -= n
	if g.room < 0 {
		panic("presagert: no room for a record")
	}
}

var sum byte

// touch reads all n bytes, so that a wrong range faults.
func (g *G) touch(p unsafe.Pointer, n uintptr) {
	g.room = 0
	var s byte
	for i := uintptr(0); i < n; i++ {
		s += *(*byte)(unsafe.Add(p, i))
	}
	if s == 77 && never {
		sum = s
	}
}

var (
	never bool
	sink  unsafe.Pointer
)

type Var struct {
	P unsafe.Pointer
	N uintptr
}

func Vars(list []Var, first uint32, whole bool) {}

// Chans, Funcs and Conds would record what variables hold.
func Chans(list []unsafe.Pointer) {}
func Funcs(list []unsafe.Pointer) {}
func Conds(list []unsafe.Pointer) {}

func Heap(p unsafe.Pointer) {
	if never {
		sink = p
	}
}

type MapIter[K comparable, V any] struct {
	it *reflect.MapIter
	k  K
	v  V
}

func RangeMap[K comparable, V any, M ~map[K]V](m M) *MapIter[K, V] {
	return &MapIter[K, V]{it: reflect.ValueOf(m).MapRange()}
}

func (m *MapIter[K, V]) Next() (ok bool, k K, v V) {
	if !m.it.Next() {
		return
	}
	reflect.ValueOf(&m.k).Elem().SetIterKey(m.it)
	reflect.ValueOf(&m.v).Elem().SetIterValue(m.it)
	return true, m.k, m.v
}

// The gates; every other load and store is hidden.
func Gate(site uint32)                  {}
func Done(site uint32)                  {}
func Feed[T any](site, n uint32, v T) T { return v }

var odd bool

func GateAt(site uint32, p unsafe.Pointer, n uintptr) bool {
	odd = !odd
	return odd
}
func Peek[T any](p *T) T    { return *p }
func Poke[T any](p *T, v T) { *p = v }
