package symtrace

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
)

// Enter begins an invocation. Its parameters are assigned, unless they are recorded.
func (p *printer) Enter(g trace.GoID, from, entered *walk.Frame) {
	if entered.Code() == nil {
		return
	}
	f := &invocation{Frame: entered, text: make([]string, entered.Code().Regs), locals: map[string]string{}}
	entered.Note = f
	caller := invocationOf(from)
	fn := f.Code().Plan.SSA
	if caller != nil {
		f.indent = caller.indent + 1
	}
	head := *f
	head.indent = max(0, head.indent-1)
	p.mark(g, &head, -1, "call "+fn.RelString(nil))
	vars := slices.Clone(fn.Params)
	for i, r := range f.Code().Args {
		name := ""
		if i < len(vars) {
			name = vars[i].Name()
		} else {
			name = fn.FreeVars[i-len(vars)].Name()
		}
		f.text[r] = name
		if f.Static() && i < len(vars) {
			in := caller.Instr()
			f.text[r] = p.define(g, f, nil, name, bare(p.operand(caller, in, i+1)), "")
		} else if i >= len(vars) {
			if a, ok := f.Register(r).Bits(); ok && f.Static() {
				f.text[r] = "&" + p.loc(a, name)
			} else {
				f.text[r] = "&" + name
			}
		}
	}
}

// Return keeps the names of the results.
func (p *printer) Return(at *walk.Frame, in *regcode.Instr) {
	f := invocationOf(at)
	f.results = nil
	for i := range in.Args {
		f.results = append(f.results, p.operand(f, in, i))
	}
}

// Returned takes over the names of the results of a frame that its caller's walk has returned from.
func (p *printer) Returned(from *walk.Frame) { p.results = invocationOf(from).results }

// result assigns the results of a call that was walked.
func (p *printer) result(g trace.GoID, f *invocation, in *regcode.Instr) {
	for i := range in.N {
		if int(i) < len(p.results) && used(in.SSA) {
			name := p.name(f, in.SSA.(ssa.Value))
			if in.N > 1 {
				name = fmt.Sprintf("%s.%d", name, i)
			}
			f.text[in.Reg+i] = p.define(g, f, in, name, bare(p.results[i]), "return")
		}
	}
	p.results = nil
}

func used(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return ok && v.Referrers() != nil && len(*v.Referrers()) > 0
}

// Phis prints the assignments of an edge.
func (p *printer) Phis(g trace.GoID, at *walk.Frame, e regcode.Edge) {
	f := invocationOf(at)
	b := &f.Code().Blocks[e.To]
	old := make([]string, len(b.Phis))
	for i, phi := range b.Phis {
		old[i] = p.operand(f, phi, int(e.Pred))
	}
	for i, in := range b.Phis {
		phi := in.SSA.(*ssa.Phi)
		text := old[i]
		if name := p.name(f, phi); used(phi) && isVariable(phi.Comment) && !strings.HasPrefix(text, name+"^") {
			text = p.define(g, f, in, name, bare(text), "")
		}
		f.text[in.Reg] = text
	}
}

// Branch prints the condition of a branch, with its outcome.
func (p *printer) Branch(g trace.GoID, at *walk.Frame, in *regcode.Instr, e regcode.Edge) {
	if in.Op != regcode.OpIf {
		return
	}
	f := invocationOf(at)
	outcome := f.Block().Succs[0].To == e.To
	p.add(g, f, in, -1, func(int) string { return bare(p.operand(f, in, 0)) }, fmt.Sprint(outcome))
}
