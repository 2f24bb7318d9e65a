package plan

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// stackName returns the name of fn as Go's stack traces print it.
func stackName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return stackName(fn.Parent()) + litSuffix(fn)
	}
	path := ""
	if fn.Pkg != nil {
		path = fn.Pkg.Pkg.Path()
	}
	generic := ""
	if fn.TypeParams().Len() > 0 {
		generic = "[...]"
	}
	name, _, _ := strings.Cut(fn.Name(), "#") // init#1 is init.0 there; the number is added below
	if fn.Name() != name {
		var n int
		if _, err := fmt.Sscanf(fn.Name(), "init#%d", &n); err == nil {
			name = fmt.Sprintf("init.%d", n-1)
		}
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return path + "." + recvName(recv.Type(), generic) + "." + name
	}
	if name == "init" && fn.Synthetic != "" {
		name = "init"
	}
	return path + "." + name + generic
}

func recvName(t types.Type, generic string) string {
	ptr := false
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		ptr, t = true, p.Elem()
	}
	name := "?"
	if n, ok := types.Unalias(t).(*types.Named); ok {
		name = n.Obj().Name()
		if n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 {
			generic = "[...]"
		}
	}
	if ptr {
		return "(*" + name + generic + ")"
	}
	return name + generic
}

// litSuffix returns the part of a literal's name after its parent's: .func1, .1 in a nested
// literal, -range1 for the body of a range over a function.
func litSuffix(fn *ssa.Function) string {
	_, rng := fn.Syntax().(*ast.RangeStmt)
	n := 0
	for _, lit := range fn.Parent().AnonFuncs {
		if _, r := lit.Syntax().(*ast.RangeStmt); r == rng {
			n++
		}
		if lit == fn {
			break
		}
	}
	_, nested := fn.Parent().Syntax().(*ast.FuncLit)
	switch {
	case rng:
		return fmt.Sprintf("-range%d", n)
	case nested:
		return fmt.Sprintf(".%d", n)
	}
	return fmt.Sprintf(".func%d", n)
}
