package regcode

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// AllOperands pins every operand.
const AllOperands = ^uint64(0)

// pinned returns the operands of an instruction that must keep their values (WA2),
// bit i for operand i: those that it dereferences, that its implicit checks test, and that it
// passes to code that is not walked.
func pinned(out *Instr, in ssa.Instruction) uint64 {
	if out.Op == OpBind || out.Op == OpPart { // no memory; an index is checked
		if _, ok := in.(*ssa.IndexAddr); ok {
			return 2
		}
		return 0
	}
	switch in := in.(type) {
	case *ssa.BinOp:
		return PinnedBinOp(in)
	case *ssa.UnOp:
		if in.Op == token.MUL || in.Op == token.ARROW {
			return 1 // nil
		}
	case *ssa.Store, *ssa.FieldAddr, *ssa.Send:
		return 1 // nil; the channel. The value that is stored or sent is in From
	case *ssa.IndexAddr:
		return 3 // nil, bounds
	case *ssa.Index, *ssa.Lookup:
		return 3 // bounds, the key
	case *ssa.MapUpdate:
		return 3 // nil; the key, which is hashed. The value is in From of the Write
	case *ssa.Slice, *ssa.SliceToArrayPointer, *ssa.MultiConvert, *ssa.MakeSlice, *ssa.MakeMap,
		*ssa.MakeChan, *ssa.MakeClosure, *ssa.Range, *ssa.Next, *ssa.Go, *ssa.Defer, *ssa.Panic, *ssa.If:
		return AllOperands
	case *ssa.Convert:
		// The content of a new []byte or []rune has no records of its own.
		if _, ok := plan.Core(in.Type()).(*types.Slice); ok {
			return AllOperands
		}
		if _, ok := plan.Core(in.X.Type()).(*types.Slice); ok {
			return AllOperands
		}
	case *ssa.TypeAssert:
		if !in.CommaOk {
			return AllOperands
		}
	case *ssa.Select:
		return pinnedSelect(in)
	case *ssa.Call:
		return pinnedCall(out, in)
	}
	return 0
}

// PinnedBinOp returns the operands of a binary operation that must keep their values: a divisor, a
// signed shift count, and operands whose comparison may panic, because their type is or contains an
// interface or a type parameter.
func PinnedBinOp(in *ssa.BinOp) uint64 {
	switch in.Op {
	case token.QUO, token.REM:
		if b, ok := in.X.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger != 0 {
			return 2
		}
	case token.SHL, token.SHR:
		if b, ok := in.Y.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsUnsigned == 0 {
			return 2
		}
	case token.EQL, token.NEQ:
		if isNilConst(in.X) || isNilConst(in.Y) {
			return 0
		}
		if comparesAlways(in.X.Type()) {
			return 0
		}
		return 3
	}
	return 0
}

// comparesAlways reports whether no comparison of values of type t panics.
func comparesAlways(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return comparesAlways(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !comparesAlways(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// pinnedSelect pins the channels; the values sent are in the From of the send.
func pinnedSelect(in *ssa.Select) uint64 {
	var m uint64
	for i := range min(32, len(in.States)) {
		m |= 1 << (2 * i)
	}
	if len(in.States) > 31 {
		return AllOperands
	}
	return m
}

func pinnedCall(out *Instr, in *ssa.Call) uint64 {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			switch plan.Core(in.Call.Args[0].Type()).(type) {
			case *types.Map, *types.Chan, *types.Interface:
				return AllOperands
			}
			return 0
		case "min", "max", "real", "imag", "complex", "Add", "StringData", "SliceData":
			return 0
		case "print", "println": // nothing reads what they write
			return 0
		}
		if out.Appends { // the slice is in Where (WA5)
			return AllOperands &^ 2
		}
		return AllOperands
	}
	switch {
	case out.Std != nil && !out.Std.Fn.Panics: // the slice of a call of fmt is the call's own
		return 0 // the call is evaluated (WA6)
	case plan.Total(&in.Call) && out.Op != OpCall: // the result depends on the arguments
		return 0
	case out.Log != nil: // the slice is the call's own, and nothing reads what is printed
		return AllOperands &^ (1 << len(in.Call.Args))
	case out.Op == OpCall:
		return 0 // the arguments are the callee's parameters
	case out.Atomic && !out.CompareAndSwap:
		return 2 // the address; what is written is in From
	}
	return AllOperands
}
