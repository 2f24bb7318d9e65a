package instrument

import (
	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
	"presage/internal/trace/format"
)

// A program that is to be replayed (Config.Gates) has, in place of all records, a pair of calls around each instruction that has an event of
// its own in a trace:
//
//	presagert_.Gate(17)
//	t1_ = *t0_
//	presagert_.Done(17)
//
// Sites are those of the plan, so a schedule made of a trace names them. An instruction
// executed once passes its gate once, however many events it has: package replay counts passages.

// gated reports whether an instruction stands between gates.
func gated(in ssa.Instruction, ip *plan.Instr) bool {
	if ip.Site == 0 {
		return false
	}
	switch in.(type) {
	case *ssa.Defer:
		return false // the deferred call is (deferHelper)
	}
	if ip.Opaque || ip.Call {
		return true
	}
	for _, hs := range [][]plan.Hook{ip.Before, ip.After} {
		for i := range hs {
			if k := hs[i].Kind; k.IsAccess() || k == format.ChanLen {
				return true
			}
		}
	}
	return false
}
