package walk

import (
	"github.com/presage-race/presage/internal/predict/regcode"
)

// A frameStack is the frames of one goroutine.
type frameStack struct {
	frames []*Frame
	asleep int // number of frames that sleep, the outermost ones (sleep.go)
	pool   *framePool
}

// A framePool has the memory of frames that is not in use, for all goroutines of a walker.
type framePool struct {
	awake    int       // number of frames that never sleep; tests have less
	still    bool      // no frame sleeps
	symbolic bool      // registers have terms
	spare    []*Frame  // frames that were left, for reuse
	idle     []buffers // registers of frames that sleep, for reuse
}

// walked reports whether the goroutine is in walked code.
func (st *frameStack) walked() bool {
	f := st.top()
	return f != nil && f.walked
}

// top returns the innermost frame, nil if there is none.
func (st *frameStack) top() *Frame {
	n := len(st.frames)
	if n == 0 {
		return nil
	}
	if n <= st.asleep {
		st.wake(n - st.pool.awake/2)
	}
	return st.frames[n-1]
}

// pop removes the innermost frame and returns it. The next push may reuse it.
func (st *frameStack) pop() *Frame {
	n := len(st.frames) - 1
	f := st.frames[n]
	st.frames[n], st.frames = nil, st.frames[:n]
	st.asleep = min(st.asleep, len(st.frames))
	if len(st.pool.spare) < 64 {
		st.pool.spare = append(st.pool.spare, f)
	}
	return f
}

// push makes a frame of a function that is not known.
func (st *frameStack) push(depth uint64) *Frame {
	var f *Frame
	if n := len(st.pool.spare); n > 0 {
		f, st.pool.spare = st.pool.spare[n-1], st.pool.spare[:n-1]
	} else {
		f = &Frame{}
	}
	*f = Frame{depth: depth, regs: f.regs, deps: f.deps, terms: f.terms, cells: f.cells, stage: f.stage,
		results: f.results[:0], from: f.from[:0], symbols: f.symbols[:0]}
	f.stage.reset()
	st.frames = append(st.frames, f)
	st.rest()
	return f
}

// begin makes a frame one of c.
func (st *frameStack) begin(f *Frame, c *regcode.Code) {
	f.code, f.walked = c, true
	st.registers(f, int(c.Regs))
	for len(f.cells) < len(c.Cells) {
		f.cells = append(f.cells, cell{})
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
