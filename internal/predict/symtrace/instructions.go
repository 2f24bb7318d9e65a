package symtrace

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Finish prints an instruction when its result is known.
func (p *printer) Finish(g trace.GoID, at *walk.Frame, in *regcode.Instr) {
	f := invocationOf(at)
	read := f.read
	f.read = ""
	switch in.Op {
	case regcode.OpCall:
		p.result(g, f, in)
		return
	case regcode.OpBind:
		f.text[in.Args[0].Reg] = p.operand(f, in, 1)
		return
	case regcode.OpSet:
		loc := strings.TrimPrefix(p.operand(f, in, 0), "&")
		text := p.operand(f, in, 1)
		f.locals[loc] = p.define(g, f, in, loc, bare(text), "")
		for k := range f.locals {
			if strings.HasPrefix(k, loc+".") || strings.HasPrefix(k, loc+"[") {
				delete(f.locals, k)
			}
		}
		return
	}
	switch x := in.SSA.(type) {
	case *ssa.Phi, *ssa.Go:
		return
	case *ssa.Defer:
		p.add(g, f, in, -1, func(int) string { return "defer " + p.call(f, in, &x.Call) }, "")
		return
	}
	if in.Reg < 0 || in.N == 0 {
		if _, ok := in.SSA.(ssa.CallInstruction); ok && !p.done && !typed(in.SSA) {
			p.add(g, f, in, -1, func(int) string { return p.expression(f, in) }, "")
		}
		return
	}
	f.text[in.Reg] = p.value(g, f, in, read)
}

// Access prints a run of Reads or Writes at its last event.
func (p *printer) Access(g trace.GoID, at *walk.Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event) {
	f := invocationOf(at)
	addr, v := f.Accessed()
	loc := p.location(f, in, w, addr)
	shared := false
	for a := addr >> 3; a <= (uint64(e.Obj)+uint64(max(e.Size, 1))-1)>>3; a++ {
		shared = shared || p.shared[a]
	}
	p.done = true
	switch {
	case e.Kind == format.Read && shared:
		note := ""
		if u, ok := in.SSA.(*ssa.UnOp); ok {
			note = shown(u.Type(), v)
		}
		n := p.add(g, f, in, index, func(n int) string { return fmt.Sprintf("R^%d_%s", n, loc) }, note)
		f.read = fmt.Sprintf("R^%d_%s", n, loc)
	case e.Kind == format.Read:
		f.read = cmp.Or(p.written[loc], "l_"+loc)
	default:
		sym := "l"
		if shared {
			sym = "W"
		}
		text, note := "…", ""
		if st, ok := in.SSA.(*ssa.Store); ok {
			text, note = bare(p.operand(f, in, 1)), shown(st.Val.Type(), v)
			if _, ok := st.Val.(*ssa.Const); ok {
				note = ""
			}
		}
		n := p.add(g, f, in, index, func(n int) string { return fmt.Sprintf("%s^%d_%s = %s", sym, n, loc, text) }, note)
		if delete(p.written, loc); !shared {
			p.written[loc] = fmt.Sprintf("l^%d_%s", n, loc)
		}
	}
}

// Synchronise prints a record that the runtime side wrote.
func (p *printer) Synchronise(g trace.GoID, at *walk.Frame, in *regcode.Instr, index int64, e *trace.Event) {
	if e.Kind.IsAccess() && !e.Kind.IsAtomic() {
		p.done = true // an access of the object of an operation, which has a line
		return
	}
	f := invocationOf(at)
	obj := p.subject(f, in, e)
	symbol := func(s string, n int) string { return fmt.Sprintf("%s^%d_%s", s, n, obj) }
	var text func(n int) string
	read := ""
	switch e.Kind {
	case format.AtomicRead:
		text = func(n int) string { read = symbol("R", n); return read }
	case format.AtomicWrite:
		text = func(n int) string { return symbol("W", n) + " = " + bare(p.operand(f, in, len(in.Args)-1)) }
	case format.AtomicRMW:
		text = func(n int) string {
			read = symbol("R", n)
			s, result := p.updated(f, in, read)
			if result == "" {
				read = symbol("W", n)
			}
			return symbol("W", n) + " = " + s
		}
	case format.ChanSend:
		text = func(n int) string { return obj + " <- " + p.sent(f, in) }
	case format.ChanRecv:
		text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj }
		if e.Flags&format.FlagClosed != 0 {
			text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj + " (closed)" }
		}
	default:
		text = func(int) string { return p.operation(e, obj) }
	}
	p.add(g, f, in, index, text, "")
	f.read = read
}
