package regcode

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// wants lists the records of an instruction in their order (package plan).
func (k *compiler) wants(out *Instr, ip *plan.Instr) {
	if ip.Fused {
		return
	}
	for i := range ip.Before {
		out.Wants = append(out.Wants, k.want(out, &ip.Before[i]))
	}
	switch {
	case out.Op == OpCall:
		out.Wants = append(out.Wants, Want{Kind: WantEnter, Reg: -1})
	case ip.Opaque:
		call := out.SSA.(ssa.CallInstruction).Common()
		out.Reaches = out.Std == nil && out.Log == nil && !plan.Apart(call) && !plan.Blind(call)
		out.Dynamic = out.Dynamic || ip.Target != plan.Static
		if ip.Maybe {
			out.Wants = append(out.Wants, Want{Kind: WantRuntime, Reg: -1})
		}
		out.Wants = append(out.Wants, Want{Kind: WantBegin, Reg: -1}, Want{Kind: WantEnd, Reg: -1})
		if ip.Maybe { // sync.OnceFunc has records inside and outside those of the call
			out.Wants = append(out.Wants, Want{Kind: WantRuntime, Reg: -1})
		}
	case ip.Call:
		out.Wants = append(out.Wants, Want{Kind: WantRuntime, Reg: -1})
	}
	for i := range ip.After {
		out.Wants = append(out.Wants, k.want(out, &ip.After[i]))
	}
}

func (k *compiler) want(out *Instr, h *plan.Hook) Want {
	switch h.Kind {
	case format.Value:
		out.Recorded = true
		return Want{Kind: WantValue, Hook: h, Reg: out.Reg + int32(max(0, h.Index))}
	case format.ChanLen:
		out.Recorded = true
		return Want{Kind: WantLen, Hook: h, Reg: out.Reg}
	case format.Read, format.Write:
		return Want{Kind: WantAccess, Hook: h, Reg: -1}
	}
	panic("regcode: no such hook: " + h.Kind.String())
}

func (w *Want) String() string {
	switch w.Kind {
	case WantValue:
		return "value of " + w.Hook.Val.Name()
	case WantAccess:
		return w.Hook.Kind.String()
	case WantLen:
		return "len"
	case WantEnter:
		return "enter"
	case WantBegin:
		return "opaque"
	case WantEnd:
		return "opaqueend"
	}
	return "a record of the runtime"
}
