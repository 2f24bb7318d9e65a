// Package unmodelled counts what the static lens cannot analyse, so that a report can say what it
// does not cover. The standard library is not counted: package model and its declarations suffice.
//
//   - A function without a body is assembly, or linked to another name (go:linkname). A call of it
//     has no effect ((SY2) of package symbolic).
//   - A file is counted if it is left out because CGO_ENABLED is 0, and the build would have it
//     under the same tags.
//   - A conversion from unsafe.Pointer to a pointer makes an unknown alias. A conversion to
//     unsafe.Pointer is followed.
//   - A call by reflection may reach any method of any type.
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
	NoBody  int // functions
	Cgo     int // files
	Unsafe  int // conversions
	Reflect int // calls
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
	if p.Std {
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
