package walk

import (
	"github.com/presage-race/presage/internal/predict/goval"
)

// awakeFrames is the number of frames that stay awake. It is more than a fork keeps (maxFrames). As
// many more fall asleep together, so a stack that grows and shrinks by little costs nothing.
const awakeFrames = 64

// dormant is the live registers of a sleeping frame. A recursive program may have hundreds of
// thousands of frames at a time, of which only the innermost ones execute.
type dormant struct {
	live []int32 // their numbers
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
func (st *frameStack) rest() {
	if len(st.frames)-st.asleep < 2*st.pool.awake || st.pool.still {
		return
	}
	for ; st.asleep < len(st.frames)-st.pool.awake; st.asleep++ {
		st.sleep(st.frames[st.asleep])
	}
}

// wake makes sure that the frames from number n up are awake.
func (st *frameStack) wake(n int) {
	for st.asleep > max(n, 0) {
		st.asleep--
		st.rouse(st.frames[st.asleep])
	}
}

func (st *frameStack) sleep(f *Frame) {
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
	if len(st.pool.idle) < awakeFrames {
		st.pool.idle = append(st.pool.idle, buffers{f.regs, f.deps, f.terms})
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

func (st *frameStack) rouse(f *Frame) {
	d := f.dormant
	if d == nil {
		return
	}
	f.dormant = nil
	st.registers(f, int(f.code.Regs))
	for i, r := range d.live {
		f.regs[r], f.deps[r] = d.regs[i].val, d.regs[i].deps
		if st.pool.symbolic {
			f.terms[r] = d.regs[i].term
		}
	}
}

// registers gives a frame n registers with unknown values.
func (st *frameStack) registers(f *Frame, n int) {
	if k := len(st.pool.idle); cap(f.regs) < n && k > 0 && cap(st.pool.idle[k-1].regs) >= n {
		b := st.pool.idle[k-1]
		st.pool.idle[k-1] = buffers{f.regs, f.deps, f.terms}
		f.regs, f.deps, f.terms = b.regs, b.deps, b.terms
		if cap(st.pool.idle[k-1].regs) == 0 {
			st.pool.idle = st.pool.idle[:k-1]
		}
	}
	f.regs, f.deps = resize(f.regs, n), resize(f.deps, n)
	if st.pool.symbolic {
		f.terms = resize(f.terms, n)
	}
}
