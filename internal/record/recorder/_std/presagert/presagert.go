// Package presagert has the hooks that presage's instrumentation puts into a
// program. It is for generated code only.
package presagert

import (
	"internal/abi"
	"internal/runtime/maps"
	"internal/runtime/sys"
	"runtime"
	"unsafe"
)

// G is the recorder of a goroutine, Frame the frame of a function with defers.
type (
	G     = runtime.PresageG
	Frame = runtime.PresageFrame
)

// Enter records the entry of a function and returns the recorder of the goroutine.
func Enter(h uint64) *G { return runtime.PresageEnter(h) }

// inlined calls the hooks so that the compiler keeps their bodies in the export data of this
// package, where it finds them when it compiles a package that does not import runtime.
func inlined(g *G) {
	g.Outside()
	g.Call(0)
	g.Block(0, 0)
	g.Room(0)
	g.W1(0)
	g.W2(0, 0)
	g.W3(0, nil, 0)
	g.W4(0, nil, 0, 0)
	g.W5(0, nil, 0, 0, 0)
	g.OpaqueEnd(0, g.Depth())
	g.Exit(0)
	g.Frame().Exit(0)
	g.Frame().Over()
	g.Back()
	g.Point(0, nil, 0, false)
}

// Val records a value of any type.
func Val[T any](g *G, h uint64, x T) {
	g.Bytes(h, unsafe.Pointer(&x), unsafe.Sizeof(x))
}

// Reach adds to what the call under way can reach what x leads to.
func Reach[T any](g *G, x T) { g.Reach(abi.TypeFor[T](), unsafe.Pointer(&x)) }

// Known adds what x leads to to what missing code can reach that has called the innermost function.
func Known[T any](g *G, x T) { g.Known(abi.TypeFor[T](), unsafe.Pointer(&x)) }

// KnownAtEnd is Known for a function that has defers, when all others have run. x are addresses of
// its results.
func KnownAtEnd[T any](f Frame, x T) {
	if f.Back() {
		f.Known(abi.TypeFor[T](), unsafe.Pointer(&x))
	}
}

// Deferred begins a deferred call into package pkg of those that are left out, by a function of the
// depth given. What it is given is x.
func Deferred[T any](g *G, h, pkg uint64, depth uint32, roots bool, x T) {
	if pkg != 0 {
		g.MethodDeferred(h, pkg, depth)
		g.Reach(abi.TypeFor[T](), unsafe.Pointer(&x))
		g.MethodBegun(roots)
	}
}

// A Pair is two values.
type Pair[A, B any] struct {
	A A
	B B
}

// Both returns two values as one.
func Both[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }

// Outside tells the recorder of a package that is left out: its path as names of functions have it.
// The result is for the variable whose initialisation calls it.
func Outside(index uint64, path, traced string, roots interface{ Roots() []any }, some func()) struct{} {
	runtime.PresageOutside(index, path, traced, roots.Roots(), some)
	return struct{}{}
}

// Traced tells the recorder which packages are traced, where none is left out.
func Traced(traced string) { runtime.PresageTraced(traced) }

// Func returns where the code of a function value begins; 0 for nil.
func Func[T any](f T) uintptr {
	p := *(**uintptr)(unsafe.Pointer(&f))
	if p == nil {
		return 0
	}
	return *p
}

// Same returns x, and the compiler does not know.
//
//go:noinline
func Same[T any](x T) T { return x }

// Method returns where the code of method i of an interface begins, in the order that the compiler
// gives them, plus one if the interface holds no pointer, but a value, which never changes; 0 for
// nil.
func Method[T any](x T, i int) uintptr {
	tab := *(**abi.ITab)(unsafe.Pointer(&x))
	if tab == nil {
		return 0
	}
	target := *(*uintptr)(unsafe.Add(unsafe.Pointer(&tab.Fun), i*8))
	if tab.Type.Kind() != abi.Pointer {
		target++
	}
	return target
}

// TypedFunc reports whether a call of a function value is one of a typed operation. Then the site
// of the call is remembered.
func TypedFunc[T any](g *G, site uint32, f T) bool {
	return g.TypedFunc(site, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
}

// TypedMethod is TypedFunc for a call of method i of an interface.
func TypedMethod[T any](g *G, site uint32, x T, i int) bool {
	target := Method(x, i)
	return target != 0 && g.TypedMethod(site, target, (*(**abi.ITab)(unsafe.Pointer(&x))).Type)
}

// TypedParam is TypedFunc for a call of a method of a value whose type is a type parameter.
func TypedParam[T any](g *G, site uint32, x T, method string) bool {
	t := abi.TypeFor[T]()
	if t.Kind() == abi.Interface { // with methods
		tab := *(**abi.ITab)(unsafe.Pointer(&x))
		if tab == nil {
			return false
		}
		t = tab.Type
	}
	return g.TypedNamed(site, t, method)
}

var (
	never bool
	sink  unsafe.Pointer
)

// A Var is a package-level variable.
type Var = runtime.PresageVar

// Vars gives the recorder the variables of an emitted file, of which the first has the number
// first, and tells it of the package: whole if none of its functions was left as written. It keeps
// the slice.
//
//go:noinline
func Vars(list []Var, first uint32, whole bool) {
	runtime.PresageVars(list, first, whole, sys.GetCallerPC())
}

// Chans, Funcs and Conds give the recorder the variables of channel type, of function type and of
// type *sync.Cond of an emitted file. It keeps the slice.
func Chans(list []unsafe.Pointer) { runtime.PresageChans(list) }
func Funcs(list []unsafe.Pointer) { runtime.PresageFuncs(list) }
func Conds(list []unsafe.Pointer) { runtime.PresageConds(list) }

// Heap keeps what p points to out of the stack.
func Heap(p unsafe.Pointer) {
	if never {
		sink = p
	}
}

// MapIter is the iterator of a range loop over a map.
type MapIter[K comparable, V any] struct {
	it maps.Iter
}

// RangeMap returns an iterator over m.
func RangeMap[K comparable, V any, M ~map[K]V](m M) *MapIter[K, V] {
	i := new(MapIter[K, V])
	typ := (*mapType)(unsafe.Pointer(abi.TypeOf(m)))
	i.it.Init(typ, *(**maps.Map)(unsafe.Pointer(&m)))
	return i
}

// Next returns the next entry; ok is false after the last.
func (i *MapIter[K, V]) Next() (ok bool, k K, v V) {
	i.it.Next()
	p := (*K)(i.it.Key())
	if p == nil {
		return
	}
	return true, *p, *(*V)(i.it.Elem())
}
