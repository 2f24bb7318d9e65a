package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A program may want only the number of an address, as a hash of the goroutine's stack (PL2):
//
//	var x byte
//	return hash(uintptr(unsafe.Pointer(&x)))   // x is on the stack, in every build
//
// The conversion to unsafe.Pointer is fused into the one to uintptr, which has a Value record: the
// address differs between runs, and within a run if the stack moves.
//
// A number is only computed with if no data flow leads from it to a pointer, to memory, or to code
// that is not followed. These end the search, and the variable is memory on the heap:
//
//	unsafe.Pointer(uintptr(p) ^ 0)         // hides a pointer from escape analysis
//	syscall.Syscall(n, uintptr(p), 8, 0)   // the kernel accesses the variable
//	request.buffer = uint64(uintptr(p))    // so may code that loads the number
//	func() { use(n) }                      // a captured number
//
// The results of comparisons, and elements that a number is the index of, are no data flow: they
// cannot be turned into the address. A return from the variable's own function ends the search as
// well, because the variable does not live longer.

// numbers finds the variables whose address is used only as a number.
type numbers struct {
	plan   *Plan
	params map[*ssa.Parameter]*returned
}

// returned says what becomes of the number that a parameter has.
type returned struct {
	computed bool         // it is only computed with, also by the callees
	results  map[int]bool // the results of the function that are computed from it
}

// variables adds the variables of f whose address is used only as a number to its local ones, and
// fuses the conversions of these addresses to unsafe.Pointer.
func (n *numbers) variables(f *Func) {
	instructions(f.SSA, func(in ssa.Instruction) {
		a, ok := in.(*ssa.Alloc)
		if !ok || !a.Heap || !n.small(f, a) {
			return
		}
		var fused []*ssa.Convert
		only := onlyAccessed(a, func(c *ssa.Convert) bool {
			fused = append(fused, c)
			return n.converted(c)
		})
		if !only || len(fused) == 0 {
			return
		}
		f.local[a] = true
		if f.numbers == nil {
			f.numbers = map[ssa.Value]bool{}
		}
		for _, c := range fused {
			f.numbers[c] = true
		}
	})
}

// small reports whether the walker can track the contents of a variable. It also excludes variables
// that the compiler puts on the heap because they are large.
func (n *numbers) small(f *Func, a *ssa.Alloc) bool {
	size := sizeOf(a.Type().Underlying().(*types.Pointer).Elem(), f.Unit.Pkg.TypesSizes)
	return 0 <= size && size <= MaxFollowed
}

// converted reports whether c, a conversion of an address, makes an unsafe.Pointer of which only
// the number is used.
func (n *numbers) converted(c *ssa.Convert) bool {
	if !isKind(c.Type(), types.UnsafePointer) {
		return false
	}
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Convert:
			if !isKind(r.Type(), types.Uintptr) || !n.search(&returned{}).computed(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isKind(t types.Type, k types.BasicKind) bool {
	b, ok := basic(t)
	return ok && b.Kind() == k
}

func (n *numbers) search(of *returned) *search {
	return &search{numbers: n, of: of, seen: map[ssa.Value]bool{}}
}

// parameter returns what becomes of a number that is passed for v. A recursive function is not
// followed.
func (n *numbers) parameter(v *ssa.Parameter) *returned {
	of, ok := n.params[v]
	if !ok {
		of = &returned{results: map[int]bool{}}
		n.params[v] = of
		of.computed = n.search(of).computed(v)
	}
	return of
}

// search follows a number through one function.
type search struct {
	numbers *numbers
	of      *returned
	seen    map[ssa.Value]bool
}

// computed reports whether v is only computed with.
func (s *search) computed(v ssa.Value) bool {
	if s.seen[v] {
		return true
	}
	s.seen[v] = true
	for _, r := range *v.Referrers() {
		if !s.use(v, r) {
			return false
		}
	}
	return true
}

// use reports whether an instruction only computes with v, and so do those that use its result.
func (s *search) use(v ssa.Value, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.BinOp:
		b, ok := basic(in.Type())
		return ok && b.Info()&types.IsBoolean != 0 || s.computed(in)
	case *ssa.UnOp, *ssa.Phi, *ssa.ChangeType:
		return s.computed(in.(ssa.Value))
	case *ssa.Convert:
		return scalar(in.Type()) && s.computed(in)
	case *ssa.IndexAddr, *ssa.Index: // v is the index
		return true
	case *ssa.Call:
		return s.call(v, in)
	case *ssa.Return:
		for i, r := range in.Results {
			if r == v && s.of.results != nil {
				s.of.results[i] = true
			}
		}
		return true
	}
	return false
}

// call reports whether a callee only computes with its argument v: an instrumented function, a
// builtin, or a function of math/bits.
func (s *search) call(v ssa.Value, c *ssa.Call) bool {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "print", "println":
			return true
		case "min", "max":
			return s.computed(c)
		}
		return false
	}
	callee := c.Call.StaticCallee()
	if pkg, _, _ := calleeOf(&c.Call); pkg == "math/bits" {
		return s.results(c, nil)
	}
	f := s.numbers.plan.Func(callee)
	if f == nil || !direct(callee) {
		return false
	}
	for i, a := range c.Call.Args {
		if a != v {
			continue
		}
		p := s.numbers.parameter(f.SSA.Params[i])
		if !p.computed || !s.results(c, p.results) {
			return false
		}
	}
	return true
}

// results is computed for the results of a call with the given numbers, nil: for all.
func (s *search) results(c *ssa.Call, of map[int]bool) bool {
	if _, tuple := c.Type().(*types.Tuple); !tuple {
		return of != nil && !of[0] || s.computed(c)
	}
	for _, r := range *c.Referrers() {
		e, ok := r.(*ssa.Extract)
		if !ok || (of == nil || of[e.Index]) && !s.computed(e) {
			return false
		}
	}
	return true
}
