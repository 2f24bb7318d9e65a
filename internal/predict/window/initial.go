package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Initial values (MO12). What a location holds before its first access in a window is known
//
//   - from the last access before it in the trace (carry);
//   - without an access since its allocation, to be zero, if the Alloc says so (FlagZero) and
//     traced code has asked for the memory. Outside code fills what it allocates;
//   - for a key of a sync.Map or an object in a sync.Pool, without an operation, to be nothing;
//   - for a package-level variable without any access, from what package initialisation has left
//     there (Meta.Variables). Off the recorded path this counts only where the initialisation is
//     over in every reordering of the window (initialised): the trace has no writes of it.
//
// Outside code may have written since then without a record (WI3). It has not, if several
// goroutines access the location in the window and one of them writes. The turn of the write has
// ended then. So the trace has the late record of its last write after it, and the value counts as
// unknown.
//
// Off the recorded path the records of other goroutines do not show what outside code has written:
// a location without an access may have been written to as soon as outside code has run (fresh).
// Two kinds of variables keep their values: those that only instrumented code accesses (Own of
// trace.Global), and those whose first outside write is in the trace (Watched), as long as no call
// was made of C, of assembly, or of the system, that may write without a record.
//
// Otherwise the location holds what the first inside read of the window finds there, before any
// write. If there is no such read, the value is unknown: no read of it is intact except reads of
// outside code, and no guard that depends on it holds.

// A channel that package initialisation has left empty and open (Meta.Channels) has its capacity
// from there. The first operation on it in the trace, or off the recorded path, finds it so.

// begun takes the package-level variables into the state before the buffer, once package
// initialisation is over (MO12).
func (b *state) begun(index int64) {
	meta := b.opt.Meta
	if b.seeded || meta == nil || b.opt.NoValues || index < meta.VariablesAt {
		return
	}
	b.seeded = true
	b.pkgs.blind = b.pkgs.blind || len(b.pkgs.away) > 0
	tick := b.carry.runs.tick
	for i := range b.buf {
		if b.showsOutside(&b.buf[i].Event) {
			tick++
		}
	}
	for _, v := range meta.Variables {
		for i, x := range v.Data {
			addr := uint64(v.Addr) + uint64(i)
			b.carry.mem.set(addr, uint64(x), 1<<(addr&7), tick)
			b.carry.mem.at(addr >> pageShift).fresh[addr>>3%wordsOf] |= 1 << (addr & 7)
		}
	}
}

// packages is what a builder knows of package initialisation, which ends before the event at.
type packages struct {
	meta  *trace.Meta
	after map[trace.GoID]bool // goroutines that can only start afterwards
	away  map[away]bool
	lost  map[trace.Addr]bool // channels of the meta whose memory was allocated again
	blind bool                // such a call was made after package initialisation has begun to end
}

// main reports whether g executes package initialisation and then main.main.
func (p *packages) main(g trace.GoID) bool {
	return int(g) < len(p.meta.Goroutines) && p.meta.Goroutines[g].Func == "runtime.main"
}

// starts takes a Go.
func (p *packages) starts(index int64, e *trace.Event) {
	if p.meta != nil && index >= p.meta.VariablesAt && (p.after[e.G] || p.main(e.G)) {
		p.after[trace.GoID(e.Obj)] = true
	}
}

// away is a goroutine in C code (StateC), or in another call that may write memory without a record
// (StateProgram).
type away struct {
	g     trace.GoID
	state trace.Addr
}

// observes takes an Observe: it may begin such a call, or end it.
func (p *packages) observes(index int64, e *trace.Event) {
	k := away{e.G, e.Obj}
	switch {
	case e.Flags&format.FlagWrite == 0:
		delete(p.away, k)
	case e.Obj != format.StateC && e.Flags&format.FlagNoValue == 0:
	case p.meta != nil && index < p.meta.VariablesAt:
		p.away[k] = true
	default:
		p.blind = true
	}
}

// allocates takes an Alloc: what was a channel there is gone.
func (p *packages) allocates(index int64, e *trace.Event) {
	if p.meta == nil || len(p.meta.Channels) == 0 || index < p.meta.VariablesAt {
		return
	}
	list := p.meta.Channels
	i, _ := slices.BinarySearchFunc(list, e.Obj, compareChannel)
	for ; i < len(list) && uint64(list[i].Addr-e.Obj) < e.Val; i++ {
		p.lost[list[i].Addr] = true
	}
}

func compareChannel(c trace.Channel, addr trace.Addr) int { return cmp.Compare(c.Addr, addr) }

// capacity returns the capacity of a channel that package initialisation has made.
func (p *packages) capacity(ch trace.Addr) (n uint64, ok bool) {
	if p.meta == nil || p.lost[ch] {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(p.meta.Channels, ch, compareChannel)
	if !ok {
		return 0, false
	}
	return p.meta.Channels[i].Cap, true
}

// variable returns the package-level variable at addr, nil if there is none that is known.
func (p *packages) variable(addr uint64) *trace.Global {
	if p.meta == nil {
		return nil
	}
	list := p.meta.Globals
	i, found := slices.BinarySearchFunc(list, addr, func(g trace.Global, addr uint64) int { return cmp.Compare(uint64(g.Addr), addr) })
	if !found {
		i--
	}
	if i < 0 || addr-uint64(list[i].Addr) >= list[i].Size {
		return nil
	}
	return &list[i]
}

// own reports whether only instrumented code accesses addr, a variable.
func (p *packages) own(addr uint64) bool {
	g := p.variable(addr)
	return g != nil && g.Own
}

// index is the number of the trace event before which the fork is.
func (s *surroundings) index() int64 {
	if s.fork < s.m.onPath {
		return s.m.recs[s.fork].Index
	}
	return s.Until()
}

// watched reports whether the first write of outside code to addr, a variable, is in the trace.
func (p *packages) watched(addr uint64) bool {
	if p.blind || p.meta == nil || p.meta.Unhooked {
		return false
	}
	g := p.variable(addr)
	return g != nil && g.Watched
}

// untouched reports whether addr is a watched variable without an access since package
// initialisation, up to the window.
func (s *surroundings) untouched(addr uint64, mask uint8) bool {
	return s.m.b.carry.mem.areFresh(addr&^7, mask) && s.m.b.pkgs.watched(addr)
}

// initialised reports whether package initialisation is over at the fork, in every reordering.
func (s *surroundings) initialised() bool {
	p := &s.m.b.pkgs
	at := p.meta.VariablesAt
	return s.m.recs[0].Index >= at || s.index() >= at && p.main(s.g) || p.after[s.g]
}

// unreadable is a number that programs hardly ever have in memory. It is the value of an event
// whose value is unknown; the event's ValDeps or its object's Unknown make it so.
const unreadable = uint64(1)<<63 | 0x5eed

// unread gives an atom with an unknown initial value a number that no read returns.
func (a *atom) unread() {
	v := unreadable
	for again := true; again; {
		again = false
		for _, x := range a.reads {
			if x == v {
				v, again = v+1, true
			}
		}
	}
	a.initial, a.unknown, a.reads = v, true, nil
}
