package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Addresses that no program has. From freshMemory on is memory that an alternative has allocated,
// from unseenMemory on are variables of packages that have no access yet.
const (
	freshMemory  = uint64(1) << 56
	unseenMemory = uint64(1) << 57
	freshSize    = uint64(1) << 24
)

// lowestPointer is the lowest address of an object, highestPointer lies above all of them. Words
// outside are numbers.
const (
	lowestPointer  = 4096
	highestPointer = uint64(1) << 48
)

// memory is what a path knows of memory (AL1): its own allocations, its stores, and the content at
// the fork.
type memory struct {
	around    flow.Surroundings
	stores    []stored // in order
	atomics   []stored // what operations of sync/atomic have written, without values
	allocated uint64   // number of objects
	locked    []uint64 // mutexes among them that are locked
	timers    []uint64 // timers among them,
	ticks     []uint64 // the channels to which one will send, and those that will call a function
	still     []uint64 // timers of the recorded run that run no more, and their channels
	contexts  []madeContext
	changed   []uint64 // maps that the path has written, with keys that are not known
	entries   []ownEntry
	later     []int   // allocations after the fork to whose memory the path has a pointer,
	old       *former // and those to which it may have had one before
	numbered  []numbered
	shared    bool // the path has started a goroutine
	reader    bool // one of these executes now: reads of the first one are not its own
	assumes   []flow.Assumption
}

// stored is what the alternative has stored.
type stored struct {
	addr uint64
	size int64
	val  Value
}

// clip makes copies of m independent: an append to one does not change another.
func (m *memory) clip() {
	m.stores, m.locked, m.assumes = slices.Clip(m.stores), slices.Clip(m.locked), slices.Clip(m.assumes)
	m.atomics = slices.Clip(m.atomics)
	m.timers, m.ticks, m.still = slices.Clip(m.timers), slices.Clip(m.ticks), slices.Clip(m.still)
	m.contexts = slices.Clip(m.contexts)
	m.changed, m.entries = slices.Clip(m.changed), slices.Clip(m.entries)
	m.numbered, m.later = slices.Clip(m.numbered), slices.Clip(m.later)
}

// allocate returns the address of a new object, of less than freshSize bytes, all zero.
func (m *memory) allocate() uint64 {
	m.allocated++
	return freshMemory + m.allocated*freshSize
}

// store makes v the content of memory.
func (m *memory) store(addr uint64, size int64, v Value) {
	m.stores = append(m.stores, stored{addr, size, v})
}

// load returns what memory at addr holds, if that is known: what the alternative has stored in
// memory of its own or that no other goroutine accesses, or the content at the fork. e has the
// goroutine and the site of the load.
func (m *memory) load(e trace.Event, addr uint64, size int64) (Value, bool) {
	own := addr >= freshMemory
	if !own && (m.shared || !m.around.Settled(addr) || m.around.Foreign(addr, size) || m.atomic(addr, size)) {
		return Value{}, false
	}
	for i := len(m.stores) - 1; i >= 0; i-- {
		s := &m.stores[i]
		switch {
		case addr+uint64(size) <= s.addr || s.addr+uint64(s.size) <= addr:
			continue
		case s.addr <= addr && addr+uint64(size) <= s.addr+uint64(s.size):
			return m.visible(s.at(addr, size)), true
		}
		return Value{}, own
	}
	switch {
	case addr >= unseenMemory:
		return Value{}, true
	case own:
		return zero(size), true
	}
	return m.atFork(e, addr, size)
}

// atomic reports whether an operation of sync/atomic has written a part of memory. What it holds is
// known from events alone.
func (m *memory) atomic(addr uint64, size int64) bool {
	return slices.ContainsFunc(m.atomics, func(s stored) bool {
		return addr < s.addr+uint64(s.size) && s.addr < addr+uint64(size)
	})
}

// loadOwn returns what memory holds that the path has allocated.
func (m *memory) loadOwn(addr uint64, size int64) (Value, bool) {
	if addr < freshMemory {
		return Value{}, false
	}
	return m.load(trace.Event{}, addr, size)
}

// at returns a part of what is stored.
func (s *stored) at(addr uint64, size int64) Value {
	if s.addr == addr && s.size == size {
		return s.val
	}
	return s.val.piece(int64(addr-s.addr), size)
}

// visible hides a value that depends on reads from a goroutine that the path has started: the reads
// are of another goroutine.
func (m *memory) visible(v Value) Value {
	if v.symbolic() && m.reader {
		return Value{}
	}
	return v
}

// atFork returns what memory at addr holds at the fork. The path then assumes this content.
func (m *memory) atFork(e trace.Event, addr uint64, size int64) (Value, bool) {
	t := &goval.Term{Words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range t.Words {
		t.Words[i] = expr.Word(0)
	}
	e.Kind = format.Read
	for at := int64(0); at < size; {
		n := wordAt(addr, at, size)
		e.Obj, e.Size = trace.Addr(addr+uint64(at)), uint16(n)
		bits, term, ok := m.around.Content(&e)
		if !ok || term == nil && !m.lasting(bits) { // or it is a pointer to what was there before
			return Value{}, false
		}
		m.assumes = append(m.assumes, flow.Assumption{Addr: addr + uint64(at), Size: n, Bits: bits, Term: term})
		if term == nil {
			term = expr.Word(bits)
		}
		t.Set(at, n, goval.Single(expr.PartOf(term, 0, n)))
		at += n
	}
	return bounded(t), true
}

// wordAt returns the size of the event at offset at of an access to size bytes: an event does not
// leave an aligned word.
func wordAt(addr uint64, at, size int64) int64 {
	return min(size-at, int64(8-(addr+uint64(at))%8))
}

// words appends the known words that the path has stored at addr to list.
func (m *memory) words(addr uint64, size int64, list []uint64) []uint64 {
	for i := range m.stores {
		s := &m.stores[i]
		if s.addr != addr || s.size != size || s.val.symbolic() {
			continue
		}
		if v, ok := s.val.Concrete.Bits(); ok && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// learns notes to which memory the path has read a pointer, if that was allocated after the fork.
func (m *memory) learns(v goval.Value) {
	m.old.allocations(v, func(n int) {
		if !slices.Contains(m.later, n) {
			m.later = append(m.later, n)
		}
	})
}

// settled reports whether addr, as the path has it, is of the object that is there at the end of
// the window: it has been there since the fork, or the path has read a pointer to it. The window
// distinguishes that from pointers to what was there before, and nothing else that the path knows
// may be one of these.
func (m *memory) settled(addr uint64) bool {
	n := m.around.Allocation(addr)
	return n == 0 || slices.Contains(m.later, n) && !m.old.has[n]
}

// lasting reports whether a word means the same to the end of the window: it is a number, or the
// address of an object that is not freed.
func (m *memory) lasting(w uint64) bool {
	return w < lowestPointer || w >= highestPointer || m.around.Settled(w)
}

// write returns the Flow of a write of the word v, and the word if it is known. ok is false if
// nothing is known of it.
func (m *memory) write(v Value) (f flow.Flow, word uint64, ok bool) {
	if !v.symbolic() {
		word, ok = v.Concrete.Bits()
		return f, word, ok && m.lasting(word)
	}
	if f.Value = v.Term.Word(0); f.Value == nil {
		return f, 0, false
	}
	if f.Value.IsConst() {
		word, _ = f.Value.Recorded()
		return flow.Flow{}, word, m.lasting(word)
	}
	for _, r := range f.Value.Reads() {
		f.From = append(f.From, r.Number())
	}
	return f, 0, true
}

// lock locks or unlocks a mutex that the path has allocated. It returns false if the goroutine
// would wait or panic.
func (m *memory) lock(kind format.Kind, mutex uint64) bool {
	held := slices.Index(m.locked, mutex)
	switch {
	case kind == format.Lock && held < 0:
		m.locked = append(m.locked, mutex)
	case kind == format.Unlock && held >= 0:
		m.locked = slices.Delete(slices.Clone(m.locked), held, held+1)
	default:
		return false
	}
	return true
}
