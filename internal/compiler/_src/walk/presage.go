package walk

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
)

// presageInstruments reports whether the code of a node is instrumented (E6). In a package compiled with -race all of it is.
func presageInstruments(n ir.Node) bool {
	if base.Debug.Presage <= 1 {
		return base.Flag.Cfg.Instrumenting
	}
	return ir.CurFunc == nil || base.PresageHooks(n.Pos(), ir.CurFunc.Sym().Pkg.Path)
}
