package progtest

import (
	"golang.org/x/tools/go/ssa"
)

// exec executes the next instruction of a goroutine, which others cannot observe.
func (m *machine) exec(s *state, g *goroutine) {
	g.steps++
	f := g.top()
	x := &f.fn.ins[f.ip]
	switch in := x.in.(type) {
	case *ssa.If:
		i := 1 - int(g.arg1(f, &x.args[0]))
		to := in.Block().Succs[i].Index
		m.calls.decide(g, f.fn, to, x.outcome)
		m.jump(g, f, to)
		return
	case *ssa.Jump:
		m.jump(g, f, in.Block().Succs[0].Index)
		return
	case *ssa.Return:
		m.calls.leave(s, g, f, x)
		return
	case *ssa.Call:
		if x.call.fn != nil || x.call.dynamic {
			m.calls.call(s, g, f, x)
			return
		}
		if x.call.std != nil {
			m.eval.std(s, g, f, x)
		} else {
			m.eval.builtin(s, g, f, x)
		}
	case *ssa.Defer:
		args, value := m.calls.gather(g, f, x)
		d := deferral{ins: x}
		copy(d.args[:], args)
		if len(x.args) > len(in.Call.Args) {
			d.args[len(args)] = value
		}
		g.defers = append(g.defers, d)
	case *ssa.Store:
		s.storeWords(g.arg1(f, &x.args[0]), x.size, g.arg(f, &x.args[1]))
	case *ssa.RunDefers, *ssa.DebugRef, *ssa.Phi:
	default:
		m.eval.value(s, g, f, x)
	}
	m.rec.after(s, g, x)
	g.top().ip++
}

// jump enters a block. All its phis take their values at once.
func (m *machine) jump(g *goroutine, f *frame, to int) {
	from := f.fn.ins[f.ip].block
	i := f.fn.blocks[to]
	edge := -1
	for k, pr := range f.fn.ssa.Blocks[to].Preds {
		if pr.Index == from {
			edge = k
		}
	}
	m.phis = m.phis[:0]
	n := i
	for ; n < len(f.fn.ins); n++ {
		x := &f.fn.ins[n]
		if _, ok := x.in.(*ssa.Phi); !ok {
			break
		}
		m.phis = append(m.phis, g.arg(f, &x.args[edge])...)
	}
	m.phiSites(g, f, i, n)
	f.ip = n
	m.rec.block(g, to)
}

func (m *machine) phiSites(g *goroutine, f *frame, i, n int) {
	v := m.phis
	for ; i < n; i++ {
		x := &f.fn.ins[i]
		copy(g.regs[f.base+x.dst:f.base+x.dst+x.n], v)
		v = v[x.n:]
	}
}
