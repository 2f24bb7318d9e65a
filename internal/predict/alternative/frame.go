package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/regcode"
)

// A Frame is an invocation. The walk makes frames for forks; a path changes its own copies.
type Frame struct {
	Code       *regcode.Code
	Regs       []Value
	Cells      []Value
	Block, IP  int32 // the next instruction
	Defers     []Deferred
	LostDefers bool   // there are more deferred calls than Defers has
	Root       bool   // the goroutine ends with it
	Caller     *Frame // immutable until it is returned to

	deferred bool // runs as a deferred call
	depth    int  // number of frames that the path has entered below it
}

// A Deferred is a deferred call: its Defer instruction, with the callee and the arguments, and the
// free variables of a closure.
type Deferred struct {
	Instr      *regcode.Instr
	Args, Free []Value
}

func (f *Frame) instr() *regcode.Instr { return &f.Code.Blocks[f.Block].Instrs[f.IP] }

func (f *Frame) clone() *Frame {
	c := *f
	c.Regs, c.Cells, c.Defers = slices.Clone(f.Regs), slices.Clone(f.Cells), slices.Clip(f.Defers)
	return &c
}
