package symbolic

import "golang.org/x/tools/go/ssa"

// flowgraph is the control-flow graph of the function, and the block that is being executed.
type flowgraph struct {
	fn    *ssa.Function
	rpo   []*ssa.BasicBlock // reverse postorder
	loop  []int             // of a block: the number of its innermost loop; 0 is none
	block *ssa.BasicBlock
}

func newFlowgraph(fn *ssa.Function) *flowgraph {
	g := &flowgraph{fn: fn}
	g.shape()
	return g
}

// current is the number of the loop of the block that is being executed; 0 is none.
func (g *flowgraph) current() int { return g.loop[g.block.Index] }

// looping reports whether the block that is being executed is in a loop.
func (g *flowgraph) looping() bool { return g.current() > 0 }

// shape numbers the blocks and finds the loops.
func (g *flowgraph) shape() {
	n := len(g.fn.Blocks)
	g.loop = make([]int, n)
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	var stack []*ssa.BasicBlock
	next, loops := 1, 0
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		index[b.Index], low[b.Index], on[b.Index] = next, next, true
		next++
		stack = append(stack, b)
		for _, s := range b.Succs {
			if index[s.Index] == 0 {
				visit(s)
				low[b.Index] = min(low[b.Index], low[s.Index])
			} else if on[s.Index] {
				low[b.Index] = min(low[b.Index], index[s.Index])
			}
			if s == b {
				g.loop[b.Index] = -1
			}
		}
		g.rpo = append(g.rpo, b)
		if low[b.Index] != index[b.Index] {
			return
		}
		loops++
		size := 0
		for i := len(stack) - 1; ; i-- {
			size++
			if stack[i] == b {
				break
			}
		}
		for _, m := range stack[len(stack)-size:] {
			on[m.Index] = false
			if size > 1 || g.loop[m.Index] == -1 {
				g.loop[m.Index] = loops
			}
		}
		stack = stack[:len(stack)-size]
	}
	visit(g.fn.Blocks[0])
	if r := g.fn.Recover; r != nil && index[r.Index] == 0 {
		rest := g.rpo
		g.rpo = nil
		visit(r)
		g.rpo = append(g.rpo, rest...)
	}
	for i, j := 0, len(g.rpo)-1; i < j; i, j = i+1, j-1 {
		g.rpo[i], g.rpo[j] = g.rpo[j], g.rpo[i]
	}
}

// everyRound reports whether the block is executed in every round of its loop.
func (g *flowgraph) everyRound(l int, b *ssa.BasicBlock) bool {
	for _, m := range g.fn.Blocks {
		if g.loop[m.Index] != l {
			continue
		}
		header := m == g.fn.Blocks[0]
		for _, p := range m.Preds {
			header = header || g.loop[p.Index] != l
		}
		if !header {
			continue
		}
		for _, p := range m.Preds {
			if g.loop[p.Index] == l && !b.Dominates(p) {
				return false
			}
		}
	}
	return true
}
