package regcode

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// AtomicSize returns the number of bytes that a function of sync/atomic works on, 0 if the function
// is not modelled.
func AtomicSize(callee *ssa.Function) int64 {
	name := callee.Name()
	if recv := callee.Signature.Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := t.(*types.Named)
		if !ok {
			return 0
		}
		name = n.Obj().Name()
	}
	switch {
	case strings.HasSuffix(name, "32") || name == "Bool":
		return 4
	case strings.HasSuffix(name, "64") || strings.HasSuffix(name, "ptr") || strings.HasSuffix(name, "Pointer"):
		return 8
	}
	return 0
}

// IsAtomic reports whether a call is of a function of sync/atomic whose first argument points to
// the word that it works on.
func IsAtomic(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync/atomic" && AtomicSize(fn) > 0
}
