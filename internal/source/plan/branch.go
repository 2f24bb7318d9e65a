package plan

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// brancher decides which blocks of a function have a Block record (PL3). The other records of all
// functions are planned.
type brancher struct {
	f     *Func
	known *knowledge
}

func (h *brancher) function() {
	fn, blocks := h.f.SSA, h.f.Blocks
	for i, b := range fn.Blocks {
		blocks[i].Recorded = h.arrivals(b, func(p *ssa.BasicBlock) bool { return !h.decided(p) })
	}
	for _, c := range Cycles(fn.Blocks, func(b *ssa.BasicBlock) bool { return !h.recorded(b) }) {
		for _, b := range c {
			blocks[b.Index].Recorded = h.arrivals(b, func(*ssa.BasicBlock) bool { return true })
		}
	}
}

// arrivals reports whether a predecessor of b with several successors satisfies of.
func (h *brancher) arrivals(b *ssa.BasicBlock, of func(pred *ssa.BasicBlock) bool) bool {
	if b == h.f.SSA.Recover {
		return false
	}
	for _, p := range b.Preds {
		if len(p.Succs) > 1 && of(p) {
			return true
		}
	}
	return false
}

// recorded reports whether the block has a record whenever it is executed to its end.
func (h *brancher) recorded(b *ssa.BasicBlock) bool {
	blk := &h.f.Blocks[b.Index]
	if blk.Recorded {
		return true
	}
	for i := range blk.Instrs {
		ip := &blk.Instrs[i]
		if ip.Opaque || fixed(ip.Before) || fixed(ip.After) {
			return true
		}
	}
	return false
}

// fixed reports whether one of the records is always written.
func fixed(hooks []Hook) bool {
	for i := range hooks {
		if hk := &hooks[i]; hk.Kind != format.ChanLen && hk.Case < 0 && hk.Extent == Pointee && hk.Size > 0 {
			return true
		}
	}
	return false
}

// decided reports whether the walker can compute the condition on which the block branches.
func (h *brancher) decided(b *ssa.BasicBlock) bool {
	in, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return ok && h.known.of(in.Cond)
}
