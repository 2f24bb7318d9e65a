package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Method returns the declared method that a wrapper made by package ssa stands for, nil if it is one of an interface.
func Method(wrapper *ssa.Function) *ssa.Function {
	obj, ok := wrapper.Object().(*types.Func)
	if !ok || obj.Signature().Recv() == nil || types.IsInterface(obj.Signature().Recv().Type()) {
		return nil
	}
	return wrapper.Prog.FuncValue(obj)
}
