package progtest

import (
	"math/bits"
	"slices"
)

// The layout of memory. Each goroutine, by its name, has its own part of the heap, in which it
// allocates. So an address does not depend on the schedule.
const (
	funcBase   = 0x401000
	rodataBase = 0x4c0000
	globalBase = 0x540000
	heapBase   = 0xc000000000
	arena      = 1 << 22 // bytes of one goroutine: the lower half is its heap, the upper its stack
)

// A frame is one invocation.
type frame struct {
	fn     *fn
	ip     int // next instruction
	base   int // its registers in goroutine.regs
	locals int // its variables in goroutine.stack
	site   *ins
	defers int // deferred calls of the frames below
	phase  int // of the instruction at ip: words accessed, or steps done
	kind   entry
}

// entry says how a frame was entered.
type entry uint8

const (
	static   entry = iota // by a call of a known function
	dynamic               // by a call of a function value
	deferred              // by a return, as a deferred call
	started               // by a go statement; main too
	callback              // by Do of a Once
	pooled                // by Get of a Pool, as its New
	onceFunc              // by a function that sync.OnceFunc or OnceValue has returned
)

// A deferral is a deferred call.
type deferral struct {
	ins  *ins
	args [3]uint64
}

// A goroutine is a stack of frames, and the part of the heap that it allocated.
type goroutine struct {
	name     uint64 // its parent's name times fanout, plus its number among the parent's children
	children uint64
	slot     int
	frames   []frame
	regs     []uint64
	heap     []uint64
	stack    []uint64
	defers   []deferral
	panics   bool // the next instruction panics
	ended    bool
	waits    bool    // on a WaitGroup: its wait has begun
	timer    timer   // it is one, and has no frames
	group    uint64  // WaitGroup whose Go has started it
	ticket   int     // at a Cond: its place among those not notified, from 1; 0: it is notified
	leaving  bool    // the Return at ip was evaluated; deferred calls run
	fresh    bool    // not begun
	off      bool    // it has left the path that it is compared with
	left     Outcome // where
	past     bool    // it has decided more than in the run that it is compared with
	pos      int     // on that path: decisions made
	steps    int     // instructions executed since the last decision
}

const fanout = 8

// A state is everything that the further execution depends on.
type state struct {
	globals []uint64
	gs      []*goroutine // in the order of their start
	done    bool         // the program has ended
	started bool         // a go statement was executed
	live    int          // goroutines that have not ended
}

func (s *state) clone() *state { return new(state).copy(s) }

// copy makes s a copy of t, in its own memory.
func (s *state) copy(t *state) *state {
	gs := s.gs[:cap(s.gs)]
	s.globals, s.gs = append(s.globals[:0], t.globals...), gs[:0]
	s.done, s.started, s.live = t.done, t.started, t.live
	for i, g := range t.gs {
		h := new(goroutine)
		if i < len(gs) && gs[i] != nil {
			h = gs[i]
		}
		frames, regs, heap, stack, defers := h.frames[:0], h.regs[:0], h.heap[:0], h.stack[:0], h.defers[:0]
		*h = *g
		h.frames, h.regs, h.heap = append(frames, g.frames...), append(regs, g.regs...), append(heap, g.heap...)
		h.stack, h.defers = append(stack, g.stack...), append(defers, g.defers...)
		s.gs = append(s.gs, h)
	}
	return s
}

func (g *goroutine) top() *frame { return &g.frames[len(g.frames)-1] }
func (g *goroutine) next() *ins  { f := g.top(); return &f.fn.ins[f.ip] }

// heapAddr and stackAddr are where a goroutine's memory starts.
func (g *goroutine) heapAddr() uint64  { return heapBase + g.name*arena }
func (g *goroutine) stackAddr() uint64 { return heapBase + g.name*arena + arena/2 }

// fault is the panic value for an error of the machine: an invalid address, or a limit.
type fault string

// word returns the word of memory that addr lies in.
func (s *state) word(addr uint64) *uint64 {
	switch {
	case addr >= heapBase:
		name, off := (addr-heapBase)/arena, (addr-heapBase)%arena
		for _, g := range s.gs {
			if g.name != name {
				continue
			}
			mem := g.heap
			if off >= arena/2 {
				mem, off = g.stack, off-arena/2
			}
			if i := int(off / 8); i < len(mem) {
				return &mem[i]
			}
		}
	case addr >= globalBase:
		if i := int(addr-globalBase) / 8; i < len(s.globals) {
			return &s.globals[i]
		}
	}
	panic(fault("an invalid address"))
}

// load returns n bytes at addr, which lie in one word.
func (s *state) load(addr uint64, n int64) uint64 {
	sh := 8 * (addr & 7)
	return *s.word(addr) >> sh & mask(n)
}

func (s *state) store(addr uint64, n int64, v uint64) {
	w, sh := s.word(addr), 8*(addr&7)
	*w = *w&^(mask(n)<<sh) | (v&mask(n))<<sh
}

func mask(n int64) uint64 {
	if n >= 8 {
		return ^uint64(0)
	}
	return 1<<(8*n) - 1
}

// byteAt reads a byte of a string.
func (p *Program) byteAt(s *state, addr uint64) byte {
	if addr >= rodataBase && addr < globalBase {
		if i := int(addr - rodataBase); i < len(p.rodata) {
			return p.rodata[i]
		}
		panic(fault("an invalid string"))
	}
	return byte(s.load(addr, 1))
}

func (p *Program) textAt(s *state, addr, n uint64) string {
	if n > 1<<12 {
		panic(fault("a string that is too long"))
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = p.byteAt(s, addr+uint64(i))
	}
	return string(b)
}

// alloc makes an object in g's part of the heap.
func (g *goroutine) alloc(size int64) uint64 {
	n := max(words(size), 1)
	if len(g.heap)+n > maxHeap {
		panic(fault("too much memory"))
	}
	a := g.heapAddr() + uint64(len(g.heap))*8
	for range n {
		g.heap = append(g.heap, 0)
	}
	return a
}

// The limits of a tiny program.
const (
	maxHeap   = 1 << 12 // words of one goroutine
	maxFrames = 64
	maxSteps  = 1 << 14 // instructions between two scheduling points
	maxGos    = 32
)

// hash identifies the state (PT3). With whole, dead registers are part of it.
func (s *state) hash(whole bool) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range s.globals {
		h = mix(h, w)
	}
	var order [maxGos]*goroutine
	gs := order[:copy(order[:], s.gs)]
	slices.SortFunc(gs, func(a, b *goroutine) int { return int(a.name) - int(b.name) })
	for _, g := range gs {
		h = g.hash(mix(h, g.name), whole)
	}
	return h
}

func (g *goroutine) hash(h uint64, whole bool) uint64 {
	for _, w := range g.heap {
		h = mix(h, w)
	}
	if g.ended {
		return mix(h, 1+truth(g.off)+truth(g.past)<<1+uint64(g.left)<<2)
	}
	for _, w := range g.stack {
		h = mix(h, w)
	}
	h = mix(mix(mix(h, g.timer.at), g.timer.ch), g.timer.fn)
	var bits uint64
	for i, b := range [...]bool{g.panics, g.waits, g.leaving, g.fresh, g.off, g.past} {
		if b {
			bits |= 1 << i
		}
	}
	h = mix(h, uint64(g.left)<<48^uint64(g.pos)<<32|uint64(g.ticket)<<24|g.children<<8|bits)
	h = mix(h, g.group)
	if whole {
		for _, w := range g.regs {
			h = mix(h, w)
		}
	}
	for _, d := range g.defers {
		h = mix(mix(mix(h, uint64(d.ins.in.Pos())), d.args[0]), d.args[1])
	}
	for i := range g.frames {
		f := &g.frames[i]
		h = mix(h, uint64(f.fn.id)<<32|uint64(f.ip)<<8|uint64(f.phase))
		x := &f.fn.ins[f.ip]
		live := x.live
		if i < len(g.frames)-1 && f.phase == 0 {
			live = x.after
		}
		regs := g.regs[f.base:]
		for _, w := range live {
			h = mix(h, regs[w])
		}
		if f.phase > 0 || g.leaving { // the instruction is half executed
			for w := range x.n {
				h = mix(h, regs[x.dst+w])
			}
		}
	}
	return h
}

func mix(h, w uint64) uint64 {
	hi, lo := bits.Mul64(h^w^0xa0761d6478bd642f, 0xe7037ed1a0b428db+h)
	return hi ^ lo + w
}
