package instrument

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// calls writes call, go and defer statements with their records.
type calls struct {
	unit  *unitEmitter
	fn    *ssa.Function
	regs  *registers
	expr  *expressions
	rec   *records
	heap  *heapKeeper
	edge  *boundary
	gate  *gating
	needs *needs
	out   *lines
}

// emitCall writes a call with its hooks.
func (cs *calls) emitCall(in *ssa.Call, ip *plan.Instr) {
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok {
		switch bi.Name() {
		case "ssa:deferstack":
			return
		case "len":
			if len(ip.After) == 1 && ip.After[0].Kind == chanLen {
				cs.emitChanLen(in, ip)
				return
			}
		}
	}
	expr := cs.expr.call(&in.Call)
	if ip.Target == plan.FuncValue && in.Call.StaticCallee() != nil && !cs.unit.gates {
		// as in receiver
		expr = rtName + ".Same(" + cs.expr.value(in.Call.Value) + ")" + cs.expr.args(&in.Call, in.Call.Args)
	}
	once := cs.edge.leaveOnce(&in.Call, ip)
	cs.rec.before(ip)
	var end string
	if ip.Opaque && !cs.unit.gates {
		cs.rec.barrier()
		end = cs.edge.leave(&in.Call, ip)
		cs.maybeTyped(&in.Call, ip, end != "")
		cs.opaqueCall(in, ip)
		if ip.Maybe {
			cs.out.put("}")
		}
	}
	cs.out.put(cs.regs.assignTo(in) + expr)
	cs.rec.barrier()
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok && bi.Name() == "append" {
		cs.heap.keep(in)
	}
	cs.heap.keepAlive(&in.Call)
	if ip.Opaque && !cs.unit.gates {
		cs.needs.depth = true
		opaqueEnd := fmt.Sprintf("g_.OpaqueEnd(%#x, d_)", header(opaqueEnd, 0, 0, ip.Site))
		if ip.Maybe {
			opaqueEnd = fmt.Sprintf("if !o_ { %s }; }", opaqueEnd)
		}
		cs.out.put(opaqueEnd)
		if end != "" {
			cs.out.put(end)
		}
	}
	if once != "" {
		cs.out.put(once)
	}
	cs.rec.after(ip)
	if cs.unit.gates && plan.Fed(&in.Call) {
		cs.gate.feed(ip)
	}
}

// opaqueCall writes the beginning of a call whose callee is not known to be instrumented.
func (cs *calls) opaqueCall(in *ssa.Call, ip *plan.Instr) {
	h := header(opaqueBegin, 0, 0, ip.Site)
	if target := cs.expr.target(&in.Call, ip); target != "" {
		cs.out.putf("g_.Dynamic(%#x, %s)", h, target)
	} else {
		cs.out.putf("g_.Opaque(%#x)", h)
	}
}

// maybeTyped writes the text before a call that may be one of a typed operation:
//
//	{ o_ := presagert_.TypedMethod(g_, site, x, 0)
//	if !o_ { … }
//	x.Lock()
//	if !o_ { … }; }
//
// A call that leaves traced code is no such call.
func (cs *calls) maybeTyped(c *ssa.CallCommon, ip *plan.Instr, leaves bool) {
	if !ip.Maybe {
		return
	}
	stays := ""
	if leaves {
		stays = "m_ == 0 && "
	}
	cs.out.putf("{ o_ := %s%s", stays, cs.expr.isTyped(c, ip.Site))
	cs.out.put("if !o_ {")
}

// emitChanLen writes a call of the recorder that reads and records the length of a channel.
func (cs *calls) emitChanLen(in *ssa.Call, ip *plan.Instr) {
	if cs.unit.gates {
		cs.out.putf("%s = len(%s)", cs.regs.names[in], cs.expr.hidden(in.Call.Args[0]))
		return
	}
	cs.rec.barrier()
	cs.out.putf("{ c_ := %s; %s = g_.ChanLen(%#x, *(*%s.Pointer)(%[4]s.Pointer(&c_))) }",
		cs.expr.hidden(in.Call.Args[0]), cs.regs.names[in], header(chanLen, 0, 8, ip.Site), unsafeName)
}
