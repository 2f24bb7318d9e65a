package ir

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/types"
	"cmd/internal/src"
	"fmt"
)

// presageRanges are the emitted bodies of ranges over functions, with the function that what is in
// them is named after.
var presageRanges = map[*types.Sym]*Func{}

// presageNamed are the names that presageClosure has given.
var presageNamed = map[*types.Sym]bool{}

// presageExtra counts, by the function around them, the literals that are not the user's.
var presageExtra = map[*Func]int{}

// presageOuter returns the function that a literal in outerfn is named after, up to go1.26.
func presageOuter(outerfn *Func) *Func {
	if outer := presageRanges[outerfn.Sym()]; outer != nil {
		return outer
	}
	return outerfn
}

// presageClosure names an emitted function literal as it is without presage (OC3). What emitted
// code has besides gets a name that no literal of the user's has.
func presageClosure(outerfn *Func, pos src.XPos, why Op) *types.Sym {
	emitted, number, kind := base.PresageLiteral(pos)
	if !emitted || why != OCLOSURE || kind == 2 || IsBlank(outerfn.Nname) {
		return nil
	}
	pkg, outer := outerfn.Sym().Pkg, FuncName(outerfn)
	if number > 0 {
		suffix := "."
		if kind == 1 {
			suffix = "-range"
		} else if outerfn.OClosure == nil {
			suffix = ".func"
		}
		if sym := pkg.Lookup(fmt.Sprintf("%s%s%d", outer, suffix, number)); !presageNamed[sym] {
			presageNamed[sym] = true
			if kind == 1 {
				presageRanges[sym] = outerfn
			} else {
				outerfn.funcLitGen = max(outerfn.funcLitGen, int32(number))
			}
			return sym
		}
	}
	presageExtra[outerfn]++
	return pkg.Lookup(fmt.Sprintf("%s-presage%d", outer, presageExtra[outerfn]))
}
