package plan

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// typed lists the functions of std whose effect the runtime side records, one typed
// record each, whatever function calls them. All functions of sync/atomic are typed.
var typed = map[string]bool{
	"(*sync.Mutex).Lock": true, "(*sync.Mutex).Unlock": true, "(*sync.Mutex).TryLock": true,
	"(*sync.RWMutex).Lock": true, "(*sync.RWMutex).Unlock": true, "(*sync.RWMutex).TryLock": true,
	"(*sync.RWMutex).RLock": true, "(*sync.RWMutex).RUnlock": true, "(*sync.RWMutex).TryRLock": true,
	"(*sync.WaitGroup).Add": true, "(*sync.WaitGroup).Done": true, "(*sync.WaitGroup).Wait": true, "(*sync.WaitGroup).Go": true,
	"(*sync.Once).Do":   true,
	"(*sync.Cond).Wait": true, "(*sync.Cond).Signal": true, "(*sync.Cond).Broadcast": true,
	"(*sync.Map).Load": true, "(*sync.Map).Store": true, "(*sync.Map).Swap": true, "(*sync.Map).Delete": true,
	"(*sync.Map).LoadOrStore": true, "(*sync.Map).LoadAndDelete": true, "(*sync.Map).CompareAndSwap": true, "(*sync.Map).CompareAndDelete": true,
}

// MapMethod returns the name of the typed operation of sync.Map that a function is, "" if it is
// none.
func MapMethod(fn *ssa.Function) string {
	if fn == nil {
		return ""
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || fn.Signature.Recv() == nil || obj.Pkg() == nil || obj.Pkg().Path() != "sync" {
		return "" // a method value has no receiver
	}
	if name := obj.FullName(); !strings.HasPrefix(name, "(*sync.Map).") || !typed[name] {
		return ""
	}
	return obj.Name()
}

// Typed reports whether calls of fn need no bracket, because the runtime side records
// what they do (PL4).
func Typed(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() {
	case "sync":
		return typed[obj.FullName()]
	case "sync/atomic": // the address at which a Value keeps its contents is unknown
		return !strings.HasPrefix(obj.FullName(), "(*sync/atomic.Value).")
	}
	return false
}

// Idle reports whether a call does nothing but let time pass.
func Idle(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil {
		return false
	}
	obj, ok := callee.Object().(*types.Func)
	if !ok {
		return false
	}
	name := obj.FullName()
	return name == "time.Sleep" || name == "runtime.Gosched"
}

// total lists functions of package time that have no effect, read no memory but their arguments,
// and never panic. Those that use the Location of a Time are not among them.
var total = map[string]bool{
	"time.Now": true, "time.Since": true, "time.Until": true,
	"(time.Time).Add": true, "(time.Time).Sub": true, "(time.Time).Round": true, "(time.Time).Truncate": true,
	"(time.Time).Before": true, "(time.Time).After": true, "(time.Time).Equal": true, "(time.Time).Compare": true,
	"(time.Time).IsZero": true, "(time.Time).UTC": true,
	"(time.Time).Unix": true, "(time.Time).UnixMilli": true, "(time.Time).UnixMicro": true, "(time.Time).UnixNano": true,
}

// ContextMethod returns the name of the method of a context.Context that a call calls, "" if it
// calls none.
func ContextMethod(c *ssa.CallCommon) string {
	if !c.IsInvoke() || c.Method.Pkg() == nil || c.Method.Pkg().Path() != "context" {
		return ""
	}
	recv := c.Method.Signature().Recv()
	if recv == nil || recv.Type().String() != "context.Context" {
		return ""
	}
	return c.Method.Name()
}

// WithCancel reports whether a call is one of context.WithCancel.
func WithCancel(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Name() == "WithCancel" && fn.String() == "context.WithCancel"
}

// TimerStop reports whether a call is the Stop of a time.Timer.
func TimerStop(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Name() == "Stop" && fn.String() == "(*time.Timer).Stop"
}

// Bubbles reports whether the program uses package testing/synctest. In its bubbles no time passes
// until all goroutines wait for something.
func (p *Plan) Bubbles() bool {
	return slices.ContainsFunc(p.funcs, func(f *Func) bool { return f.SSA != nil && f.SSA.Prog.ImportedPackage("testing/synctest") != nil })
}

// PoolGet reports whether a call is the Get of a sync.Pool. It calls the function New, and does not
// look at the objects.
func PoolGet(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil {
		return false
	}
	obj, ok := callee.Object().(*types.Func)
	return ok && obj.Name() == "Get" && obj.FullName() == "(*sync.Pool).Get"
}

// blind lists functions of the standard library that keep what they are given, and look at no
// memory but that of their own objects: what the program has stored elsewhere does not matter to
// them. They call no function of the program before they return.
var blind = map[string]bool{
	"(*sync.Pool).Put": true,
	"time.After":       true, "time.AfterFunc": true, "time.Tick": true,
	"time.NewTimer": true, "(*time.Timer).Stop": true, "(*time.Timer).Reset": true,
	"time.NewTicker": true, "(*time.Ticker).Stop": true, "(*time.Ticker).Reset": true,
}

// Blind reports whether a call is one of such a function. What Put gets must be a pointer: whoever
// gets another value from the Pool reads it without a record.
func Blind(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil {
		return false
	}
	obj, ok := callee.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg().Path() != "time" && obj.Pkg().Path() != "sync" || !blind[obj.FullName()] {
		return false
	}
	return obj.Name() != "Put" || BoxesPointer(c.Args[1])
}

// BoxesPointer reports whether a value is an interface that is made of a pointer.
func BoxesPointer(v ssa.Value) bool {
	x, ok := v.(*ssa.MakeInterface)
	if ok {
		_, ok = x.X.Type().Underlying().(*types.Pointer)
	}
	return ok
}

// Total reports whether a call does nothing but compute its results, from its arguments and the
// time, and always returns.
func Total(c *ssa.CallCommon) bool {
	fn, ok := c.Value.(*ssa.Function)
	if !ok {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && total[obj.FullName()]
}

// keepsNothing lists packages of the standard library whose functions retain no pointer argument
// and start no goroutine. Their results and effects depend on their arguments and random numbers.
var keepsNothing = map[string]bool{
	"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true,
	"strconv": true, "strings": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true, "errors": true, "path": true,
}

// Apart reports whether a call accesses no memory that the program can reach: its arguments lead to
// no memory, and its package retains none.
func Apart(c *ssa.CallCommon) bool {
	if Total(c) {
		return true
	}
	fn, ok := c.Value.(*ssa.Function)
	if !ok {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || slices.ContainsFunc(c.Args, func(a ssa.Value) bool { return leads(a.Type()) }) {
		return false
	}
	return keepsNothing[obj.Pkg().Path()] || Idle(c)
}

// leads reports whether a value of type t leads to memory that may be written.
func leads(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if leads(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return leads(u.Elem())
	}
	return true
}

// TypedDefer reports whether a deferred call is a typed operation, run with the site of its Defer
// (PL6).
func TypedDefer(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "close"
	}
	return Typed(c.StaticCallee())
}

// call is the part of the table for calls (PL4).
func (h *planner) call(ip *Instr, in *ssa.Call) {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		h.builtin(ip, in, b.Name())
		return
	}
	callee := in.Call.StaticCallee()
	if f := h.plan.Func(callee); f != nil && direct(callee) {
		ip.Call = true
		if f.Defers {
			ip.After = h.results(in)
		}
		return
	}
	ip.After = h.results(in)
	if Typed(callee) {
		ip.Call = true
		return
	}
	ip.Opaque, ip.Target, ip.Maybe = true, target(&in.Call), h.plan.MaybeTyped(&in.Call)
}

// Target says how a call finds its callee.
type Target uint8

const (
	Static      Target = iota // it is known, or only reflection could find it
	FuncValue                 // a function value
	MethodValue               // a method of an interface
)

func target(c *ssa.CallCommon) Target {
	if _, nothing := c.Value.(*ssa.Const); nothing { // it panics
		return Static
	}
	switch {
	case c.IsInvoke():
		if _, open := types.Unalias(c.Value.Type()).(*types.TypeParam); open || Open(c.Value.Type()) {
			return Static
		}
		return MethodValue
	case c.StaticCallee() != nil && !byWrapper(c.StaticCallee()):
		return Static
	}
	if _, ok := c.Value.Type().Underlying().(*types.Signature); !ok || Open(c.Value.Type()) {
		return Static
	}
	return FuncValue
}

// byWrapper reports whether a known function is a wrapper of SSA's, of a method value or
// expression: compilers have their own.
func byWrapper(fn *ssa.Function) bool {
	return strings.HasPrefix(fn.Synthetic, "bound") || strings.HasPrefix(fn.Synthetic, "thunk")
}

// MethodIndex is the number of a method in the order in which the compiler has the methods of an
// interface: exported ones first, then by name, then by package.
func MethodIndex(i *types.Interface, m *types.Func) int {
	n := 0
	for x := range i.Methods() {
		if x != m && before(x, m) {
			n++
		}
	}
	return n
}

func before(x, y *types.Func) bool {
	switch {
	case x.Exported() != y.Exported():
		return x.Exported()
	case x.Name() != y.Name():
		return x.Name() < y.Name()
	}
	return x.Pkg().Path() < y.Pkg().Path()
}

// direct reports whether a call of fn enters fn and not a wrapper around it.
func direct(fn *ssa.Function) bool {
	return fn.Origin() != nil || Key(fn) != ""
}

func (h *planner) builtin(ip *Instr, in *ssa.Call, name string) {
	args := in.Call.Args
	switch name {
	case "append":
		h.append(ip, in)
	case "copy":
		h.copy(ip, in)
	case "delete":
		ip.Before = []Hook{mapAccess(format.Write, args[0])}
	case "clear":
		h.clear(ip, in)
	case "len":
		h.length(ip, in)
	case "cap":
		if isChan(args[0].Type()) || isTypeParam(args[0].Type()) {
			ip.After = h.results(in)
		}
	case "close":
		ip.Call = true
	case "min", "max", "real", "imag", "complex":
		if !scalar(in.Type()) || !scalar(args[0].Type()) {
			ip.After = h.results(in)
		}
	case "String":
		ip.After = append(h.results(in), h.texts(in)...)
	case "recover", "Slice", "StringData", "SliceData", "Sizeof", "Alignof", "Offsetof":
		ip.After = h.results(in)
	case "Add", "print", "println", "ssa:wrapnilchk", "ssa:deferstack":
		// recomputed, or nothing to see
	default:
		panic("plan: no rule for builtin " + name)
	}
}

func (h *planner) append(ip *Instr, in *ssa.Call) {
	args := in.Call.Args
	s, ok := Core(in.Type()).(*types.Slice)
	if !ok || len(args) != 2 {
		ip.After = h.results(in)
		return
	}
	if isSlice(args[1].Type()) {
		ip.Before = []Hook{elements(format.Read, Elements, args[1], nil, s.Elem(), h.sizes)}
	}
	ip.After = append([]Hook{value(in, h.sizes)},
		elements(format.Read, AppendGrown, args[0], in, s.Elem(), h.sizes),
		elements(format.Write, AppendTail, args[0], in, s.Elem(), h.sizes))
}

func (h *planner) copy(ip *Instr, in *ssa.Call) {
	args := in.Call.Args
	ip.After = []Hook{value(in, h.sizes)}
	if s, ok := Core(args[1].Type()).(*types.Slice); ok {
		ip.After = append(ip.After, elements(format.Read, Copied, args[1], in, s.Elem(), h.sizes))
	}
	if s, ok := Core(args[0].Type()).(*types.Slice); ok {
		ip.After = append(ip.After, elements(format.Write, Copied, args[0], in, s.Elem(), h.sizes))
	}
}

func (h *planner) clear(ip *Instr, in *ssa.Call) {
	x := in.Call.Args[0]
	if s, ok := Core(x.Type()).(*types.Slice); ok {
		ip.After = []Hook{elements(format.Write, Elements, x, nil, s.Elem(), h.sizes)}
	} else if isMap(x.Type()) {
		ip.Before = []Hook{mapAccess(format.Write, x)}
	}
}

func (h *planner) length(ip *Instr, in *ssa.Call) {
	x := in.Call.Args[0]
	switch {
	case isTypeParam(x.Type()):
		ip.After = h.results(in)
	case isMap(x.Type()):
		ip.Before = []Hook{mapAccess(format.Read, x)}
		ip.After = h.results(in)
	case isChan(x.Type()):
		ip.After = []Hook{{Kind: format.ChanLen, Addr: x, Val: in, Index: -1, Case: -1, Type: in.Type(), Size: 8}}
	}
}
