// Package callgraph orders the functions of one package bottom-up.
//
// The functions of a package are its members, the methods of its types, their literals, and the
// synthetic functions (wrappers, bound methods) that these refer to. An instance is represented by
// its origin.
//
// Edges are static calls, and the literals and functions that a function mentions: a closure is
// summarised before the function that makes it. Calls through interfaces and function values are no
// edges; with them a sixth of all functions of a large program would be one component. Components
// come callees first; inside one, functions come in the order of the source.
package callgraph

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions lists the functions with bodies of a package: first the synthetic functions for methods
// of other packages, by name, then the others by position. Positions in different packages are not
// compared: they depend on which package was parsed first.
func Functions(pkg *ssa.Package) []*ssa.Function {
	seen := map[*ssa.Function]bool{}
	var out []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		if o := fn.Origin(); o != nil && o != fn {
			if o.Pkg == pkg {
				add(o)
			}
			return
		}
		if fn.Pkg != nil && fn.Pkg != pkg || fn.Blocks == nil {
			return
		}
		out = append(out, fn)
		for _, a := range fn.AnonFuncs {
			add(a)
		}
		for _, c := range mentions(fn) {
			add(c)
		}
	}
	var names []string
	for name := range pkg.Members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch m := pkg.Members[name].(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			if n, ok := types.Unalias(m.Type()).(*types.Named); ok {
				for i := range n.NumMethods() {
					add(pkg.Prog.FuncValue(n.Method(i)))
				}
			}
		}
	}
	position := func(fn *ssa.Function) token.Pos {
		if o := fn.Object(); o != nil && o.Pkg() != pkg.Pkg {
			return token.NoPos
		}
		return fn.Pos()
	}
	slices.SortStableFunc(out, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(position(a), position(b)), strings.Compare(a.String(), b.String()))
	})
	return out
}

// mentions lists the functions among the operands of fn, each once.
func mentions(fn *ssa.Function) []*ssa.Function {
	var out []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var space [8]*ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for _, op := range in.Operands(space[:0]) {
				if op == nil || *op == nil {
					continue
				}
				if c, ok := (*op).(*ssa.Function); ok && !seen[c] {
					seen[c] = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// Components returns the strongly connected components of the functions, callees first.
func Components(fns []*ssa.Function) [][]*ssa.Function {
	known := map[*ssa.Function]int{}
	for i, fn := range fns {
		known[fn] = i
	}
	index, low, on := make([]int, len(fns)), make([]int, len(fns)), make([]bool, len(fns))
	var stack []int
	var out [][]*ssa.Function
	next := 1
	var visit func(i int)
	visit = func(i int) {
		index[i], low[i], on[i] = next, next, true
		next++
		stack = append(stack, i)
		for _, c := range mentions(fns[i]) {
			if o := c.Origin(); o != nil {
				c = o
			}
			j, ok := known[c]
			switch {
			case !ok:
			case index[j] == 0:
				visit(j)
				low[i] = min(low[i], low[j])
			case on[j]:
				low[i] = min(low[i], index[j])
			}
		}
		if low[i] != index[i] {
			return
		}
		var comp []int
		for {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[j] = false
			comp = append(comp, j)
			if j == i {
				break
			}
		}
		slices.Sort(comp)
		list := make([]*ssa.Function, len(comp))
		for k, j := range comp {
			list[k] = fns[j]
		}
		out = append(out, list)
	}
	for i := range fns {
		if index[i] == 0 {
			visit(i)
		}
	}
	return out
}
