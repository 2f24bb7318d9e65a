package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// buffer holds the records from the start of the next window on.
type buffer struct {
	buf     []record
	places  []int32  // records by trace event from the first of buf on, +1; 0: none
	fresh   int      // records of buf that no window has held
	solo    bool     // buf is of one goroutine, and not noted (interest)
	seen    interest // counts of the events of buf that matter
	layouts uint32   // how many layouts there were
}

// interest counts, while a window fills, the events that will be in it: synchronisation,
// accesses to words that several goroutines share, one of them writing, and what depends on these.
type interest struct {
	n       int
	live    bool // a fresh access may conflict with one of the buffer
	varies  bool // a read of the buffer may return another value, or a receive
	meeting int
	waits   map[trace.Addr]bool
	chans   map[trace.Addr]chanUse
	words   *paged[usePage]
	gen     uint32 // uses of other generations are of earlier buffers
}

// maxUsePages bounds the pages that are kept from one window to the next.
const maxUsePages = 1 << 16

// chanUse is what the events of the buffer do with a channel.
type chanUse struct {
	receiver trace.GoID // 0: none
	many     bool       // receivers
	closed   bool
}

type usePage [wordsOf]wordUse

type wordUse struct {
	gen     uint32
	g       trace.GoID
	n       int32
	many    bool
	written bool
	plain   bool // an access is not atomic
	hot     bool // its content was computed from what an event of the window may read

	layout uint32 // the layout that gave it a number
	word   int32  // index into its words
}

func (u *wordUse) shared() bool { return u.many && u.written }

func newInterest() interest {
	return interest{words: &paged[usePage]{}, waits: make(map[trace.Addr]bool), chans: make(map[trace.Addr]chanUse), gen: 1}
}

// next begins the count of the next window.
func (s *interest) next() {
	s.n, s.live, s.varies, s.meeting = 0, false, false, 0
	clear(s.waits)
	clear(s.chans)
	s.gen++
	if len(s.words.pages) > maxUsePages {
		s.words.drop()
	}
}

// noteLast counts the last record of the buffer. While all are of one goroutine nothing can be
// shared: only synchronisation is counted, and the rest is noted when another goroutine comes.
func (b *buffer) noteLast() {
	n := len(b.buf) - 1
	if n == 0 {
		b.solo = true
	}
	g := b.buf[0].Event.G
	switch {
	case b.solo && b.buf[n].Event.G == g:
		b.noteAlone(&b.buf[n])
		return
	case b.solo:
		b.solo = false
		b.seen.next()
		for i := range n {
			b.note(i, i >= n+1-b.fresh)
		}
	}
	b.note(n, true)
}

// noteAll counts the records of the buffer, none of which is fresh.
func (b *buffer) noteAll() {
	b.solo = true
	for i := range b.buf {
		b.solo = b.solo && b.buf[i].Event.G == b.buf[0].Event.G
	}
	for i := range b.buf {
		if b.solo {
			b.noteAlone(&b.buf[i])
		} else {
			b.note(i, false)
		}
	}
}

// noteAlone counts a record of a buffer of one goroutine.
func (b *buffer) noteAlone(r *record) {
	if k := r.Event.Kind; k >= format.Lock && k < format.Alloc && k != format.Start && k < format.OpaqueBegin {
		b.seen.n++
		trackMeeting(b.seen.waits, r)
		b.seen.meeting = len(b.seen.waits)
	}
}

// note counts record i of the buffer. Fresh: no window has held it.
func (b *buffer) note(i int, fresh bool) {
	r, s := &b.buf[i], &b.seen
	e := &r.Event
	r.hot = b.hot(r.Needs)
	switch {
	case e.Kind.IsAccess():
		if e.Flags&format.FlagStack == 0 {
			b.noteAccess(r, fresh)
		}
	case e.Kind == format.Alloc || e.Kind == format.Start || e.Kind == format.End || e.Kind == format.Enter || e.Kind == format.Exit:
	case e.Kind.IsControl() && !r.hot:
	default:
		s.n++
		trackMeeting(s.waits, r)
		s.meeting = len(s.waits)
		r.hot = e.Kind == format.ChanRecv || e.Kind == format.ChanLen
		s.varies = s.varies || r.hot
		s.noteChannel(e)
	}
}

// noteChannel notes a receive or Close.
func (s *interest) noteChannel(e *trace.Event) {
	c := s.chans[e.Obj]
	switch e.Kind {
	case format.ChanClose:
		c.closed = true
	case format.ChanRecv:
		c.many = c.many || c.receiver != 0 && c.receiver != e.G
		c.receiver, c.closed = e.G, c.closed || e.Flags&format.FlagClosed != 0
	default:
		return
	}
	s.chans[e.Obj] = c
}

// hot reports whether one of the reads may return what an event of the window wrote.
func (b *buffer) hot(reads []int64) bool {
	for _, x := range reads {
		if i := b.recordOf(x); i >= 0 && b.buf[i].hot {
			return true
		}
	}
	return false
}

func (b *buffer) noteAccess(r *record, fresh bool) {
	e, s := &r.Event, &b.seen
	w := &s.words.at(uint64(e.Obj) >> pageShift)[uint64(e.Obj)>>3%wordsOf]
	if w.gen != s.gen {
		*w = wordUse{gen: s.gen, g: e.G}
	}
	was := w.shared()
	w.n++
	w.many = w.many || w.g != e.G
	w.written = w.written || e.Kind.IsWrite()
	w.plain = w.plain || !e.Kind.IsAtomic()
	switch {
	case was:
		s.n++
	case w.shared():
		s.n += int(w.n)
	}
	s.live = s.live || fresh && w.plain && w.shared()
	s.varies = s.varies || w.shared()
	if e.Kind.IsWrite() {
		from := b.hot(r.From)
		w.hot = from || w.hot && e.Size < 8 && e.Size != 0
	}
	r.hot = reads(e.Kind) && (w.hot || w.shared())
}

// place notes the number of the last record of the buffer.
func (b *buffer) place() {
	n := int(b.buf[len(b.buf)-1].Index - b.buf[0].Index)
	for len(b.places) < n {
		b.places = append(b.places, 0)
	}
	b.places = append(b.places[:n], int32(len(b.buf)))
}

// replace notes the numbers of all records.
func (b *buffer) replace() {
	clear(b.places)
	b.places = b.places[:0]
	for i := range b.buf {
		n := int(b.buf[i].Index - b.buf[0].Index)
		for len(b.places) < n {
			b.places = append(b.places, 0)
		}
		b.places = append(b.places, int32(i)+1)
	}
}

// recordOf returns the record of a trace event, or -1.
func (b *buffer) recordOf(x int64) int32 {
	if len(b.buf) == 0 {
		return -1
	}
	if x -= b.buf[0].Index; x < 0 || x >= int64(len(b.places)) {
		return -1
	}
	return b.places[x] - 1
}

// lastRecord is the record of an event of the trace, or of the last one before it that has one, -1
// if that is before the buffer.
func (b *buffer) lastRecord(event int64) int {
	i, ok := slices.BinarySearchFunc(b.buf, event, func(r record, event int64) int { return cmp.Compare(r.Index, event) })
	if ok {
		return i
	}
	return i - 1
}

// contested reports whether a read of g may see what another goroutine does in the window, or what
// was before it.
func (b *buffer) contested(g trace.GoID, x int64) bool {
	i := b.recordOf(x)
	if i < 0 {
		return false
	}
	e := &b.buf[i].Event
	if !e.Kind.IsAccess() {
		return e.Kind == format.ChanRecv
	}
	return b.foreign(g, uint64(e.Obj), int64(e.Size))
}

func (b *buffer) foreign(g trace.GoID, addr uint64, size int64) bool {
	s := &b.seen
	for w := addr &^ 7; w < addr+uint64(max(size, 1)); w += 8 {
		p := s.words.get(w >> pageShift)
		if p == nil {
			continue
		}
		if u := &p[w>>3%wordsOf]; u.gen == s.gen && (u.many || u.g != g) {
			return true
		}
	}
	return false
}

// renew begins a new generation of the words in an Alloc. A word that is only partly in it may
// belong to another object too, and stays the same.
func (b *buffer) renew(addr, size uint64) {
	first, end := (addr+7)&^7, (addr+size)&^7
	if first >= end {
		return
	}
	b.seen.words.within(first, end-first, func(page *usePage, first, last int) {
		for k := first; k <= last; k++ {
			if page[k].layout == b.layouts {
				page[k].layout = 0
			}
		}
	})
}

// decided reports whether other goroutines may decide the outcome of the operation that a record is
// of. A receive without a select has another outcome only where the channel is closed, and others
// may receive what it has, or it what they have. Whether alternatives do that, exploration will
// show.
func (b *buffer) decided(r *record) bool {
	switch e := &r.Event; {
	case format.IsPoolWord(e.Obj):
	case e.Kind.IsAccess():
		return b.foreign(e.G, uint64(e.Obj), int64(e.Size))
	case e.Kind == format.ChanRecv:
		c := b.seen.chans[e.Obj]
		return e.Flags&format.FlagNonBlocking != 0 || c.many && c.closed
	case e.Kind == format.ChanSend:
		return e.Flags&format.FlagNonBlocking != 0
	}
	return true
}

// operation returns the record of the operation whose records begin with record i. A send is a read
// of its channel as well, which comes first.
func (b *buffer) operation(i int) int {
	g := b.buf[i].Event.G
	for k := i; k < len(b.buf) && k < i+maxOutcome; k++ {
		if e := &b.buf[k].Event; e.G == g && e.Kind != format.Read {
			return k
		}
	}
	return i
}

// forked reports whether the choice at a fork depends on what other goroutines do. Without varies
// no read can return another value, and only outcomes of synchronisation can differ.
func (b *buffer) forked(varies bool) bool {
	var o *opened
	for i := range b.buf {
		for _, fork := range b.buf[i].forks {
			at := b.operation(i)
			if looksUp(&b.buf[i].Event) {
				at = i
			}
			if fork.Ended() || fork.Outcome() && b.decided(&b.buf[at]) {
				return true
			}
			if !varies {
				continue
			}
			if o == nil {
				o = b.opened(func(uint64, trace.GoID) bool { return false })
			}
			if slices.ContainsFunc(fork.Reads(), o.read) {
				return true
			}
		}
	}
	return false
}
