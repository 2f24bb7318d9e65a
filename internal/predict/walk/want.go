package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// Which records an instruction has.

// wants lists the records of an instruction in their order (plan R10).
func (k *compiler) wants(out *instr, ip *plan.Instr) {
	if ip.Fused {
		return
	}
	for i := range ip.Before {
		out.wants = append(out.wants, k.want(out, &ip.Before[i]))
	}
	switch {
	case out.op == opCall:
		out.wants = append(out.wants, want{kind: wantEnter, reg: -1})
	case ip.Opaque:
		out.reaches = out.std == nil && !plan.Apart(out.in.(ssa.CallInstruction).Common())
		out.dynamic = out.dynamic || ip.Target != plan.Static
		if ip.Maybe {
			out.wants = append(out.wants, want{kind: wantRuntime, reg: -1})
		}
		out.wants = append(out.wants, want{kind: wantBegin, reg: -1}, want{kind: wantEnd, reg: -1})
		if ip.Maybe { // what a sync.OnceFunc runs has a bracket in the operation
			out.wants = append(out.wants, want{kind: wantRuntime, reg: -1})
		}
	case ip.Call:
		out.wants = append(out.wants, want{kind: wantRuntime, reg: -1})
	}
	for i := range ip.After {
		out.wants = append(out.wants, k.want(out, &ip.After[i]))
	}
}

func (k *compiler) want(out *instr, h *plan.Hook) want {
	switch h.Kind {
	case format.Value:
		out.recorded = true
		return want{kind: wantValue, hook: h, reg: out.reg + int32(max(0, h.Index))}
	case format.ChanLen:
		out.recorded = true
		return want{kind: wantLen, hook: h, reg: out.reg}
	case format.Read, format.Write:
		return want{kind: wantAccess, hook: h, reg: -1}
	}
	panic("program: no such hook: " + h.Kind.String())
}
