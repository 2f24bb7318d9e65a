package walk

import (
	"github.com/presage-race/presage/internal/predict/goval"
)

// A recursive program may have hundreds of thousands of frames at a time, and only the innermost
// ones execute. The others sleep: only their live registers are kept, in one array.

// awakeFrames is the number of frames that stay awake. It is more than a fork keeps (maxFrames). As
// many more fall asleep together, so a stack that grows and shrinks by little costs nothing.
const awakeFrames = 64

// dormant is the registers of a sleeping frame.
type dormant struct {
	live []int32 // which they are
	regs []register
}

type register struct {
	val  goval.Value
	deps *reads
	term *goval.Term
}

// buffers are registers for reuse.
type buffers struct {
	regs  []goval.Value
	deps  []*reads
	terms []*goval.Term
}

// rest puts frames far from the top to sleep.
func (g *goroutine) rest() {
	if len(g.frames)-g.asleep < 2*g.w.awake || g.w.observer != nil {
		return
	}
	for ; g.asleep < len(g.frames)-g.w.awake; g.asleep++ {
		g.sleep(g.frames[g.asleep])
	}
}

// wake makes sure that the frames from number n up are awake.
func (g *goroutine) wake(n int) {
	for g.asleep > max(n, 0) {
		g.asleep--
		g.rouse(g.frames[g.asleep])
	}
}

func (g *goroutine) sleep(f *Frame) {
	f.frozen = nil
	if f.code == nil {
		return
	}
	d := &dormant{}
	if f.walked {
		d.live = f.code.Live(f.block, f.ip)
		d.regs = make([]register, len(d.live))
		for i, r := range d.live {
			d.regs[i] = register{val: f.regs[r], deps: f.deps[r]}
			if f.terms != nil {
				d.regs[i].term = f.terms[r]
			}
		}
	}
	f.dormant = d
	if len(g.w.idle) < awakeFrames {
		g.w.idle = append(g.w.idle, buffers{f.regs, f.deps, f.terms})
	}
	f.regs, f.deps, f.terms = nil, nil, nil
	f.stage.words, f.stage.loads = clipped(f.stage.words), clipped(f.stage.loads)
}

// clipped returns a buffer without the memory of an empty one.
func clipped[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func (g *goroutine) rouse(f *Frame) {
	d := f.dormant
	if d == nil {
		return
	}
	f.dormant = nil
	g.registers(f, int(f.code.Regs))
	for i, r := range d.live {
		f.regs[r], f.deps[r] = d.regs[i].val, d.regs[i].deps
		if g.symbolic {
			f.terms[r] = d.regs[i].term
		}
	}
}

// registers gives a frame n registers with unknown values.
func (g *goroutine) registers(f *Frame, n int) {
	if k := len(g.w.idle); cap(f.regs) < n && k > 0 && cap(g.w.idle[k-1].regs) >= n {
		b := g.w.idle[k-1]
		g.w.idle[k-1] = buffers{f.regs, f.deps, f.terms}
		f.regs, f.deps, f.terms = b.regs, b.deps, b.terms
		if cap(g.w.idle[k-1].regs) == 0 {
			g.w.idle = g.w.idle[:k-1]
		}
	}
	f.regs, f.deps = resize(f.regs, n), resize(f.deps, n)
	if g.symbolic {
		f.terms = resize(f.terms, n)
	}
}
