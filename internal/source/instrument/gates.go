package instrument

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// A program for a replay (Config.Gates) has no records. Instead it has a pair of calls around each
// instruction that has an event of its own in a trace:
//
//	presagert_.Gate(17)
//	t1_ = *t0_
//	presagert_.Done(17)
//
// Sites are those of the plan, so a schedule made from a trace refers to them. An instruction
// executed once passes its gate once, however many events it has: package replay counts passages.
//
// A program for steered runs (Config.Points) has records, and a call of Point before each access
// whose address is known beforehand. A schedule may have another goroutine go on there.

// Gated reports whether an instruction is placed between gates. So is the typed operation that a
// Defer defers, under the site of the Defer.
func Gated(in ssa.Instruction, ip *plan.Instr) bool {
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

// gating writes gates.
type gating struct {
	expr  *expressions
	rec   *records
	needs *needs
	out   *lines
	blind bool // the instruction being written may be hidden from the race detector
}

// gate writes the gate of an instruction, with the address of what it accesses. The gate of a load
// or store returns whether to hide it from the race detector.
func (g *gating) gate(in ssa.Instruction, ip *plan.Instr) {
	g.blind = false
	for _, hs := range [][]plan.Hook{ip.Before, ip.After} {
		for i := range hs {
			if at := g.extent(&hs[i]); at != "" {
				switch in.(type) {
				case *ssa.UnOp, *ssa.Store:
					g.blind, g.needs.hides = true, true
					g.out.putf("{ c_ := %s; h_ = %s.GateAt(%d, %s) }", g.expr.hidden(hs[i].Addr), rtName, ip.Site, at)
				default:
					g.out.putf("{ c_ := %s; %s.GateAt(%d, %s) }", g.expr.hidden(hs[i].Addr), rtName, ip.Site, at)
				}
				return
			}
		}
	}
	g.out.putf("%s.Gate(%d)", rtName, ip.Site)
}

// point writes the points of the accesses of an instruction, for a steered run.
func (g *gating) point(ip *plan.Instr) {
	for _, hs := range [][]plan.Hook{ip.Before, ip.After} {
		for i := range hs {
			if at := g.extent(&hs[i]); at != "" {
				g.out.putf("{ c_ := %s; g_.Point(%d, %s, %t) }", g.expr.hidden(hs[i].Addr), ip.Site, at, hs[i].Kind.IsWrite())
			}
		}
	}
}

// extent writes the address and size of an access through c_, "" if they are not known beforehand.
func (g *gating) extent(h *plan.Hook) string {
	size := fmt.Sprint(h.Size)
	switch {
	case !h.Kind.IsAccess() || h.Case >= 0:
		return ""
	case h.Extent == plan.MapObject:
		return fmt.Sprintf("*(*%s.Pointer)(%[1]s.Pointer(&c_)), 8", unsafeName)
	case h.Extent == plan.Pointee:
		if h.Size < 0 {
			size = unsafeName + ".Sizeof(*c_)"
		}
		return fmt.Sprintf("%s.Pointer(c_), %s", unsafeName, size)
	case h.Extent == plan.Elements, h.Extent == plan.Copied:
		if h.Size < 0 {
			size = unsafeName + ".Sizeof(*" + unsafeName + ".SliceData(c_))"
		}
		return fmt.Sprintf("%s.Pointer(%[1]s.SliceData(c_)), uintptr(len(c_)) * %s", unsafeName, size)
	}
	return ""
}

// feed replaces the results of a call by the values of the recorded run. Values are numbered as the
// call records them.
func (g *gating) feed(ip *plan.Instr) {
	n := 0
	for i := range ip.After {
		h := &ip.After[i]
		if h.Kind != format.Value {
			continue
		}
		if plan.FedHook(h) {
			v := g.rec.operand(h)
			g.out.putf("%s = %s.Feed(%d, %d, %s)", v, rtName, ip.Site, n, v)
		}
		n++
	}
}
