package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/regcode"
)

// Frame is an invocation in an alternative.
type Frame struct {
	Code       *regcode.Code
	Regs       []Value
	Cells      []Value
	Block, IP  int32
	Defers     []Deferred
	LostDefers bool
	deferred   bool // runs as a deferred call
	Root       bool // the goroutine ends with it
	depth      int
	Caller     *Frame // immutable until it is returned to
}

// A Deferred is a deferred call: its Defer instruction, with the callee and the arguments, and the free variables of a closure.
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
