package walk

import (
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
)

// An Observer is called with what a walk does, in order. Package symtrace prints it.
type Observer interface {
	// Enter is called when a goroutine enters a frame; caller is nil for its first one.
	Enter(g trace.GoID, caller, f *Frame)

	// Return is called when a frame has reached its Return instruction.
	Return(f *Frame, in *regcode.Instr)

	// Returned is called when a frame is left and the walk of its caller takes over its results.
	Returned(f *Frame)

	// Branch is called when a frame leaves its block by an edge; Phis then, before the phis of the
	// next block have their values.
	Branch(g trace.GoID, f *Frame, in *regcode.Instr, e regcode.Edge)
	Phis(g trace.GoID, f *Frame, e regcode.Edge)

	// Access is called at the last event of a run of Reads or Writes.
	Access(g trace.GoID, f *Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event)

	// Synchronise is called at a record that the runtime side has written for an instruction.
	Synchronise(g trace.GoID, f *Frame, in *regcode.Instr, index int64, e *trace.Event)

	// Finish is called when an instruction has its result.
	Finish(g trace.GoID, f *Frame, in *regcode.Instr)
}

// Observe makes the walk call o. It must be called before the first Step.
func (w *Walker) Observe(o Observer) { w.opts.observer, w.pool.still = o, true }

// Top returns the innermost frame of a goroutine, nil if it has none.
func (w *Walker) Top(g trace.GoID) *Frame {
	if int(g) >= len(w.goroutines) || w.goroutines[g] == nil {
		return nil
	}
	return w.goroutines[g].stack.top()
}

// Code returns the code of the frame's function, nil if that is not known.
func (f *Frame) Code() *regcode.Code { return f.code }

// Static reports whether the frame was entered by a call that the walk of its caller is at.
func (f *Frame) Static() bool { return f.static }

// Block returns the block that the frame is in.
func (f *Frame) Block() *regcode.Block { return &f.code.Blocks[f.block] }

// Register returns the value of a register.
func (f *Frame) Register(r int32) goval.Value { return f.regs[r] }

// Accessed returns the address of the current run of accesses, and the value that its events have
// so far.
func (f *Frame) Accessed() (addr uint64, v goval.Value) {
	if f.stage.known {
		v = goval.Words(f.stage.words)
	}
	return f.stage.addr, v
}
