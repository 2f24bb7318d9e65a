// Package place says where in the source an instruction stands for the static lens. A caller with
// other SSA of the same source, as the recorder has, asks here as well, and finds the instruction
// that a warning means.
package place

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Of returns the position of an instruction. Where it has none: of the range that it is a step of,
// of the next one in its block that has, else of the last one before it, else of its function.
// Linear in the size of the block.
func Of(in ssa.Instruction) token.Pos {
	if p := in.Pos(); p.IsValid() {
		return p
	}
	if next, ok := in.(*ssa.Next); ok && next.Iter.Pos().IsValid() {
		return next.Iter.Pos()
	}
	before, behind := token.NoPos, false
	for _, other := range in.Block().Instrs {
		behind = behind || other == in
		p := other.Pos()
		if p.IsValid() && behind {
			return p
		}
		if p.IsValid() {
			before = p
		}
	}
	if before.IsValid() {
		return before
	}
	return in.Parent().Pos()
}
