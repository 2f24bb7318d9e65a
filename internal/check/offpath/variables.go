package offpath

import (
	"golang.org/x/tools/go/ssa"
)

// variables has the addresses of the variables of packages that the alternative names.
type variables struct {
	in    *subject
	heap  *heap
	addrs map[string]uint64
}

// address returns the address of a variable. If no event has accessed the variable so far, its
// address is unknown. It is then an object of the heap, of unknown content, if the program accesses
// it by name alone (CP5).
func (v *variables) address(o *owner, g *ssa.Global) value {
	name := g.String()
	if addr, ok := v.addrs[name]; ok {
		return number(addr, 8)
	}
	addr, at, ok := v.in.snap.Global(g)
	if !ok || at >= v.in.window.To {
		if !v.in.snap.Program.Named(g) {
			return unknown(8)
		}
		x := v.heap.allocate(o, unknown(sizeof(pointee(g.Type()))), false)
		x.variable = true
		addr = x.base
	}
	v.addrs[name] = addr
	return number(addr, 8)
}

// unseen reports whether a variable was used whose address is unknown.
func (v *variables) unseen() bool {
	for _, addr := range v.addrs {
		if addr >= freshBase {
			return true
		}
	}
	return false
}
