package walk

import (
	"math/bits"

	"golang.org/x/tools/go/ssa"
)

// Which registers are read again: the ordinary backward dataflow over a function's registers. A frame deep down a stack
// keeps only those (sleep.go).

// regset is a set of registers.
type regset []uint64

func (s regset) add(r int32)    { s[r/64] |= 1 << (r % 64) }
func (s regset) remove(r int32) { s[r/64] &^= 1 << (r % 64) }

// union adds what t has, and reports whether that is more.
func (s regset) union(t regset) (more bool) {
	for i, w := range t {
		more = more || w&^s[i] != 0
		s[i] |= w
	}
	return more
}

func (s regset) list() (regs []int32) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			regs = append(regs, int32(64*i+bits.TrailingZeros64(w)))
		}
	}
	return regs
}

// liveness is what is read again at the end of each block of a code, and, once asked for, at instructions.
type liveness struct {
	out []regset
	at  map[*instr][]int32
}

// live lists the registers that an invocation which is at an instruction may still read: this instruction's operands and
// result among them.
func (c *code) live(block, ip int32) []int32 {
	if c.liveness == nil {
		c.liveness = &liveness{out: c.liveOut(), at: map[*instr][]int32{}}
	}
	b := &c.blocks[block]
	at := &b.instrs[ip]
	list, ok := c.liveness.at[at]
	if !ok {
		s := append(regset(nil), c.liveness.out[block]...)
		for i := len(b.instrs) - 1; i >= int(ip); i-- {
			b.instrs[i].before(s)
		}
		for i := range at.n {
			if at.reg >= 0 {
				s.add(at.reg + i)
			}
		}
		list = s.list()
		c.liveness.at[at] = list
	}
	return list
}

// liveOut iterates to the least fixed point, blocks from the last one to the first.
func (c *code) liveOut() []regset {
	n := int(c.regs+63) / 64
	words := make([]uint64, 2*n*len(c.blocks))
	in, out := make([]regset, len(c.blocks)), make([]regset, len(c.blocks))
	for b := range c.blocks {
		in[b], out[b] = words[:n:n], words[n:2*n:2*n]
		words = words[2*n:]
	}
	s := make(regset, n)
	for more := true; more; {
		more = false
		for b := len(c.blocks) - 1; b >= 0; b-- {
			for _, e := range c.blocks[b].succs {
				copy(s, in[e.to])
				c.blocks[e.to].enters(s, e.pred)
				out[b].union(s)
			}
			copy(s, out[b])
			list := c.blocks[b].instrs
			for i := len(list) - 1; i >= 0; i-- {
				list[i].before(s)
			}
			more = in[b].union(s) || more
		}
	}
	return out
}

// enters makes what is live after the phis of a block what is live at the end of its predecessor.
func (b *block) enters(s regset, pred int32) {
	for _, p := range b.phis {
		s.remove(p.reg)
	}
	for _, p := range b.phis {
		s.addArg(&p.args[pred])
	}
}

// before makes what is live after an instruction what is live before it. Phis count as part of the edges.
func (in *instr) before(s regset) {
	switch in.in.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return
	}
	switch in.op {
	case opEval, opTuple, opRecord, opLoad, opLocal, opPart, opCall, opAlloc:
		for i := range in.n {
			if in.reg >= 0 {
				s.remove(in.reg + i)
			}
		}
	}
	if in.extract {
		s.add(in.args[0].reg + int32(in.index))
		return
	}
	for i := range in.args {
		s.addArg(&in.args[i])
	}
	for i := range in.free {
		s.addArg(&in.free[i])
	}
}

func (s regset) addArg(a *arg) {
	if a.reg >= 0 {
		s.add(a.reg)
	}
}
