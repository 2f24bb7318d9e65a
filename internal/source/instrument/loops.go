package instrument

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// A loop of a function is a strongly connected component of its blocks without calls. While
// it runs, no other invocation writes records with its sites into the goroutine's stream, so its
// accesses can be short (hooks.src).
type loop struct {
	words []string // the variables that hold the last addresses
	enter []int    // lines of the text on the edges into the loop
}

// maxShort bounds the accesses of a loop that are short: each has variables of its own in the
// frame.
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

// split finds the strongly connected components of the blocks that are in. A component with calls
// may contain loops without calls that do not pass through its header.
func split(blocks []*ssa.BasicBlock, in map[*ssa.BasicBlock]bool, m map[*ssa.BasicBlock]*loop) {
	for _, c := range plan.Cycles(blocks, func(b *ssa.BasicBlock) bool { return in[b] }) {
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

// headerOf returns the block of a component that dominates the others, in a loop without goto into
// it.
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
