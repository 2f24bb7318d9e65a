package progtest

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A map has its header, which is the word that its operations access, the number of its entries,
// and the entries in the order of their keys. So a map does not depend on the order of insertions.
// Keys and values are of one word.

// maxEntries is the number of entries that a map has room for.
const maxEntries = 8

// oneWordMap refuses a map whose keys or values are not of one word.
func oneWordMap(p *Program, t types.Type) {
	m := t.Underlying().(*types.Map)
	if b, ok := m.Key().Underlying().(*types.Basic); !ok || !integer(b.Kind()) || p.layout.width(m.Elem()) != 1 {
		panic(unsupported("a map other than of integers to words"))
	}
}

// mapOp is an operation on a map as an access of its header.
func (g *goroutine) mapOp(f *frame, x *ins, write bool) op {
	m := g.arg1(f, &x.args[0])
	if m < nilPage {
		g.panics = true
		return op{kind: opPanic, ins: x}
	}
	return op{kind: opAccess, ins: x, addr: m, size: 8, write: write, mapped: true}
}

// mapOp is a lookup, an update, a delete or a len, in one step with the access of the header.
func (st *steps) mapOp(s *state, g *goroutine, o *op) {
	f, x := g.top(), o.ins
	n := s.word(o.addr + 8)
	if x.call.builtin == "maplen" {
		if x.n > 0 {
			g.regs[f.base+x.dst] = *n
		}
		st.finish(s, g, o)
		return
	}
	entry := func(i uint64) (key, value *uint64) {
		return s.word(o.addr + 16 + 16*i), s.word(o.addr + 24 + 16*i)
	}
	key := g.arg1(f, &x.args[1])
	at := uint64(0)
	for ; at < *n; at++ {
		if k, _ := entry(at); *k >= key {
			break
		}
	}
	found := false
	if at < *n {
		k, _ := entry(at)
		found = *k == key
	}
	move := func(to, from uint64) {
		k, v := entry(to)
		l, w := entry(from)
		*k, *v = *l, *w
	}
	switch x.in.(type) {
	case *ssa.Lookup:
		dst := g.regs[f.base+x.dst : f.base+x.dst+x.n]
		if clear(dst); found {
			_, v := entry(at)
			dst[0] = *v
		}
		if len(dst) > 1 {
			dst[1] = truth(found)
		}
	case *ssa.MapUpdate:
		if !found {
			if *n == maxEntries {
				panic(fault("a large map"))
			}
			for i := *n; i > at; i-- {
				move(i, i-1)
			}
			*n++
		}
		k, v := entry(at)
		*k, *v = key, g.arg1(f, &x.args[2])
	default: // delete
		if !found {
			break
		}
		*n--
		for i := at; i < *n; i++ {
			move(i, i+1)
		}
		k, v := entry(*n)
		*k, *v = 0, 0
	}
	st.finish(s, g, o)
}
