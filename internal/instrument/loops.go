package instrument

import (
	"golang.org/x/tools/go/ssa"
)

// A loop of a function is a strongly connected part of its blocks in which nothing is called. While it runs, no
// other invocation writes records with its sites into the goroutine's stream, so its accesses can be
// short (docs/recording.md).
type loop struct {
	words []string // the variables that hold the last addresses
	enter []int    // lines of the text that stand on the edges into the loop
}

// maxShort bounds the accesses of a loop that are short: each has variables of its own in the frame.
const maxShort = 64

// findLoops maps the blocks that are in a loop without calls to the largest such loop.
func findLoops(fn *ssa.Function) map[*ssa.BasicBlock]*loop {
	m := map[*ssa.BasicBlock]*loop{}
	in := map[*ssa.BasicBlock]bool{}
	for _, b := range fn.Blocks {
		in[b] = b != fn.Recover
	}
	split(fn.Blocks, in, m)
	return m
}

// split finds the strongly connected components of the blocks that are in. Of one with calls, those within it
// that do not need its first block may still be loops without calls.
func split(blocks []*ssa.BasicBlock, in map[*ssa.BasicBlock]bool, m map[*ssa.BasicBlock]*loop) {
	for _, c := range components(blocks, in) {
		if !callsIn(c) {
			l := &loop{}
			for _, b := range c {
				m[b] = l
			}
			continue
		}
		inner := map[*ssa.BasicBlock]bool{}
		for _, b := range c {
			inner[b] = true
		}
		inner[headerOf(c)] = false
		split(c, inner, m)
	}
}

// headerOf returns the block of a component that dominates the others, in a loop without goto into it.
func headerOf(c []*ssa.BasicBlock) *ssa.BasicBlock {
	h := c[0]
	for _, b := range c {
		if b.Dominates(h) {
			h = b
		}
	}
	return h
}

// callsIn reports whether one of the blocks calls a function that may be instrumented or call back.
func callsIn(blocks []*ssa.BasicBlock) bool {
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok {
				if _, ok := c.Call.Value.(*ssa.Builtin); !ok {
					return true
				}
			}
		}
	}
	return false
}

// components returns the strongly connected components with a cycle, by Tarjan's algorithm, each in the order of its blocks.
func components(blocks []*ssa.BasicBlock, in map[*ssa.BasicBlock]bool) [][]*ssa.BasicBlock {
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
			case !in[s]:
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
		if in[b] && index[b] == 0 {
			visit(b)
		}
	}
	return out
}
