package instrument

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// heapKeeper writes calls that keep memory off the stack, where its address would change, and
// alive.
type heapKeeper struct {
	expr *expressions
	regs *registers
	out  *lines
}

// heap keeps the memory that a register points to off the stack, where its address would change.
func (hk *heapKeeper) heap(pointer string) {
	hk.out.putf("%s.Heap(%s.Pointer(%s))", rtName, unsafeName, pointer)
}

// keep is heap for a map, and for the elements of a slice.
func (hk *heapKeeper) keep(v ssa.Value) {
	switch plan.Core(v.Type()).(type) {
	case *types.Slice:
		hk.heap(fmt.Sprintf("%s.SliceData(%s)", unsafeName, hk.regs.names[v]))
	case *types.Map:
		hk.out.putf("{ m_ := %s; %s.Heap(*(*%s.Pointer)(%[3]s.Pointer(&m_))) }", hk.regs.names[v], rtName, unsafeName)
	}
}

// keepFunc keeps the captured variables of a function value off the stack. A literal of an excluded
// package is made here if the function that makes it was inlined. On the stack, its captured
// variables could not be found.
func (hk *heapKeeper) keepFunc(v ssa.Value) {
	if _, fn := v.Type().Underlying().(*types.Signature); fn {
		hk.out.putf("{ c_ := %s; %s.Heap(*(*%s.Pointer)(%[3]s.Pointer(&c_))) }", hk.expr.value(v), rtName, unsafeName)
	}
}

// keepAlive keeps the memory that arguments of a variadic parameter of type ...uintptr point to off
// the stack, and alive until the call has returned.
func (hk *heapKeeper) keepAlive(c *ssa.CallCommon) {
	for _, p := range hiddenPointers(c) {
		hk.heap(hk.expr.value(p))
	}
}

// keepReflected keeps a value alive while its address is only a number:
// unsafe.Pointer(v.UnsafeAddr()), or Pointer, of a reflect.Value v.
func (hk *heapKeeper) keepReflected(c *ssa.Convert) {
	call, ok := c.X.(*ssa.Call)
	if !ok || !isUnsafePointer(c.Type()) {
		return
	}
	if f := call.Call.StaticCallee(); f == nil || f.String() != "(reflect.Value).UnsafeAddr" && f.String() != "(reflect.Value).Pointer" {
		return
	}
	hk.out.putf("{ m_ := %s; %s.Heap(%s.Pointer(&m_)) }", hk.expr.value(call.Call.Args[0]), rtName, unsafeName)
}
