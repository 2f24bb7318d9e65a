package footprint

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Whose synchronisation it is that code does, and whether its D has all that it touches: rules W1 to W6.

// other notes why the synchronisation of the code may not be its own, or why it may touch what its mask does not tell.
func (m *Mask) other(format string, args ...any) {
	if m.Other == "" {
		m.Other = fmt.Sprintf(format, args...)
	}
}

// owns looks at an instruction.
func (k *Masker) owns(m *Mask, in ssa.Instruction) {
	k.names(m, in)
	switch in := in.(type) {
	case *ssa.UnOp:
		switch {
		case in.Op == token.ARROW:
			m.passed(in.X.Type())
		case in.Op == token.MUL && pointers(in.Type()) && !private(in.X):
			m.Grows = true
		}
	case *ssa.Store:
		m.Grows = m.Grows || pointers(in.Val.Type()) && !private(in.Addr)
	case *ssa.MapUpdate:
		m.Grows = m.Grows || pointers(in.Key.Type()) || pointers(in.Value.Type())
	case *ssa.Lookup:
		m.Grows = m.Grows || pointers(in.Type())
	case *ssa.Next:
		t := in.Type().(*types.Tuple)
		m.Grows = m.Grows || pointers(t.At(1).Type()) || pointers(t.At(2).Type())
	case *ssa.Send:
		m.passed(in.Chan.Type())
	case *ssa.Select:
		for _, s := range in.States {
			m.passed(s.Chan.Type())
		}
	case *ssa.Go:
		// started looks at it
	case ssa.CallInstruction:
		k.ownCall(m, in)
	}
}

// names is (W2) for functions that an instruction names, and does not call.
func (k *Masker) names(m *Mask, in ssa.Instruction) {
	var called ssa.Value
	if call, ok := in.(ssa.CallInstruction); ok {
		called = call.Common().Value
	}
	for _, o := range in.Operands(nil) {
		fn, ok := (*o).(*ssa.Function)
		if ok && *o != called && k.body(fn) == nil && (fn.Pkg == nil || !k.Program.traced(fn.Pkg.Pkg.Path())) {
			m.other("%s may be called", fn)
		}
	}
}

// passed is (W3) for a channel.
func (m *Mask) passed(t types.Type) {
	if c, ok := types.Unalias(t).Underlying().(*types.Chan); !ok || pointers(c.Elem()) {
		m.other("pointers go through a channel")
	}
}

// ownCall is (W1) to (W3) for a call.
func (k *Masker) ownCall(m *Mask, in ssa.CallInstruction) {
	com := in.Common()
	if b, ok := com.Value.(*ssa.Builtin); ok {
		m.ownBuiltin(b.Name(), com.Args)
		return
	}
	fn := com.StaticCallee()
	if fn != nil && fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn == nil { // (W2); what it calls, the recorder looks at
		if pointers(com.Signature().Params()) || pointers(com.Signature().Results()) {
			m.other("%v is given pointers, or returns some", com)
		}
		return
	}
	name, pkg := callee(com)
	switch {
	case !k.Traced(in) && k.body(fn) != nil: // a part of the code
	case pkg == "sync":
		if !ownSync[name] {
			m.other("%s", name)
		}
	case pkg == "sync/atomic":
		m.atomic(com, name)
	case isIdle(fn):
		if pointers(com.Signature().Params()) || pointers(com.Signature().Results()) || com.Signature().Recv() != nil {
			m.other("%s", name)
		}
	case pkg == "" || k.Program.traced(pkg): // (W2)
		if pointers(com.Signature().Params()) || pointers(com.Signature().Results()) || com.Signature().Recv() != nil || len(fn.FreeVars) > 0 {
			m.other("%v is given pointers, or returns some", com)
		}
	case k.Program.module(pkg):
		m.other("%s is not known", name)
	default:
		m.library(com, name, pkg)
	}
}

// ownBuiltin is (W3) and (W6) for a builtin function.
func (m *Mask) ownBuiltin(name string, args []ssa.Value) {
	switch name {
	case "copy":
		s, ok := types.Unalias(args[0].Type()).Underlying().(*types.Slice)
		m.Grows = m.Grows || !ok || pointers(s.Elem())
	case "recover":
		m.Grows = true
	case "len":
		if _, ok := types.Unalias(args[0].Type()).Underlying().(*types.Chan); ok {
			m.other("the length of a channel is not recorded")
		}
	}
}

// ownSync are the operations of package sync that keep nothing, and call nothing but what they are given by (W2).
var ownSync = map[string]bool{
	"(*sync.Mutex).Lock": true, "(*sync.Mutex).Unlock": true, "(*sync.Mutex).TryLock": true,
	"(*sync.RWMutex).Lock": true, "(*sync.RWMutex).Unlock": true, "(*sync.RWMutex).TryLock": true,
	"(*sync.RWMutex).RLock": true, "(*sync.RWMutex).RUnlock": true, "(*sync.RWMutex).TryRLock": true,
	"(*sync.WaitGroup).Add": true, "(*sync.WaitGroup).Done": true, "(*sync.WaitGroup).Wait": true, "(*sync.Once).Do": true,
}

// atomic is (W3) for package sync/atomic: numbers.
func (m *Mask) atomic(com *ssa.CallCommon, name string) {
	sig := com.Signature()
	at := sig.Recv()
	if at == nil && sig.Params().Len() > 0 {
		at = sig.Params().At(0)
	}
	if at != nil {
		switch t := types.Unalias(deref(at.Type())).(type) {
		case *types.Basic:
			if !pointers(t) {
				return
			}
		case *types.Named:
			if s, ok := t.Underlying().(*types.Struct); ok && t.TypeArgs().Len() == 0 && !pointers(s) {
				return
			}
		}
	}
	m.other("%s is of more than numbers", name)
}

// library is (W1).
func (m *Mask) library(com *ssa.CallCommon, name, pkg string) {
	e, state := lookup(name, pkg)
	if state != "" {
		m.other("%s has a state of its own", name)
		return
	}
	for _, a := range com.Args {
		if opens(a.Type(), map[types.Type]bool{}) {
			m.other("%s may call, or look into, what it is given", name)
			return
		}
	}
	m.Grows = m.Grows || pointers(com.Signature().Results())
	if e.effect == Write {
		for _, a := range com.Args {
			m.Grows = m.Grows || inward(a.Type())
		}
	}
}

// inward reports whether memory that a value of type t points to has pointers in it.
func inward(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return pointers(u.Elem())
	case *types.Slice:
		return pointers(u.Elem())
	}
	return pointers(t)
}

// opens reports whether values of type t lead to functions, interfaces, channels, or what has no type.
func opens(t types.Type, seen map[types.Type]bool) bool {
	if t = types.Unalias(t); seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return opens(u.Elem(), seen)
	case *types.Slice:
		return opens(u.Elem(), seen)
	case *types.Array:
		return opens(u.Elem(), seen)
	case *types.Map:
		return opens(u.Key(), seen) || opens(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if opens(u.Field(i).Type(), seen) {
				return true
			}
		}
		return false
	}
	return true
}

// pointers reports whether a value of type t may have pointers in it, that of a string aside.
func pointers(t types.Type) bool {
	if isTypeParam(t) {
		return true
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Name() == "Time" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" {
		return false // what it points to never changes
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return pointers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if pointers(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for i := range u.Len() {
			if u.At(i) != nil && pointers(u.At(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// private reports whether an address is in a variable of the function that nobody else has.
func private(v ssa.Value) bool {
	a, ok := base(v).(*ssa.Alloc)
	return ok && !a.Heap
}

// base is what an address is a part of.
func base(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		default:
			return v
		}
	}
}

// started is (W4) for the go statements of a function, if it has any: memory that the function has made, and that the goroutine may have, it does not touch afterwards.
func (k *Masker) started(m *Mask, fn *ssa.Function) bool {
	after := afterGo(fn)
	if after == nil {
		return false
	}
	if pointers(fn.Signature.Results()) {
		m.other("what a goroutine has may be returned")
	}
	for _, in := range after {
		for _, v := range pointing(touchedBy(in)) {
			switch b := base(v).(type) {
			case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Const:
			case *ssa.Alloc:
				if b.Heap {
					m.other("a goroutine may have %v", b)
				}
			default:
				m.other("a goroutine may have %v", b)
			}
		}
		if call, ok := in.(ssa.CallInstruction); ok && !k.Traced(call) {
			if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin {
				if _, again := in.(*ssa.Go); !again {
					m.other("a call after a go statement")
				}
			}
		}
	}
	return true
}

// afterGo returns the instructions that may be executed after a go statement of the function; nil if it has none.
func afterGo(fn *ssa.Function) (after []ssa.Instruction) {
	var list []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	for _, b := range fn.Blocks {
		from := -1
		for i, in := range b.Instrs {
			if _, ok := in.(*ssa.Go); ok && from < 0 {
				from = i
			}
		}
		if from >= 0 {
			after = append(after, b.Instrs[from:]...)
			list = append(list, b.Succs...)
		}
	}
	for len(list) > 0 {
		b := list[len(list)-1]
		if list = list[:len(list)-1]; !seen[b] {
			seen[b] = true
			after = append(after, b.Instrs...)
			list = append(list, b.Succs...)
		}
	}
	return after
}

// touchedBy returns the addresses that an instruction touches by itself.
func touchedBy(in ssa.Instruction) []ssa.Value {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op == token.MUL {
			return []ssa.Value{in.X}
		}
	case *ssa.Store:
		return []ssa.Value{in.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{in.Map}
	case *ssa.Lookup:
		return []ssa.Value{in.X}
	case *ssa.Range:
		return []ssa.Value{in.X}
	case *ssa.SliceToArrayPointer:
		return []ssa.Value{in.X}
	case *ssa.Convert:
		if _, ok := in.X.Type().Underlying().(*types.Slice); ok {
			return []ssa.Value{in.X}
		}
	case ssa.CallInstruction:
		if _, ok := in.Common().Value.(*ssa.Builtin); ok {
			return in.Common().Args
		}
	}
	return nil
}

func pointing(list []ssa.Value) (some []ssa.Value) {
	for _, v := range list {
		if pointers(v.Type()) {
			some = append(some, v)
		}
	}
	return some
}
