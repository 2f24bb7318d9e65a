package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// word is one generation of an aligned word in a window: from an Alloc, or from the
// window's start, to the next Alloc or the end. Its atoms are the coarsest partition
// of its bytes in which every access covers whole atoms; each atom is a location.
type word struct {
	addr    uint64
	alloced bool // in this window
	zero    bool // with alloced: its memory was cleared,
	noValue bool // values are writers
	outside bool // outside code accesses it
	atoms   []atom
}

// atom is some bytes of a word that every access covers whole or not at all.
type atom struct {
	mask    uint8
	first   trace.GoID // the goroutine of the first access
	used    bool
	many    bool // several goroutines access it
	write   bool // an access writes
	off     bool // an alternative accesses it
	opaque  bool // an atomic access came from code that was not instrumented
	missing bool // some D has it

	// With missing: its accesses have no events (quiet.go), and one has read what excluded code
	// has left.
	quiet, found bool

	// dirty: a write has come after the last MethodBegin that reads the atom and that comes before
	// all other such MethodBegins. strict are the reads of it since.
	dirty  bool
	strict []int32

	obj     model.Obj
	version model.Obj // of the contents, where values were not recorded

	initial    uint64
	unknown    bool // initial stands for an unknown value
	cur        uint64
	curSet     bool
	firstWrite bool       // the first access of the window writes
	reads      []uint64   // with firstWrite and no initial value: what was read
	last       int64      // trace index of the last access
	events     []int32    // of a shared atom: the last event of each thread
	barrier    int32      // the last hidden write, or -1
	deps       []int32    // of an atom that is not shared: what its content was computed from
	value      *expr.Expr // and its bytes as a term; nil: unknown, or they do not change
	order      ordering

	guessed bool // initial is what the first access of the window reads
	settled bool // initial must not be changed
	wrote   bool // an access of the window has written
	lately  bool // outside code was the last to write
	vague   bool // of an atom that is not shared: outside code was the last to write

	outsideWrites []outsideWrite
	lanes         []lane // if outside code accesses its word
	log           []logged

	lost bool // the last write is by a goroutine that has ended in the window before it
	// a write by outside code of such a goroutine has come since one that is not lost
	lostOutside bool

	// insideBy is the goroutine whose inside write was the last write at the record that the pass
	// is at; 0: none. inside is what that write was computed from.
	insideBy trace.GoID
	inside   []int32
}

func (a *atom) shared() bool { return a.many && a.write || a.off || a.missing && !a.quiet }

// synch is an object of a window.
type synch struct {
	key        objKey
	first      trace.GoID
	many, keep bool
	noValue    bool // channel: values are sends
	opaque     bool // some operation came from code that was not instrumented
	missing    bool // some D has it
	acquire    int  // hidden: record of the last Acquire
	pool       bool // hidden: what is got from a sync.Pool
	poisoned   bool // an operation that others must follow is not in the window
	init, cur  *object
	obj        model.Obj
	order      ordering
}

func (s *synch) kept() bool {
	return s.several() || s.keep || s.init.cap == 0 && len(s.init.queue) > 0 || len(s.init.waiters) > 0
}

// several reports whether several goroutines use the object.
func (s *synch) several() bool { return s.many }

// layout is what a window is made of: its records, and the words, objects and allocations that they
// name. Pass gather finds them. The passes that follow share it.
type layout struct {
	b      *state   // what is known of the trace up to the end of the buffer
	no     uint32   // the number of the layout, for wordUse
	recs   []record // of the buffer, and behind them those of alternatives
	onPath int      // the number of those of the buffer

	words  []word
	parts  map[part]int32 // words that have parts of several allocations
	objs   []synch
	objAt  map[objKey]int32
	objsIn map[uint64][]objKey // by page

	allocs  []span
	allocIn map[uint64][]int32 // by page: allocs that meet it
	bigs    []int32            // allocs too large for allocIn
	past    int32              // allocs before the record that the pass is at

	// the last record that shows outside code that may access memory
	near int32
	ran  map[trace.GoID][]int32 // records that show that outside code of a goroutine has run
	// calls of excluded code, in order; of those with one D, the first
	begun    []*excluded.Pair
	begunD   map[excluded.Name]bool
	lastRec  map[trace.GoID]int // the last record of each goroutine
	counting bool               // an event reads the number of goroutines (WI5)

	byWord []int32             // accesses by word, for at; nil: not yet needed
	closes map[trace.Addr]bool // channels that are closed, for surroundings; nil: not yet needed
}

type span struct {
	addr, size uint64
	zero       bool
	first      bool // format.FlagFirst
	g          trace.GoID
	at         int // record
}

const bigAlloc = 1 << 18

func newLayout(b *state) *layout {
	b.layouts++
	return &layout{
		b: b, no: b.layouts, recs: b.buf, onPath: len(b.buf),
		objAt: make(map[objKey]int32), objsIn: make(map[uint64][]objKey), allocIn: make(map[uint64][]int32),
		lastRec: make(map[trace.GoID]int), parts: make(map[part]int32), ran: make(map[trace.GoID][]int32),
	}
}

// gather finds the words and objects of the window and the sizes of accesses.
func (m *layout) gather() {
	for i := range m.recs {
		if e := &m.recs[i].Event; m.b.showsOutside(e) {
			if m.ran[e.G] = append(m.ran[e.G], int32(i)); !m.b.apart(e) {
				m.near = int32(i)
			}
		}
		m.lastRec[m.recs[i].Event.G] = i
		m.gatherRecord(i)
	}
}

func (m *layout) gatherRecord(i int) {
	r := &m.recs[i]
	r.mem, r.obj, r.skip = -1, -1, false
	switch {
	case r.Event.Kind.IsAccess():
		r.mem = m.word(uint64(r.Event.Obj), r.Event.Size)
		w := &m.words[r.mem]
		w.refine(built.ByteMask(uint64(r.Event.Obj), r.Event.Size))
		w.refine(bytesIn(&r.Event))
		w.outside = w.outside || r.outside()
		w.noValue = w.noValue || m.b.opt.NoValues || r.Event.Flags&format.FlagNoValue != 0 && !r.outside() || m.b.keepsText(&r.Event)
	case r.Event.Kind == format.MethodBegin:
		m.begins(r.Pair)
	case r.Event.Kind == format.Alloc:
		m.alloc(span{uint64(r.Event.Obj), r.Event.Val, m.b.opt.Cleared || r.Event.Flags&format.FlagZero != 0, r.Event.Flags&format.FlagFirst != 0, r.Event.G, i})
	default:
		if c, ok := classOf(r.Event.Kind); ok && (r.Event.Kind != format.SelectCase || r.Event.Obj != 0) {
			r.obj = m.object(objKey{c, objectOf(&r.Event)})
			m.noteOperation(&m.objs[r.obj], i, r)
		}
	}
}

func (m *layout) word(addr uint64, size uint16) int32 {
	u := m.use(addr)
	switch {
	case u.layout != m.no:
		u.layout, u.word = m.no, m.newWord(addr, m.lastAlloc(addr, bytesOf(addr, size)))
	case u.word == split:
		k := part{addr &^ 7, m.lastAlloc(addr, bytesOf(addr, size))}
		i, ok := m.parts[k]
		if !ok {
			i = m.newWord(addr, k.alloc)
			m.parts[k] = i
		}
		return i
	}
	return u.word
}

// use is what the builder keeps of the word at addr.
func (m *layout) use(addr uint64) *wordUse {
	return &m.b.seen.words.at(addr >> pageShift)[addr>>3%wordsOf]
}

func (m *layout) newWord(addr uint64, alloc int32) int32 {
	w := word{addr: addr &^ 7, alloced: alloc >= 0}
	if w.alloced {
		w.zero = m.allocs[alloc].zero
	}
	m.words = append(m.words, w)
	return int32(len(m.words) - 1)
}

// part is the bytes of a word that one Alloc of the window made new, or none (-1): small
// objects share words.
type part struct {
	addr  uint64
	alloc int32
}

// split is in place of the number of a word that has parts.
const split = -2

// bytesOf is the number of bytes of its word that an access covers. Size 0 is the rest of the word.
func bytesOf(addr uint64, size uint16) uint64 {
	if size == 0 || size > 8 {
		return 8 - addr&7
	}
	return uint64(size)
}

func (m *layout) object(k objKey) int32 {
	if i, ok := m.objAt[k]; ok {
		return i
	}
	i := int32(len(m.objs))
	o := synch{key: k, obj: -1, acquire: -1, missing: m.b.miss.reaches(excluded.Object(uint64(k.addr)))}
	if m.lastAlloc(uint64(k.addr), 1) >= 0 {
		o.init = &object{known: k.class != chanClass}
	} else if c := m.b.carry.objects[k]; c != nil {
		o.init = c.clone()
	} else {
		o.init = &object{}
	}
	m.objs = append(m.objs, o)
	m.objAt[k] = i
	no := uint64(k.addr) >> carryPageShift
	m.objsIn[no] = append(m.objsIn[no], k)
	return i
}

// tell notes what an event tells about its object.
func (m *layout) noteOperation(o *synch, i int, r *record) {
	if o.first == 0 && o.cur == nil {
		if r.Event.Kind != format.CondWait && r.Event.Kind != format.SelectCase && (r.way == 0 || o.key.class == chanClass) {
			o.init.infer(&r.Event)
		}
		o.first, o.cur = r.Event.G, o.init.clone()
	}
	o.many = o.many || o.first != r.Event.G
	o.opaque = o.opaque || m.hidden(r)
	switch r.Event.Kind {
	case format.SelectCase:
		o.keep = true
		if !o.init.known {
			o.init.infer(&r.Event)
			o.cur = o.init.clone()
		}
	case format.Acquire:
		o.acquire, o.pool = i, r.Event.Flags&format.FlagPool != 0
	case format.Observe:
		m.counting = m.counting || r.Event.Obj == format.StateGoroutines
		if r.Event.Flags&format.FlagRead != 0 {
			o.acquire = i
		}
	case format.ChanSend, format.ChanRecv:
		o.noValue = o.noValue || m.b.opt.NoValues || r.Event.Flags&(format.FlagNoValue|format.FlagClosed) == format.FlagNoValue
	}
}

// alloc ends the generation of what stands in s.
func (m *layout) alloc(s span) {
	for _, end := range []uint64{s.addr, s.addr + s.size} {
		if end&7 != 0 && s.size > 0 {
			m.splitWord(end)
		}
	}
	n := int32(len(m.allocs))
	m.allocs = append(m.allocs, s)
	m.past++
	m.b.seen.words.within(s.addr, s.size, func(p *usePage, first, last int) {
		for k := first; k <= last; k++ {
			if p[k].layout == m.no && p[k].word != split {
				p[k].layout = 0
			}
		}
	})
	eachPage(m.objsIn, s.addr, s.size, func(list []objKey) {
		for _, k := range list {
			if uint64(k.addr)-s.addr < s.size {
				delete(m.objAt, k)
			}
		}
	})
	if s.size > bigAlloc {
		m.bigs = append(m.bigs, n)
		return
	}
	for no := s.addr >> carryPageShift; s.size > 0 && no <= (s.addr+s.size-1)>>carryPageShift; no++ {
		m.allocIn[no] = append(m.allocIn[no], n)
	}
}

// splitWord gives the word at addr parts.
func (m *layout) splitWord(addr uint64) {
	u := m.use(addr)
	if u.layout == m.no && u.word != split {
		m.parts[part{addr &^ 7, m.lastAlloc(addr&^7, 8)}] = u.word
	}
	u.layout, u.word = m.no, split
}

// lastAlloc returns the last Alloc so far, in the pass that is under way, that holds some of the n
// bytes at addr, which are of one word; or -1.
func (m *layout) lastAlloc(addr, n uint64) int32 {
	best := int32(-1)
	for _, list := range [][]int32{m.allocIn[addr>>carryPageShift], m.bigs} {
		for k := len(list) - 1; k >= 0 && list[k] > best; k-- {
			if s := m.allocs[list[k]]; list[k] < m.past && addr+n > s.addr && addr < s.addr+s.size {
				best = list[k]
			}
		}
	}
	return best
}

// refine splits the atoms of w so that mask is a union of some, adding an atom for new bytes.
func (w *word) refine(mask uint8) {
	for i := 0; i < len(w.atoms) && mask != 0; i++ {
		both := w.atoms[i].mask & mask
		if rest := w.atoms[i].mask &^ mask; both != 0 && rest != 0 {
			w.atoms[i].mask = both
			w.atoms = append(w.atoms, atom{mask: rest, obj: -1, version: -1, barrier: -1})
		}
		mask &^= both
	}
	if mask != 0 {
		w.atoms = append(w.atoms, atom{mask: mask, obj: -1, version: -1, barrier: -1})
	}
}

// meet marks the non-blocking sends on unbuffered channels whose partner the window
// does not have: nothing of their thread is in the window from there on.
func (m *layout) skipUnpaired() {
	waits := make(map[int32]int)
	for i := range m.recs {
		r := &m.recs[i]
		if r.Event.Aux != 0 || r.obj < 0 {
			continue
		}
		switch {
		case r.Event.Kind == format.ChanSend && r.Event.Flags&format.FlagNonBlocking != 0:
			waits[r.obj] = i
		case r.Event.Kind == format.ChanRecv:
			delete(waits, r.obj)
		}
	}
	for _, i := range waits {
		m.recs[i].skip = true
	}
}

// at returns the records that access the word of addr, in order.
func (m *layout) at(addr uint64) []int32 {
	word := func(i int32) uint64 { return uint64(m.recs[i].Event.Obj) >> 3 }
	if m.byWord == nil {
		m.byWord = make([]int32, 0, m.onPath)
		for i := range m.recs[:m.onPath] {
			if m.recs[i].mem >= 0 {
				m.byWord = append(m.byWord, int32(i))
			}
		}
		slices.SortFunc(m.byWord, func(i, j int32) int { return cmp.Or(cmp.Compare(word(i), word(j)), cmp.Compare(i, j)) })
	}
	lo, _ := slices.BinarySearchFunc(m.byWord, addr>>3, func(i int32, w uint64) int { return cmp.Compare(word(i), w) })
	hi := lo
	for hi < len(m.byWord) && word(m.byWord[hi]) == addr>>3 {
		hi++
	}
	return m.byWord[lo:hi]
}

// allocsBefore is the number of allocs before record i.
func (m *layout) allocsBefore(i int) int32 {
	n, _ := slices.BinarySearchFunc(m.allocs, i, func(s span, i int) int { return cmp.Compare(s.at, i) })
	return int32(n)
}

// generation returns the last of the first n allocs that holds addr, -1 for none.
func (m *layout) generation(addr uint64, n int32) int32 {
	past := m.past
	m.past = n
	g := m.lastAlloc(addr, 1)
	m.past = past
	return g
}

// lastRan is the last event of the trace, not after event index, that shows that outside code of g
// has run; -1 if there is none in the window.
func (m *layout) lastRan(g trace.GoID, index int64) int64 {
	list := m.ran[g]
	k, _ := slices.BinarySearchFunc(list, index+1, func(i int32, x int64) int { return cmp.Compare(m.recs[i].Index, x) })
	if k == 0 {
		return -1
	}
	return m.recs[list[k-1]].Index
}

// restsOnOld reports whether what an outside write leaves rests on what was there (WI1). Beside
// missing methods that is not kept.
func (m *layout) restsOnOld(r *record) bool { return r.Event.Size == 1 && !m.b.miss.active() }

// ranSince reports whether outside code of g may have run between event index of the trace, -1: the
// start of the window, and record i.
func (m *layout) ranSince(g trace.GoID, index int64, i int) bool {
	list := m.ran[g]
	k, _ := slices.BinarySearch(list, int32(i))
	return k > 0 && m.recs[list[k-1]].Index > index || index < m.recs[0].Index && m.b.carry.runs.last[g] > 0
}

// racy reports whether the order of accesses to the word of a record is not certain: a race was
// observed there.
func (m *layout) racy(r *record) bool { return m.racyAt(uint64(r.Event.Obj)) }

func (m *layout) racyAt(addr uint64) bool {
	_, ok := m.b.racy[addr>>3]
	return ok || m.raceForeseen(addr)
}

// raceForeseen reports whether a race of the run on a word that outside code accesses is known from
// the start.
func (m *layout) raceForeseen(addr uint64) bool {
	r := m.b.run
	if r == nil {
		return false
	}
	_, ok := r.words[addr>>3]
	return ok || r.all
}

// hidden says whether a record is an operation of code outside, about which nothing but the order
// is known. A ChanLen may stand for a panic, because the channel is closed: it comes behind what
// closed it.
func (m *layout) hidden(r *record) bool {
	return r.Event.Flags&format.FlagOpaque != 0 && (r.Event.Kind == format.ChanLen || m.b.miss.active())
}

// begins notes a call of the window.
func (m *layout) begins(p *excluded.Pair) {
	if name, ok := p.D.Name(); ok {
		if m.begunD[name] {
			return
		}
		if m.begunD == nil {
			m.begunD = make(map[excluded.Name]bool)
		}
		m.begunD[name] = true
	}
	if !p.D.Empty() {
		m.begun = append(m.begun, p)
	}
}

// reachedHere says whether a call that is open in the window before trace event index reaches t.
func (m *layout) reachedHere(t excluded.Touch, index int64) bool {
	for _, list := range m.b.miss.open {
		if slices.ContainsFunc(list, func(p *excluded.Pair) bool { return p.D.Hits(t) }) {
			return true
		}
	}
	for _, p := range m.begun {
		if p.Begin >= index {
			return false
		}
		if p.D.Hits(t) {
			return true
		}
	}
	return false
}

// demands says whether r can only be if missing code has run, where values do not say so:
// operations of objects, and accesses to what has no values.
func (m *layout) demands(r *record) bool {
	if !r.Event.Kind.IsAccess() {
		return true
	}
	if r.mem < 0 {
		return true
	}
	w := &m.words[r.mem]
	return w.noValue
}
