package plan

import "golang.org/x/tools/go/ssa"

// Cycles returns the strongly connected components with a cycle of the blocks that are in, by
// Tarjan's algorithm.
func Cycles(blocks []*ssa.BasicBlock, in func(*ssa.BasicBlock) bool) [][]*ssa.BasicBlock {
	var out [][]*ssa.BasicBlock
	var stack []*ssa.BasicBlock
	index, low, on := map[*ssa.BasicBlock]int{}, map[*ssa.BasicBlock]int{}, map[*ssa.BasicBlock]bool{}
	var visit func(*ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		index[b] = len(index) + 1
		low[b] = index[b]
		stack, on[b] = append(stack, b), true
		self := false
		for _, s := range b.Succs {
			switch {
			case !in(s):
			case index[s] == 0:
				visit(s)
				low[b] = min(low[b], low[s])
			case on[s]:
				low[b] = min(low[b], index[s])
			}
			self = self || s == b
		}
		if low[b] != index[b] {
			return
		}
		i := len(stack) - 1
		for stack[i] != b {
			i--
		}
		c := append([]*ssa.BasicBlock(nil), stack[i:]...)
		stack = stack[:i]
		for _, x := range c {
			on[x] = false
		}
		if len(c) > 1 || self {
			out = append(out, c)
		}
	}
	for _, b := range blocks {
		if in(b) && index[b] == 0 {
			visit(b)
		}
	}
	return out
}
