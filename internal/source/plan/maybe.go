package plan

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// MaybeTyped reports whether a call through a function value, an interface or a type parameter
// may be one of a typed operation (PL5). The recorder decides at run time (presage_typed.go).
func (p *Plan) MaybeTyped(c *ssa.CallCommon) bool {
	switch c.Value.(type) {
	case *ssa.Builtin, *ssa.Const:
		return false
	}
	sig := c.Signature()
	if sig.Variadic() || !p.runsTraced(c) {
		return false
	}
	if c.IsInvoke() {
		return c.Method.Exported() && maybeMethod(c.Method.Name(), sig)
	}
	return target(c) == FuncValue && maybeFunc(sig)
}

// MethodOfParam reports whether a call is of a method of a value whose type is a type parameter.
func MethodOfParam(c *ssa.CallCommon) bool {
	if !c.IsInvoke() {
		return false
	}
	_, param := types.Unalias(c.Value.Type()).(*types.TypeParam)
	return param
}

// runsTraced reports whether all functions that a call passes on are traced: sync.Once and
// sync.WaitGroup call what they are given, and that has no bracket of its own.
func (p *Plan) runsTraced(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		if _, ok := a.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		if f := codeOf(a); f == nil || p.Func(f) == nil || !direct(f) {
			return false
		}
	}
	return true
}

// maybeMethod reports whether some typed operation is a method of that name and signature.
func maybeMethod(name string, sig *types.Signature) bool {
	switch name {
	case "Lock", "Unlock", "RLock", "RUnlock", "Wait", "Done", "Signal", "Broadcast":
		return shape(sig) == "()"
	case "TryLock", "TryRLock":
		return shape(sig) == "()b"
	case "Go", "Do":
		return shape(sig) == "(f)"
	case "Load":
		return shape(sig) == "()x" || shape(sig) == "()b"
	case "Store":
		return shape(sig) == "(x)" || shape(sig) == "(b)"
	case "Swap", "And", "Or":
		return shape(sig) == "(x)x" || shape(sig) == "(b)b"
	case "Add":
		return shape(sig) == "(x)" || shape(sig) == "(x)x"
	case "CompareAndSwap":
		return shape(sig) == "(xx)b" || shape(sig) == "(bb)b"
	}
	return false
}

// maybeFunc reports whether some function value with that signature is of a typed operation: a
// method value, a method expression, or a function of sync/atomic.
func maybeFunc(sig *types.Signature) bool {
	if sig.Params().Len() == 0 && sig.Results().Len() <= 2 { // of sync.OnceValues, too
		return true
	}
	switch shape(sig) {
	case "(f)", "(x)", "(b)", "(x)x", "(b)b", "(xx)b", "(bb)b",
		"(xb)", "(xb)b", "(xbb)b", "(xf)", "(xx)", "(xx)x", "(xxx)b", "(x)b":
		return true
	}
	return false
}

// shape writes a signature with a letter for each parameter and result: b is a bool, f a func(),
// x another type that operations have, ? any other type.
func shape(sig *types.Signature) string {
	var b strings.Builder
	put := func(list *types.Tuple) {
		for v := range list.Variables() {
			b.WriteByte(letter(v.Type()))
		}
	}
	b.WriteByte('(')
	put(sig.Params())
	b.WriteByte(')')
	put(sig.Results())
	return b.String()
}

func letter(t types.Type) byte {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return 'x'
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool:
			return 'b'
		case types.Int, types.Int32, types.Int64, types.Uint32, types.Uint64, types.Uintptr, types.UnsafePointer:
			return 'x'
		}
	case *types.Pointer:
		return 'x'
	case *types.Interface:
		if u.Empty() {
			return 'x'
		}
	case *types.Signature:
		if u.Params().Len() == 0 && u.Results().Len() == 0 {
			return 'f'
		}
	}
	return '?'
}
