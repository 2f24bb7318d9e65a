package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace/format"
)

// surroundings checks (D7) and (D9) against the events of the trace in the window.
func (c *checker) surroundings() {
	if len(c.todo) == 0 {
		return
	}
	held := contents{}
	for _, r := range c.b.Records {
		switch {
		case r.Kind == format.Alloc:
			if r.Index >= c.way.At {
				c.allocated(uint64(r.Obj), r.Val)
			} else {
				held.forget(uint64(r.Obj), r.Val)
			}
		case !r.Kind.IsAccess():
		case r.G == c.way.G:
			if r.Index < c.way.At {
				held.access(r)
			}
		case r.Flags&format.FlagStack == 0:
			c.foreign(r)
		}
		c.variable(r)
	}
	for _, s := range c.silent {
		for i := range s.size {
			c.assumed(held, s.addr+uint64(i))
		}
	}
}

// span is the bytes of an access of the trace.
func span(r *built.Record) (addr, size uint64) {
	if r.Size == 0 || r.Size > 8 {
		return uint64(r.Obj) &^ 7, 8
	}
	return uint64(r.Obj), uint64(r.Size)
}

func meet(a, n, b, m uint64) bool { return a < b+m && b < a+n }

// foreign is an access of another goroutine.
func (c *checker) foreign(r *built.Record) {
	addr, size := span(r)
	for _, s := range c.silent {
		if meet(addr, size, s.addr, uint64(s.size)) {
			reject("D7", "the way reads %#x without a step, but goroutine %d accesses it", s.addr, r.G)
		}
	}
}

// allocated is memory that is new after the fork: an address in it is another one than at the fork.
func (c *checker) allocated(addr, size uint64) {
	for _, s := range c.silent {
		if meet(addr, size, s.addr, uint64(s.size)) {
			reject("D9", "the memory at %#x is allocated anew after the fork", s.addr)
		}
	}
	for _, f := range c.called {
		if f-addr < size {
			reject("D9", "the function value at %#x is allocated anew after the fork", f)
		}
	}
	for k := range c.steps {
		s := &c.steps[k]
		if (s.any || s.racing) && s.Event.Kind != format.Go && uint64(s.Event.Obj)-addr < size {
			c.at = k
			reject("D9", "the memory at %#x is allocated anew after the fork", uint64(s.Event.Obj))
		}
	}
}

// variable checks the address of a variable of a package against an access that names it.
func (c *checker) variable(r *built.Record) {
	if len(c.globals) == 0 || !r.Kind.IsAccess() || r.Flags&format.FlagOpaque != 0 {
		return
	}
	pf, b, i := c.snap.Program.FuncAt(r.Site)
	if pf == nil || b < 0 || i < 0 {
		return
	}
	var p ssa.Value
	switch in := pf.SSA.Blocks[b].Instrs[i].(type) {
	case *ssa.Store:
		p = in.Addr
	case *ssa.UnOp:
		p = in.X
	}
	g, ok := p.(*ssa.Global)
	if !ok {
		return
	}
	t, ok := g.Type().Underlying().(*types.Pointer)
	addr, used := c.globals[g.String()]
	if used && addr >= freshBase {
		reject("D8", "%v is accessed in the window", g)
	}
	if ok && used && uint64(r.Obj)-addr >= uint64(max(8, sizeof(t.Elem()))) {
		reject("D9", "%v is not at %#x", g, addr)
	}
}

// contents is what the goroutine of the fork has last done to each byte, in the recorded run up to
// the fork.
type contents map[uint64]lastly

type lastly struct {
	b     byte
	known bool       // the byte was recorded
	rests bool       // it was written, and rests on reads
	value *expr.Expr // with rests: what was written, if that has a term
	addr  uint64     // where the word begins that was written
}

func (c contents) forget(addr, size uint64) {
	for a := range c {
		if a-addr < size {
			delete(c, a)
		}
	}
}

func (c contents) access(r *built.Record) {
	addr, size := span(r)
	v := r.Val
	if r.Kind == format.AtomicRMW {
		v = r.Aux
	}
	for i := range size {
		l := lastly{b: byte(v >> (8 * i)), known: r.Flags&format.FlagNoValue == 0}
		if r.Kind.IsWrite() {
			l.rests, l.value, l.addr = len(r.From) > 0 || r.Kind == format.AtomicRMW, r.Value, addr
		} else if was, ok := c[addr+i]; ok && was.b == l.b && was.known {
			continue
		}
		c[addr+i] = l
	}
}

// assumed checks what is assumed to be in a byte at the fork.
func (c *checker) assumed(held contents, addr uint64) {
	l, ok := held[addr]
	if !ok { // from before the window
		return
	}
	for k := range c.way.Assumes {
		a := &c.way.Assumes[k]
		if addr-a.Addr >= uint64(a.Size) {
			continue
		}
		switch b := byte(a.Bits >> (8 * (addr - a.Addr))); {
		case !l.known || l.b != b:
			reject("D7", "%#x is taken to hold %#x", addr, b)
		case l.rests && a.Term == nil:
			reject("D7", "%#x rests on reads", addr)
		case a.Term != nil && (a.Term != l.value || a.Addr != l.addr):
			reject("D7", "%#x rests on reads in another way", addr)
		}
	}
}
