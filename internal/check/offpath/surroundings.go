package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace/format"
)

// surroundings compares what the execution rested on with the events of the trace in the window
// (CP5, CP6).
type surroundings struct {
	in     *subject
	script *script
	loads  []span     // of private memory
	called []uint64   // function values of the program
	vars   *variables // with the addresses that were used
}

func (c *surroundings) check() {
	alt := c.in.alt
	held := contents{}
	last := c.lastBefore()
	for _, r := range c.in.window.Records {
		switch {
		case r.Kind == format.Alloc:
			if r.Index > last {
				c.allocated(span{uint64(r.Obj), r.Val}, r.Index)
			}
			if r.Index < alt.At {
				held.forget(uint64(r.Obj), r.Val)
			}
		case !r.Kind.IsAccess():
		case r.G == alt.G:
			if r.Index < alt.At {
				held.access(r)
			}
		case r.Flags&format.FlagStack == 0:
			c.foreign(r)
		}
		c.variable(r)
	}
	for _, alt := range c.in.beside {
		c.alternative(alt)
	}
	for _, s := range c.loads {
		for i := range s.size {
			c.assumed(held, s.addr+i)
		}
	}
}

// lastBefore is the last event of the goroutine in the window before the fork, or the start of the
// timer that starts it, -1 if there is none.
// What it has at the fork was there then. Others may have allocated memory since that only the
// recorded path does not use any more.
func (c *surroundings) lastBefore() int64 {
	last := int64(-1)
	if x := c.in.snap.Starts; x != nil {
		last = x.Armed
	}
	for _, r := range c.in.window.Records {
		if r.G == c.in.alt.G && r.Index < c.in.alt.At {
			last = r.Index
		}
	}
	return last
}

// spanOf is the bytes of an access of the trace.
func spanOf(r *built.Record) span {
	if r.Size == 0 || r.Size > 8 {
		return span{uint64(r.Obj) &^ 7, 8}
	}
	return span{uint64(r.Obj), uint64(r.Size)}
}

// foreign checks that an access of another goroutine is not one of private memory.
func (c *surroundings) foreign(r *built.Record) {
	for _, s := range c.loads {
		if spanOf(r).meets(s) {
			reject("CP5", "%#x is loaded without a step, but goroutine %d accesses it", s.addr, r.G)
		}
	}
}

// alternative checks that another alternative does not write private memory.
func (c *surroundings) alternative(alt *built.Way) {
	for k := range alt.Steps {
		e := &alt.Steps[k].Event
		if e.Kind.IsWrite() {
			c.foreign(&built.Record{Event: *e})
		}
	}
}

// allocated checks what lies in memory that an event after the fork allocates: an address there
// denotes another object than at the fork. A step may act on the new object, if nothing that the
// interpreter has taken from the recorded run may be a pointer to what was there before. Then the
// witness has its address, and the window distinguishes pointers to the two.
func (c *surroundings) allocated(m span, event int64) {
	for _, s := range c.loads {
		if m.meets(s) {
			reject("CP6", "the memory at %#x is allocated anew after the fork", s.addr)
		}
	}
	for _, f := range c.called {
		if f-m.addr < m.size {
			reject("CP6", "the function value at %#x is allocated anew after the fork", f)
		}
	}
	for k := range c.script.steps {
		s := &c.script.steps[k]
		if (s.any || s.racing) && s.Event.Kind != format.Go && uint64(s.Event.Obj)-m.addr < m.size && c.in.former.meets(m, event) {
			c.script.at = k
			reject("CP6", "the memory at %#x is allocated anew after the fork", uint64(s.Event.Obj))
		}
	}
}

// variable compares the address of a variable of a package with that of an access that names it.
func (c *surroundings) variable(r *built.Record) {
	if len(c.vars.addrs) == 0 || !r.Kind.IsAccess() || r.Flags&format.FlagOpaque != 0 {
		return
	}
	pf, b, i := c.in.snap.Program.FuncAt(r.Site)
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
	addr, used := c.vars.addrs[g.String()]
	if used && addr >= freshBase {
		reject("CP5", "%v is accessed in the window", g)
	}
	if ok && used && uint64(r.Obj)-addr >= uint64(max(8, sizeof(t.Elem()))) {
		reject("CP6", "%v is not at %#x", g, addr)
	}
}

// contents has what the last access by the goroutine of the fork, in the window and before the
// fork, left in each byte.
type contents map[uint64]content

type content struct {
	b       byte
	known   bool       // the byte was recorded
	depends bool       // the byte was written, and depends on reads
	term    *expr.Expr // with depends: the word that was written, if it has a term
	addr    uint64     // with depends: where that word begins
}

func (c contents) forget(addr, size uint64) {
	for a := range c {
		if a-addr < size {
			delete(c, a)
		}
	}
}

func (c contents) access(r *built.Record) {
	at := spanOf(r)
	v := r.Val
	if r.Kind == format.AtomicRMW {
		v = r.Aux
	}
	for i := range at.size {
		l := content{b: byte(v >> (8 * i)), known: r.Flags&format.FlagNoValue == 0}
		if r.Kind.IsWrite() {
			l.depends, l.term, l.addr = len(r.From) > 0 || r.Kind == format.AtomicRMW, r.Value, at.addr
		} else if was, ok := c[at.addr+i]; ok && was.b == l.b && was.known {
			continue
		}
		c[at.addr+i] = l
	}
}

// assumed checks what the alternative assumes to be in a byte at the fork.
func (c *surroundings) assumed(held contents, addr uint64) {
	l, ok := held[addr]
	if !ok { // from before the window
		return
	}
	for k := range c.in.alt.Assumes {
		a := &c.in.alt.Assumes[k]
		if addr-a.Addr >= uint64(a.Size) {
			continue
		}
		switch b := byte(a.Bits >> (8 * (addr - a.Addr))); {
		case !l.known || l.b != b:
			reject("CP5", "%#x is assumed to hold %#x, which it does not", addr, b)
		case l.depends && a.Term == nil:
			reject("CP5", "the content of %#x depends on reads, but is assumed to be constant", addr)
		case a.Term != nil && (a.Term != l.term || a.Addr != l.addr):
			reject("CP5", "the content of %#x is another function of reads than assumed", addr)
		}
	}
}
