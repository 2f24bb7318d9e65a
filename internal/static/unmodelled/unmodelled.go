// Package unmodelled counts what the static lens does not see into, so that a report can say what
// it does not cover.
//
// # Rules
//
// (U1) Counted is what stands outside the standard library: of that, package model and the
// declarations are all that is wanted.
//
// (U2) A function without a body is assembly, or linked to another name (go:linkname). A call of it
// has no effect (X4 of package symbolic).
//
// (U3) A file that is left out because CGO_ENABLED is 0 is one that the build would have with it,
// under the same tags.
//
// (U4) A conversion from unsafe.Pointer to a pointer makes an alias of which nothing is known. What
// is converted the other way is followed.
//
// (U5) A call by reflection may reach any method of any type.
package unmodelled

import (
	"go/ast"
	"go/build"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/load"
)

// Counts of what is not modelled.
type Counts struct {
	NoBody  int // functions (U2)
	Cgo     int // files (U3)
	Unsafe  int // conversions (U4)
	Reflect int // calls (U5)
}

// Add adds the counts of o.
func (c *Counts) Add(o Counts) {
	c.NoBody += o.NoBody
	c.Cgo += o.Cgo
	c.Unsafe += o.Unsafe
	c.Reflect += o.Reflect
}

// Of counts in one package and its functions with bodies. tags are the build's.
func Of(p *load.Package, fns []*ssa.Function, tags []string) Counts {
	var c Counts
	if p.Std { // (U1)
		return c
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
				c.NoBody++
			}
		}
	}
	c.NoBody -= p.Left // that is said otherwise
	c.Cgo = cgoFiles(p.Ignored, tags)
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c.instruction(in)
			}
		}
	}
	return c
}

func cgoFiles(ignored, tags []string) int {
	ctx := build.Default
	ctx.CgoEnabled = true
	ctx.BuildTags = tags
	n := 0
	for _, name := range ignored {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if ok, err := ctx.MatchFile(filepath.Split(name)); err == nil && ok {
			n++
		}
	}
	return n
}

func (c *Counts) instruction(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Convert:
		_, pointer := in.Type().Underlying().(*types.Pointer)
		if from, ok := in.X.Type().Underlying().(*types.Basic); ok && from.Kind() == types.UnsafePointer && pointer {
			c.Unsafe++
		}
	case ssa.CallInstruction:
		if fn := in.Common().StaticCallee(); fn != nil {
			switch fn.String() {
			case "(reflect.Value).Call", "(reflect.Value).CallSlice":
				c.Reflect++
			}
		}
	}
}
