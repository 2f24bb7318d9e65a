package window

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// BuildOptions are the choices of a Builder. The zero value is the recommended one.
type BuildOptions struct {
	// Size is the number of events of a window that matter for races; 0: 10,000.
	Size int
	// Raw bounds the number of trace events a window spans; 0: 64 times Size.
	Raw int
	// Apart lets windows follow each other without overlap. By default the second
	// half of a window is the first half of the next.
	Apart bool
	// NoValues says that the trace has no values at all (another tool's): every read
	// keeps its writer, and no write is a function of what was there.
	NoValues bool
	// Cleared says that allocated memory is zero until it is written. It is not so where append
	// moves elements to a new array, which is not recorded.
	Cleared bool
	// Walked says that Flows come from a walk.
	Walked bool
	// Meta names the functions of opaque calls; it may be nil.
	Meta *trace.Meta
}

// Built is a window with where it comes from.
type Built struct {
	*Window
	From, To int64 // the trace events it spans: From ≤ i < To
	Done     int64 // two events both before Done were in the window before this one
}

// BuildCounts is what a Builder did and what it left out.
type BuildCounts struct {
	Windows int
	// Crowded is the number of words accessed in more ways than Apart keeps, and of
	// accesses to words it does not keep because there are too many.
	Crowded int64
	// Cut is the number of times a thread ended early in a window, because the recorded order does not
	// enable its next event ("The recorded order" in docs/model.md).
	Cut int64
	// Hidden is the number of reads that returned what no recorded write wrote.
	Hidden int64
	// Opaque is the number of opaque calls that order something around them.
	Opaque int64
}

// record is a trace event in the builder's buffer.
type record struct {
	e      trace.Event
	index  int64
	needs  []int64
	from   []int64
	walked bool
	touch  touch // OpaqueBegin, OpaqueEnd
	chosen bool  // a case of a select
	skip   bool  // not in any window
	mem    int32
	obj    int32
}

// Builder cuts a trace into windows. Add the events in order, then Flush.
type Builder struct {
	opt       BuildOptions
	emit      func(*Built) error
	buf       []record // from the start of the next window on
	carry     carry    // the state before buf
	seen      interest // what of buf matters
	past      map[uint64]*pastWord
	births    map[trace.GoID]birth
	apart     map[[2]trace.Site]bool
	calls     []calls // by GoID
	prints    footprints
	done      int64
	places    []int32             // for makers: records by trace event from the first of buf on, +1; 0: none
	selecting map[trace.GoID]bool // its last event was a SelectCase
	fresh     int                 // records of buf that no window has held
	count     BuildCounts
}

// NewBuilder returns a builder that calls emit for each window.
func NewBuilder(opt BuildOptions, emit func(*Built) error) *Builder {
	if opt.Size == 0 {
		opt.Size = 10_000
	}
	if opt.Raw == 0 {
		opt.Raw = 64 * opt.Size
	}
	return &Builder{
		opt: opt, emit: emit,
		carry: newCarry(), seen: newInterest(),
		past: make(map[uint64]*pastWord), apart: make(map[[2]trace.Site]bool), births: make(map[trace.GoID]birth), selecting: make(map[trace.GoID]bool), prints: newFootprints(opt.Meta),
	}
}

// Counts returns what was done so far.
func (b *Builder) Counts() BuildCounts { return b.count }

// Add takes the next event of the trace. The slices of f are copied.
func (b *Builder) Add(index int64, e *trace.Event, f Flow) error {
	r := record{e: *e, index: index, walked: f.Walked, mem: -1, obj: -1}
	b.call(&r)
	if !b.wants(e, &f) {
		return nil
	}
	if len(f.Needs) > 0 {
		r.needs = append([]int64(nil), f.Needs...)
	}
	if len(f.From) > 0 {
		r.from = append([]int64(nil), f.From...)
	}
	switch {
	case e.Kind.IsAccess():
		b.missed(e)
	case e.Kind == format.Go:
		b.births[trace.GoID(e.Obj)] = birth{e.G, index}
	case e.Kind == format.SelectCase:
		b.selecting[e.G] = true
	case b.selecting[e.G]:
		r.chosen = true
		delete(b.selecting, e.G)
	}
	b.buf = append(b.buf, r)
	b.fresh++
	b.seen.add(&b.buf[len(b.buf)-1])
	if (b.seen.n >= b.opt.Size || len(b.buf) >= b.opt.Raw) && b.seen.meeting == 0 {
		return b.window(false)
	}
	return nil
}

// Flush makes the last window.
func (b *Builder) Flush() error {
	if b.fresh == 0 {
		return nil
	}
	return b.window(true)
}

// wants says whether an event can matter.
func (b *Builder) wants(e *trace.Event, f *Flow) bool {
	switch e.Kind {
	case format.Value, format.Word, format.Block, format.Enter, format.Exit:
		return len(f.Needs) > 0
	case format.Read, format.Write:
		return e.Obj != 0 && (e.Flags&format.FlagStack == 0 || b.opt.Walked) // 0: a nil map
	case format.End:
		return false
	}
	return true
}

// window builds a window of the buffer, emits it, and drops what the next one does not need.
func (b *Builder) window(last bool) error {
	first, end := b.buf[0].index, b.buf[len(b.buf)-1].index+1
	m := newMaker(b)
	w := m.make()
	b.count.Windows++
	b.fresh = 0
	err := b.emit(&Built{Window: w, From: first, To: end, Done: b.done})
	if err != nil {
		return err
	}
	b.done = end
	if last {
		b.buf = nil
		return nil
	}
	b.slide(b.next(m))
	return nil
}

// next returns where in the buffer the next window starts: in the middle of the events that
// matter, but not between a non-blocking send and its partner.
func (b *Builder) next(m *maker) int {
	if b.opt.Apart {
		return len(b.buf)
	}
	// A window that is full of events that do not matter must move on all the same.
	least := max(1, len(b.buf)/8)
	if len(b.buf) >= b.opt.Raw {
		least = len(b.buf) / 2
	}
	n, meeting := 0, make(map[trace.Addr]bool)
	for i := range b.buf {
		r := &b.buf[i]
		if 2*n >= len(m.w.Events) && len(meeting) == 0 && i >= least && b.buf[i-1].e.Flags&format.FlagMore == 0 {
			return i
		}
		if m.kept[i] {
			n++
		}
		meet(meeting, r)
	}
	return len(b.buf)
}

// meet keeps the unbuffered channels on which a send that is non-blocking or a case of a
// select waits for its receive.
func meet(meeting map[trace.Addr]bool, r *record) {
	if r.e.Aux != 0 {
		return
	}
	switch {
	case r.e.Kind == format.ChanSend && (r.chosen || r.e.Flags&format.FlagNonBlocking != 0):
		meeting[r.e.Obj] = true
	case r.e.Kind == format.ChanRecv:
		delete(meeting, r.e.Obj)
	}
}

// slide drops the first n records and takes them into the state before the buffer.
func (b *Builder) slide(n int) {
	for i := range b.buf[:n] {
		r := &b.buf[i]
		if !b.opt.NoValues || !r.e.Kind.IsAccess() {
			b.carry.apply(&r.e, b.opt.Cleared)
		}
		if r.e.Kind.IsAccess() {
			b.pass(r.index, &r.e)
		}
	}
	k := copy(b.buf, b.buf[n:])
	clear(b.buf[k:])
	b.buf = b.buf[:k]
	b.seen = newInterest()
	for i := range b.buf {
		b.seen.add(&b.buf[i])
	}
	// A window that is full again at once would never end: at least its second half is new.
	b.seen.n = min(b.seen.n, b.opt.Size/2)
}

// pastWord is the accesses of a word that no later window will hold, by who and where.
type pastWord struct {
	list    []pastAccess
	full    bool         // there were more kinds of access than list holds
	checked []pastAccess // what later accesses were compared with all of list
}

type pastAccess struct {
	g     trace.GoID
	site  trace.Site
	write bool
	last  int64 // trace index of the last one
}

// maxPast bounds the kinds of access kept of one word, maxPastWords the words.
const (
	maxPast      = 16
	maxPastWords = 1 << 20
)

// maxApart bounds the pairs of sites that Apart returns.
const maxApart = 1 << 16

func pastOf(e *trace.Event) pastAccess {
	return pastAccess{g: e.G, site: e.Site, write: e.Kind.IsWrite()}
}

func (p *pastAccess) like(q *pastAccess) bool {
	return p.g == q.g && p.site == q.site && p.write == q.write
}

// pass takes an access that leaves the buffer.
func (b *Builder) pass(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	p := b.past[uint64(e.Obj)>>3]
	if p == nil && len(b.past) >= maxPastWords {
		b.count.Crowded++
		return
	}
	if p == nil {
		p = &pastWord{}
		b.past[uint64(e.Obj)>>3] = p
	}
	a := pastOf(e)
	for i := range p.list {
		if p.list[i].like(&a) {
			p.list[i].last = index
			return
		}
	}
	if len(p.list) == maxPast {
		if !p.full {
			p.full = true
			b.count.Crowded++
		}
		return
	}
	a.last = index
	p.list = append(p.list, a)
	p.checked = p.checked[:0]
}

// missed notes the pairs of sites that an access makes with accesses that left the
// buffer: no window will hold these two.
func (b *Builder) missed(e *trace.Event) {
	p := b.past[uint64(e.Obj)>>3]
	if p == nil || e.Flags&format.FlagStack != 0 {
		return
	}
	a := pastOf(e)
	for i := range p.checked {
		if p.checked[i].like(&a) {
			return
		}
	}
	for i := range p.list {
		q := &p.list[i]
		if q.g == a.g || !q.write && !a.write || b.forkOrders(q, a.g) {
			continue
		}
		if len(b.apart) < maxApart {
			b.apart[[2]trace.Site{min(q.site, a.site), max(q.site, a.site)}] = true
		}
	}
	if len(p.checked) < maxPast {
		p.checked = append(p.checked, a)
	}
}

// birth is the go statement that started a goroutine.
type birth struct {
	parent trace.GoID
	index  int64
}

// forkOrders says whether an access came before goroutine g, or an ancestor, was started by its goroutine.
func (b *Builder) forkOrders(q *pastAccess, g trace.GoID) bool {
	for range 64 {
		x, ok := b.births[g]
		if !ok {
			return false
		}
		if x.parent == q.g && q.last < x.index {
			return true
		}
		g = x.parent
	}
	return false
}

// Apart returns the pairs of sites of which two conflicting accesses were too far apart to be in one window.
// Others of the same sites may have been. A word that many sites access may have more.
func (b *Builder) Apart() map[[2]trace.Site]bool { return b.apart }

// interest counts, while a window fills, the events that will be in it: synchronisation,
// and accesses to words that several goroutines share, one of them writing.
type interest struct {
	n       int
	meeting int
	waits   map[trace.Addr]bool
	words   map[uint64]*wordUse
	last    *wordUse
	lastNo  uint64
}

type wordUse struct {
	g       trace.GoID
	n       int32
	many    bool
	written bool
}

func newInterest() interest {
	return interest{words: make(map[uint64]*wordUse), waits: make(map[trace.Addr]bool)}
}

func (s *interest) add(r *record) {
	e := &r.e
	switch {
	case e.Kind.IsAccess():
		if e.Flags&format.FlagStack == 0 {
			s.access(e)
		}
	case e.Kind == format.Alloc || e.Kind == format.Start || e.Kind == format.Enter || e.Kind == format.Exit:
	case r.touch == nothing && (e.Kind == format.OpaqueBegin || e.Kind == format.OpaqueEnd) && len(r.needs) == 0:
	default:
		s.n++
		meet(s.waits, r)
		s.meeting = len(s.waits)
	}
}

func (s *interest) access(e *trace.Event) {
	no := uint64(e.Obj) >> 3
	w := s.last
	if w == nil || s.lastNo != no {
		w = s.words[no]
		if w == nil {
			w = &wordUse{g: e.G}
			s.words[no] = w
		}
		s.last, s.lastNo = w, no
	}
	was := w.many && w.written
	w.n++
	w.many = w.many || w.g != e.G
	w.written = w.written || e.Kind.IsWrite()
	switch {
	case was:
		s.n++
	case w.many && w.written:
		s.n += int(w.n)
	}
}
