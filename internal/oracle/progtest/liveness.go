package progtest

import "golang.org/x/tools/go/ssa"

// liveness computes, for each instruction, the words of registers that it or a later instruction
// may read. Other words are not part of a state (PT3).
func (f *fn) liveness() {
	sets := make([][]bool, len(f.ins)+1)
	for i := range sets {
		sets[i] = make([]bool, f.regs)
	}
	phiUse := func(out []bool, from, to int) {
		// words that phis of block to take on the edge from block from
		edge := -1
		for i, pr := range f.ssa.Blocks[to].Preds {
			if pr.Index == from {
				edge = i
			}
		}
		for i := f.blocks[to]; i < len(f.ins); i++ {
			if _, ok := f.ins[i].in.(*ssa.Phi); !ok {
				return
			}
			use(out, &f.ins[i].args[edge])
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.ins) - 1; i >= 0; i-- {
			x := &f.ins[i]
			out := make([]bool, f.regs)
			switch x.in.(type) {
			case *ssa.If, *ssa.Jump:
				for _, s := range f.ssa.Blocks[x.block].Succs {
					merge(out, sets[f.blocks[s.Index]])
					phiUse(out, x.block, s.Index)
				}
			case *ssa.Return, *ssa.Panic:
			default:
				merge(out, sets[i+1])
			}
			for w := range x.n {
				out[x.dst+w] = false
			}
			x.after = indices(out)
			if _, ok := x.in.(*ssa.Phi); !ok {
				for a := range x.args {
					use(out, &x.args[a])
				}
			}
			if merge(sets[i], out) {
				changed = true
			}
		}
	}
	for i := range f.ins {
		f.ins[i].live = indices(sets[i])
	}
}

func use(set []bool, a *operand) {
	if a.slot < 0 || a.n == 0 {
		return
	}
	for w := range a.n {
		set[a.slot+w] = true
	}
}

func merge(into, from []bool) (changed bool) {
	for i, b := range from {
		if b && !into[i] {
			into[i], changed = true, true
		}
	}
	return changed
}

func indices(set []bool) []int32 {
	var out []int32
	for i, b := range set {
		if b {
			out = append(out, int32(i))
		}
	}
	return out
}
