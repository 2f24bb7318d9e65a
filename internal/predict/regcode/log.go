package regcode

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Log is a call of a method of package testing that prints operands: t.Log and its like. They are
// of basic types without methods, in an array of the call's own (library_fmt.go). The program
// cannot read what is printed. So the call behaves the same with other operands, and does not pin
// them (WA2).
type Log struct{ stores []*ssa.Store }

// logs are the methods.
var logs = map[string]bool{
	"(*testing.common).Log": true, "(*testing.common).Logf": true,
	"(*testing.common).Error": true, "(*testing.common).Errorf": true,
}

// logged returns the call as a Log, nil if it is none.
func logged(call *ssa.Call) *Log {
	callee := call.Call.StaticCallee()
	if callee == nil {
		return nil
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok || !logs[fn.FullName()] {
		return nil
	}
	_, stores, ok := variadic(call)
	if !ok {
		return nil
	}
	return &Log{stores}
}

// operands are the stores of the operands of a call of package fmt or testing.
func (in *Instr) operands() []*ssa.Store {
	switch {
	case in.Std != nil:
		return in.Std.stores
	case in.Log != nil:
		return in.Log.stores
	}
	return nil
}
