package window

import (
	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A promise says, before a window is made, whether there can be a race in it. Of the pairs of
// conflicting accesses most can not race: they have a lock in common, or their order is *forced*:
// it is the same in every reordering of the window. A window has promise if
//
//   - two accesses that conflict, at least one of which no window has held before, have neither
//     a lock in common nor a forced order; or
//   - a goroutine can leave its recorded path at an operation whose outcome others decide; or
//   - it can leave that path at a value: there is a fork that rests on what others do, and
//     something in the window can be another value at all. That is so if two conflicting accesses
//     have no forced order, whatever their locks, or if a channel has several senders or receivers.
//
// Where no value can be another, none that is computed from it can. A goroutine leaves its path on
// a reordering of what was recorded, so forced order holds up to there. What it does then is not
// known: the window is made.
//
// # Forced order
//
// Program order, and from
//
//   - a go statement to what it starts (MO2);
//   - Close to the receives that report it: a channel is closed once;
//   - the end of a Once's function to those that find it done;
//   - the k-th send to the k-th receive of a channel that has one sender and one receiver in the
//     window;
//   - all Dones before it to the Wait of a WaitGroup, if all Adds so far are before it by forced
//     order, and each Add and Done recorded later is after it by forced order.
//
// *Lemma (Wait)*: a reordering keeps the last of these. In some reordering, let w be the first
// event of which an event forced before it comes too late; w is a Wait. Its counter is zero, all
// Adds are there, and a Done is missing of those recorded before it. So a Done d recorded later is
// before w instead. By forced order w is before d, by a chain of events each of which is at d or
// before; up to w they all keep forced order, so w is before d. Contradiction.
//
// Nothing here depends on values. What is unknown is not ordered: objects and words that outside
// code uses. A window with more than maxForced goroutines always has promise.
type promise struct {
	live bool // there is some
	half int  // the record at which half of what matters in the window has come
}

// maxForced bounds the number of goroutines of a window whose order is computed, since clocks take
// memory for the square of it. maxSettle bounds how often the computation is repeated.
const (
	maxForced = 1024
	maxSettle = 16
)

// promise looks at the buffer.
func (b *Builder) promise() promise {
	if b.opt.All || b.excode.active() || b.lent >= b.buf[0].Index {
		return promise{live: true}
	}
	f := newForced(b)
	if f == nil || !f.settle() {
		return promise{live: true}
	}
	return f.accesses()
}

// forced computes the order of the events of a buffer.
type forced struct {
	b       *Builder
	threads map[trace.GoID]int32
	of      []int32 // by record of syncs: its thread
	syncs   []int32 // records: of go statements and objects, and Allocs
	objects []int32 // by syncs: the number of the object, -1: none
	loose   []bool  // by object: outside code uses it, or its Waits do not force an order
	line    []bool  // by object: a channel with one sender and one receiver
	before  []int   // by object: messages in a channel when the buffer begins

	// For newForced: the last number of each object, objects by page, and by object the last sender
	// and receiver.
	number           map[objKey]int32
	pages            map[uint64][]objKey
	sender, receiver []int32

	now   []stamps // by thread
	state []objectStamps
}

// stamps are by thread the record up to which its events come before, +1.
type stamps []int32

// join takes what o has.
func (s *stamps) join(o stamps) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for k, n := range o {
		(*s)[k] = max((*s)[k], n)
	}
}

// has reports whether record i of thread t comes before.
func (s stamps) has(t, i int32) bool { return int(t) < len(s) && s[t] > i }

// raise notes that record i of thread t comes before.
func (s *stamps) raise(t, i int32) {
	for len(*s) <= int(t) {
		*s = append(*s, 0)
	}
	(*s)[t] = max((*s)[t], i+1)
}

// objectStamps is what the events of one object say so far.
type objectStamps struct {
	closed, done stamps    // by Close, by the end of a Once's function
	sent         []stamps  // by sends that are not received yet, of a line
	got          int       // messages received
	adds         []lastAdd // of a WaitGroup: the last by each thread
	dones        stamps
	waits        []lastAdd // the last by each thread
}

// lastAdd is the last record of a thread.
type lastAdd struct{ t, i int32 }

// newForced finds the goroutines and objects of the buffer. It returns nil if there are too many
// goroutines.
func newForced(b *Builder) *forced {
	f := &forced{b: b, threads: make(map[trace.GoID]int32), number: make(map[objKey]int32), pages: make(map[uint64][]objKey)}
	for i := range b.buf {
		e := &b.buf[i].Event
		t, ok := f.threads[e.G]
		if !ok {
			if t = int32(len(f.threads)); t == maxForced {
				return nil
			}
			f.threads[e.G] = t
		}
		if e.Kind == format.Alloc {
			f.renewObjects(uint64(e.Obj), e.Val)
			continue
		}
		c, ok := classOf(e.Kind)
		if e.Kind != format.Go && (!ok || c == lockClass || c == condClass || c == hiddenClass) {
			continue
		}
		n := int32(-1)
		if e.Kind != format.Go {
			n = f.object(objKey{c, e.Obj})
			f.noteOperation(n, t, e)
		}
		f.syncs, f.objects, f.of = append(f.syncs, int32(i)), append(f.objects, n), append(f.of, t)
	}
	return f
}

// renewObjects notes that the objects in a range of memory are new.
func (f *forced) renewObjects(addr, size uint64) {
	eachPage(f.pages, addr, size, func(list []objKey) {
		for _, k := range list {
			if uint64(k.addr)-addr < size {
				f.number[k] = -1
			}
		}
	})
}

// object returns the number of an object.
func (f *forced) object(k objKey) int32 {
	n, ok := f.number[k]
	if ok && n >= 0 {
		return n
	}
	n = int32(len(f.loose))
	f.number[k] = n
	f.loose, f.line = append(f.loose, false), append(f.line, true)
	before := 0
	if !ok {
		page := uint64(k.addr) >> carryPageShift
		f.pages[page] = append(f.pages[page], k)
		if was := f.b.carry.objects[k]; was != nil {
			before = len(was.queue)
		}
	}
	f.before = append(f.before, before)
	f.sender, f.receiver = append(f.sender, -1), append(f.receiver, -1)
	return n
}

// noteOperation notes an operation of thread t on object n.
func (f *forced) noteOperation(n, t int32, e *trace.Event) {
	if e.Flags&format.FlagOpaque != 0 {
		f.loose[n] = true
	}
	switch {
	case e.Kind == format.ChanSend:
		f.line[n] = f.line[n] && (f.sender[n] < 0 || f.sender[n] == t)
		f.sender[n] = t
	case e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0:
		f.line[n] = f.line[n] && (f.receiver[n] < 0 || f.receiver[n] == t)
		f.receiver[n] = t
	}
}

// settle excludes each WaitGroup with an Add or Done that was recorded after a Wait and may come
// before it, until there is none. It returns false if that takes too many rounds.
func (f *forced) settle() bool {
	for range maxSettle {
		again := false
		f.begin()
		for k := range f.syncs {
			if !f.step(k) {
				f.loose[f.objects[k]], again = true, true
			}
		}
		if !again {
			return true
		}
	}
	return false
}

// begin goes back to the beginning of the buffer.
func (f *forced) begin() {
	f.now, f.state = make([]stamps, len(f.threads)), make([]objectStamps, len(f.loose))
}

// step takes element k of syncs. It returns false at an Add or Done that was recorded after a Wait
// and may come before it.
func (f *forced) step(k int) bool {
	i, t, n := f.syncs[k], f.of[k], f.objects[k]
	e := &f.b.buf[i].Event
	now := &f.now[t]
	if e.Kind == format.Go {
		if u, ok := f.threads[trace.GoID(e.Obj)]; ok && u != t {
			f.now[u].join(*now)
			f.now[u].raise(t, i)
		}
		return true
	}
	if f.loose[n] {
		return true
	}
	o := &f.state[n]
	upTo := func(s *stamps) {
		s.join(*now)
		s.raise(t, i)
	}
	switch e.Kind {
	case format.ChanClose:
		upTo(&o.closed)
	case format.OnceEnd:
		upTo(&o.done)
	case format.OncePass:
		now.join(o.done)
	case format.ChanSend:
		if f.line[n] {
			o.sent = append(o.sent, nil)
			upTo(&o.sent[len(o.sent)-1])
		}
	case format.ChanRecv:
		switch o.got++; {
		case e.Flags&format.FlagClosed != 0:
			now.join(o.closed)
		case f.line[n] && o.got > f.before[n] && len(o.sent) > 0:
			now.join(o.sent[0])
			o.sent = o.sent[1:]
		}
	case format.WGAdd, format.WGWait:
		return f.group(o, now, t, i)
	}
	return true
}

// group takes an event of a WaitGroup.
func (f *forced) group(o *objectStamps, now *stamps, t, i int32) bool {
	note := func(list *[]lastAdd) {
		for k := range *list {
			if (*list)[k].t == t {
				(*list)[k].i = i
				return
			}
		}
		*list = append(*list, lastAdd{t, i})
	}
	e := &f.b.buf[i].Event
	if e.Kind == format.WGWait {
		for _, a := range o.adds {
			if a.t != t && !now.has(a.t, a.i) {
				return true
			}
		}
		note(&o.waits)
		now.join(o.dones)
		return true
	}
	for _, w := range o.waits {
		if w.t != t && !now.has(w.t, w.i) {
			return false
		}
	}
	switch delta := int64(e.Val); {
	case delta > 0:
		note(&o.adds)
	case delta < 0: // an Add of nothing may come at any time
		o.dones.join(*now)
		o.dones.raise(t, i)
	}
	return true
}

// accesses looks for promise.
func (f *forced) accesses() promise {
	b := f.b
	b.layouts++
	var words []wordPairs
	var matter []int32 // records
	f.begin()
	pair, varies, next := false, f.meets(), 0
	for i := range b.buf {
		r := &b.buf[i]
		switch e := &r.Event; {
		case e.Kind == format.Alloc:
			b.renew(uint64(e.Obj), e.Val)
		case next < len(f.syncs) && f.syncs[next] == int32(i):
			f.step(next)
			next++
			matter = append(matter, int32(i))
		case e.Kind.IsAccess() && e.Flags&format.FlagStack == 0:
			u := &b.seen.words.at(uint64(e.Obj) >> pageShift)[uint64(e.Obj)>>3%wordsOf]
			if u.gen != b.seen.gen || !u.shared() {
				break
			}
			matter = append(matter, int32(i))
			if u.layout != b.layouts {
				u.layout, u.word = b.layouts, int32(len(words))
				words = append(words, wordPairs{})
			}
			t := f.threads[e.G]
			a := access{t, int32(i), r.locks, e.Kind.IsWrite(), e.Kind.IsAtomic(), e.IsText()}
			open, races := words[u.word].access(a, f.now[t], &b.locks)
			varies = varies || open || r.outside() || e.Flags&format.FlagLate != 0
			pair = pair || races && i >= len(b.buf)-b.fresh
		}
	}
	p := promise{live: pair || b.opt.Paths && b.forked(varies)}
	if len(matter) > 0 {
		p.half = int(matter[len(matter)/2])
	}
	return p
}

// meets reports whether the value of a receive may depend on the order of sends or receives.
func (f *forced) meets() bool {
	for k, i := range f.syncs {
		if n := f.objects[k]; f.b.buf[i].Event.Kind == format.ChanRecv && (f.loose[n] || !f.line[n]) {
			return true
		}
	}
	return false
}

// wordPairs are the accesses to a word since it was allocated: the last one of each thread, of each
// kind and with each set of locks.
type wordPairs struct {
	full bool // some are not known
	last []access
}

// access is an access of a word.
type access struct {
	t, i                int32
	locks               lockset.Set
	write, atomic, text bool
}

// maxKindsOfAccess is how many accesses of a word are known.
const maxKindsOfAccess = 64

// access takes an access. now is what comes before it by forced order. open reports that it
// conflicts with an earlier access without a forced order, races that such a pair is a candidate
// for a race.
func (w *wordPairs) access(a access, now stamps, locks *lockset.Locks) (open, races bool) {
	if w.full {
		return true, true
	}
	own := -1
	for k := range w.last {
		o := &w.last[k]
		switch {
		case o.t == a.t:
			if o.locks == a.locks && o.write == a.write && o.atomic == a.atomic && o.text == a.text {
				own = k
			}
		case (o.write || a.write) && !now.has(o.t, o.i):
			open = true
			races = races || !(o.atomic && a.atomic) && !o.text && !a.text && !locks.Common(o.locks, a.locks)
		}
	}
	switch {
	case own >= 0:
		w.last[own] = a
	case len(w.last) < maxKindsOfAccess:
		w.last = append(w.last, a)
	default:
		w.full = true
		return true, true
	}
	return open, races
}
