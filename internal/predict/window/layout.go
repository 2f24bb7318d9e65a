package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

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

	// the last record that shows that outside code which may access memory has run
	near int32
	ran  map[trace.GoID][]int32 // records that show that outside code of a goroutine has run
	// excluded calls that begin in the buffer, in order; of calls with the same D, the first
	begun    []*excluded.Pair
	begunD   map[excluded.Name]bool
	lastRec  map[trace.GoID]int // the last record of each goroutine
	counting bool               // an event reads the number of goroutines (WI5)
	ranged   []ranged           // calls of Range or Clear of sync.Maps

	// For surroundings; nil: not yet needed. The accesses by word, and those of outside code
	byWord, outsideByWord []int32
	closes                map[trace.Addr]bool    // channels that are closed
	sends                 map[trace.Addr][]int32 // sends of known values, by channel
	// by record: its goroutine, and those that this and its descendants start later
	started map[int32]map[trace.GoID]bool
	pooled  map[pooledAt]bool // whether the records agree with the word of an object of a pool
}

// ranged is a goroutine that calls Range or Clear of a sync.Map, and the state of its keys.
type ranged struct {
	g    trace.GoID
	keys trace.Addr
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

// gather is the pass that finds the words, objects and allocations.
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
	case r.Event.Kind == format.Acquire && format.IsMapKeys(r.Event.Obj) && !slices.Contains(m.ranged, ranged{r.Event.G, r.Event.Obj}):
		m.ranged = append(m.ranged, ranged{r.Event.G, r.Event.Obj})
		fallthrough
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

// use returns the counts of the word at addr in the current window.
func (m *layout) use(addr uint64) *wordUse {
	return &m.b.seen.words.at(addr >> pageShift)[addr>>3%wordsOf]
}

func (m *layout) newWord(addr uint64, alloc int32) int32 {
	w := word{addr: addr &^ 7, alloced: alloc >= 0, alloc: alloc}
	if w.alloced {
		w.zero = m.allocs[alloc].zero
	}
	m.words = append(m.words, w)
	return int32(len(m.words) - 1)
}

// part is the bytes of a word that one Alloc of the window made new, or none (-1). Small objects
// share words.
type part struct {
	addr  uint64
	alloc int32
}

// split stands for the number of a word that has parts.
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
	o := synch{key: k, obj: -1, acquire: -1, reached: m.b.excode.reaches(excluded.Object(uint64(k.addr)))}
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

// noteOperation notes what an event shows about the object it acts on.
func (m *layout) noteOperation(o *synch, i int, r *record) {
	if o.first == 0 && o.cur == nil {
		if r.Event.Kind != format.CondWait && r.Event.Kind != format.SelectCase && (r.alt == 0 || o.key.class == chanClass) {
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

// alloc begins a new generation of the words and objects in s.
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

// skipUnpaired marks the non-blocking sends on unbuffered channels without their receive in the
// window. They, and all later events of their threads, are not in the window.
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

// begins notes an excluded call that begins in the buffer.
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
