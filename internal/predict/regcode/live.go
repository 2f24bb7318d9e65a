package regcode

import (
	"math/bits"

	"golang.org/x/tools/go/ssa"
)

// regset is a set of registers.
type regset []uint64

func (s regset) add(r int32) { s[r/64] |= 1 << (r % 64) }

func (s regset) remove(r int32) { s[r/64] &^= 1 << (r % 64) }

// union adds the registers of t, and reports whether s has changed.
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

// liveness is the result of the backward dataflow: the registers that are live at the end of each
// block, and at the instructions for which Live was called. A walk keeps only the live registers of
// frames deep in a stack.
type liveness struct {
	out []regset
	at  map[*Instr][]int32
}

// Live lists the registers that an invocation at an instruction may still read, the operands and
// results of this instruction among them. Only one goroutine may call it at a time.
func (c *Code) Live(block, ip int32) []int32 {
	if c.liveness == nil {
		c.liveness = &liveness{out: c.liveOut(), at: map[*Instr][]int32{}}
	}
	b := &c.Blocks[block]
	at := &b.Instrs[ip]
	list, ok := c.liveness.at[at]
	if !ok {
		s := append(regset(nil), c.liveness.out[block]...)
		for i := len(b.Instrs) - 1; i >= int(ip); i-- {
			b.Instrs[i].before(s)
		}
		for i := range at.N {
			if at.Reg >= 0 {
				s.add(at.Reg + i)
			}
		}
		list = s.list()
		c.liveness.at[at] = list
	}
	return list
}

// liveOut iterates to the least fixed point, blocks from the last one to the first.
func (c *Code) liveOut() []regset {
	n := int(c.Regs+63) / 64
	words := make([]uint64, 2*n*len(c.Blocks))
	in, out := make([]regset, len(c.Blocks)), make([]regset, len(c.Blocks))
	for b := range c.Blocks {
		in[b], out[b] = words[:n:n], words[n:2*n:2*n]
		words = words[2*n:]
	}
	s := make(regset, n)
	for more := true; more; {
		more = false
		for b := len(c.Blocks) - 1; b >= 0; b-- {
			for _, e := range c.Blocks[b].Succs {
				copy(s, in[e.To])
				c.Blocks[e.To].enters(s, e.Pred)
				out[b].union(s)
			}
			copy(s, out[b])
			list := c.Blocks[b].Instrs
			for i := len(list) - 1; i >= 0; i-- {
				list[i].before(s)
			}
			more = in[b].union(s) || more
		}
	}
	return out
}

// enters turns the set that is live after the phis of a block into the set that is live at the end
// of a predecessor.
func (b *Block) enters(s regset, pred int32) {
	for _, p := range b.Phis {
		s.remove(p.Reg)
	}
	for _, p := range b.Phis {
		s.addArg(&p.Args[pred])
	}
}

// before turns the set that is live after an instruction into the set that is live before it. Phis
// count as part of the edges.
func (in *Instr) before(s regset) {
	switch in.SSA.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return
	}
	switch in.Op {
	case OpEval, opTuple, opRecord, OpLoad, OpLocal, OpPart, OpCall, OpAlloc:
		for i := range in.N {
			if in.Reg >= 0 {
				s.remove(in.Reg + i)
			}
		}
	}
	if in.Extract {
		s.add(in.Args[0].Reg + int32(in.Index))
		return
	}
	for i := range in.Args {
		s.addArg(&in.Args[i])
	}
	for i := range in.Free {
		s.addArg(&in.Free[i])
	}
}

func (s regset) addArg(a *Arg) {
	if a.Reg >= 0 {
		s.add(a.Reg)
	}
}
