package witness

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// RecordedPair is two accesses of the word at Addr, by event number, A before B.
type RecordedPair struct {
	A, B int64
	Addr trace.Addr
}

// Recorded checks that pairs of accesses are unordered by happens-before in the recorded run. Call
// Step for every event of the trace from its beginning, in order; then Err for each pair. The rules
// (CW1, CW2) are in the package doc.
type Recorded struct {
	pairs    []RecordedPair
	state    []pairState
	at       map[int64][]int        // pairs, by A and by B
	words    map[trace.Addr][]int   // pairs, by word
	open     int                    // undecided pairs
	begun    int                    // pairs of which A is executed
	after    map[trace.GoID]pairSet // by goroutine: pairs whose A happens before its next event
	marks    map[mark]pairSet       // what operations have released at objects
	pages    map[trace.Addr][]mark
	chans    map[trace.Addr]*channelState
	excluded map[trace.GoID]int // excluded calls that are open
	started  map[trace.GoID]bool
}

type pairState struct {
	a       trace.Event
	begun   bool
	decided bool
	err     error
}

// pairSet is a set of pairs, by their places in Recorded.pairs; nil is the empty one.
type pairSet []uint64

// mark is where an operation releases and another one acquires. Objects of different classes may
// have one address.
type mark struct {
	class markClass
	addr  trace.Addr
}

type markClass uint8

const (
	markWriter markClass = iota // lock
	markReaders
	markMeeting // WaitGroup, Once, Cond
	markClosed
	markAtomic
	markHidden
)

// channelState is what the sends and receives of a channel have released.
type channelState struct {
	sent, received []pairSet // by number, from the first that is still needed
	sends, recvs   uint64    // how many are executed
	firstSent      uint64
	firstReceived  uint64
	// of an unbuffered channel: the goroutine whose element was not received yet
	sender  trace.GoID
	sending bool // sender is valid
}

const recordedPageShift = 12

// NewRecorded prepares a pass.
func NewRecorded(pairs []RecordedPair) *Recorded {
	r := &Recorded{
		pairs: pairs, state: make([]pairState, len(pairs)), at: make(map[int64][]int), words: make(map[trace.Addr][]int), open: len(pairs),
		after: make(map[trace.GoID]pairSet), marks: make(map[mark]pairSet), pages: make(map[trace.Addr][]mark), chans: make(map[trace.Addr]*channelState),
		excluded: make(map[trace.GoID]int), started: make(map[trace.GoID]bool),
	}
	for k, p := range pairs {
		r.at[p.A], r.at[p.B] = append(r.at[p.A], k), append(r.at[p.B], k)
		r.words[p.Addr&^7] = append(r.words[p.Addr&^7], k)
	}
	return r
}

// Wants reports whether a pair is still undecided.
func (r *Recorded) Wants() bool { return r.open > 0 }

// Err returns nil if the k-th pair is a race of the recorded run, else a *Violation.
func (r *Recorded) Err(k int) error {
	s := &r.state[k]
	if !s.decided {
		return refusal("R", "the trace ends before event %d", r.pairs[k].B)
	}
	return s.err
}

func refusal(rule, reason string, args ...any) error {
	return &Violation{Rule: rule, Event: -1, Reason: fmt.Sprintf(reason, args...)}
}

// Step takes event i.
func (r *Recorded) Step(i int64, e *trace.Event) {
	here := r.at[i]
	for _, k := range here {
		if r.pairs[k].A == i {
			r.begin(k, e)
		}
	}
	switch e.Kind {
	case format.AtomicRead, format.AtomicRMW:
		// The edge from the write that B reads comes before B: it is acquired before B is judged
		// (CW1).
		r.acquire(e.G, mark{markAtomic, e.Obj})
	case format.Alloc:
		r.alloc(e)
	case format.MethodBegin, format.MethodEnd:
		r.method(e)
	case format.End:
		delete(r.excluded, e.G)
	case format.Go:
		r.started[trace.GoID(e.Obj)] = true
	case format.Start:
		if !r.started[e.G] {
			r.acquireAll(e.G)
		}
	}
	for _, k := range here {
		if r.pairs[k].B == i {
			r.judge(k, e)
		}
	}
	if r.begun > 0 || e.Kind == format.ChanSend || e.Kind == format.ChanRecv {
		// sends and receives are counted from the beginning of the trace
		r.edges(e)
	}
}

// begin executes the first access of a pair.
func (r *Recorded) begin(k int, e *trace.Event) {
	s := &r.state[k]
	s.a, s.begun = *e, true
	r.begun++
	r.decide(k, usable(e))
	if len(r.excluded) > 0 {
		r.decide(k, maybeOrdered())
	}
	set := r.after[e.G]
	if set == nil {
		set = make(pairSet, (len(r.pairs)+63)/64)
	}
	set[k/64] |= 1 << (k % 64)
	r.after[e.G] = set
}

// decide refuses a pair, unless err is nil.
func (r *Recorded) decide(k int, err error) {
	if s := &r.state[k]; err != nil && !s.decided {
		s.decided, s.err = true, err
		r.open--
	}
}

// judge decides a pair at its second access.
func (r *Recorded) judge(k int, e *trace.Event) {
	if s := &r.state[k]; !s.decided {
		s.decided, s.err = true, r.refuse(k, e)
		r.open--
	}
}

func (r *Recorded) refuse(k int, e *trace.Event) error {
	if err := usable(e); err != nil {
		return err
	}
	p, s := r.pairs[k], &r.state[k]
	switch a := &s.a; {
	case !s.begun:
		return refusal("R", "event %d is not before event %d", p.A, p.B)
	case a.G == e.G:
		return refusal("R", "both accesses are of goroutine %d", e.G)
	case !overlap(a, e) || a.Obj&^7 != p.Addr&^7:
		return refusal("R", "the accesses are to %#x and %#x", uint64(a.Obj), uint64(e.Obj))
	case !a.WriteLike() && !e.WriteLike():
		return refusal("R", "neither access is a write")
	case !a.Kind.IsWrite() && a.Flags&format.FlagText != 0, !e.Kind.IsWrite() && e.Flags&format.FlagText != 0:
		return refusal("R", "a read of the content of a string is no access by the program")
	case a.Kind.IsAtomic() && e.Kind.IsAtomic():
		return refusal("R", "both accesses are atomic")
	case r.after[e.G].has(k):
		return refusal("CW1", "the first access happens before the second")
	}
	return nil
}

// usable reports why an access cannot be half of a race of the recorded run.
func usable(e *trace.Event) error {
	switch {
	case !e.Kind.IsAccess():
		return refusal("R", "%s is not a memory access", e.Kind)
	case e.G < 1:
		return refusal("R", "an access by the runtime")
	case e.Flags&format.FlagStack != 0:
		return refusal("R", "an access to a stack")
	}
	return nil
}

// overlap reports whether two accesses have a byte in common.
func overlap(e, f *trace.Event) bool {
	return e.Obj < f.Obj+trace.Addr(max(1, f.Size)) && f.Obj < e.Obj+trace.Addr(max(1, e.Size))
}

// method opens and closes excluded calls (CW2, EX8).
func (r *Recorded) method(e *trace.Event) {
	switch n := r.excluded[e.G]; {
	case e.Kind == format.MethodBegin:
		r.excluded[e.G]++
		for k := range r.state {
			if r.state[k].begun {
				r.decide(k, maybeOrdered())
			}
		}
	case n <= 1:
		delete(r.excluded, e.G)
	default:
		r.excluded[e.G]--
	}
}

func maybeOrdered() error {
	return refusal("CW2", "excluded code runs between the accesses and may order them")
}

// alloc begins new memory: objects of synchronisation there are new ones.
func (r *Recorded) alloc(e *trace.Event) {
	if r.begun == 0 || e.Val == 0 {
		return
	}
	from, to := e.Obj, e.Obj+trace.Addr(e.Val)
	for k, p := range r.pairs {
		if s := &r.state[k]; s.begun && !s.decided && p.Addr|7 >= from && p.Addr&^7 < to {
			r.decide(k, refusal("R", "the memory was allocated between the accesses"))
		}
	}
	drop := func(list []mark) {
		for _, m := range list {
			if from <= m.addr && m.addr < to {
				delete(r.marks, m)
			}
		}
	}
	first, last := from>>recordedPageShift, (to-1)>>recordedPageShift
	if last-first < trace.Addr(len(r.pages)) {
		for page := first; page <= last; page++ {
			drop(r.pages[page])
		}
	} else {
		for page, list := range r.pages {
			if first <= page && page <= last {
				drop(list)
			}
		}
	}
	delete(r.chans, from)
}

func (s pairSet) has(k int) bool { return s != nil && s[k/64]>>(k%64)&1 != 0 }

// join returns the union of s and more, and may change s.
func (s pairSet) join(more pairSet) pairSet {
	if more == nil {
		return s
	}
	if s == nil {
		return slices.Clone(more)
	}
	for i, b := range more {
		s[i] |= b
	}
	return s
}

// acquire acquires what was released at an object.
func (r *Recorded) acquire(g trace.GoID, m mark) { r.join(g, r.marks[m]) }

func (r *Recorded) join(g trace.GoID, set pairSet) {
	if set != nil {
		r.after[g] = r.after[g].join(set)
	}
}

// acquireAll has a goroutine acquire from all events so far.
func (r *Recorded) acquireAll(g trace.GoID) {
	var all pairSet
	for _, set := range r.after {
		all = all.join(set)
	}
	r.join(g, all)
}

// release releases a set at an object in place of the one that was there; releaseMerge adds to
// that.
func (r *Recorded) release(g trace.GoID, m mark) {
	set := slices.Clone(r.after[g])
	if _, ok := r.marks[m]; !ok {
		if set == nil {
			return
		}
		r.pages[m.addr>>recordedPageShift] = append(r.pages[m.addr>>recordedPageShift], m)
	}
	r.marks[m] = set
}

func (r *Recorded) releaseMerge(g trace.GoID, m mark) {
	set := r.after[g]
	if set == nil {
		return
	}
	if was, ok := r.marks[m]; ok {
		r.marks[m] = was.join(set)
		return
	}
	r.release(g, m)
}

// edges follows the edges of e (CW1).
func (r *Recorded) edges(e *trace.Event) {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Go:
		if set := r.after[e.G]; set != nil {
			r.after[trace.GoID(e.Obj)] = slices.Clone(set)
		}
	case format.Join:
		r.join(e.G, r.after[trace.GoID(e.Obj)])
	case format.Lock:
		r.acquire(e.G, mark{markWriter, e.Obj})
		if !read {
			r.acquire(e.G, mark{markReaders, e.Obj})
		}
	case format.Unlock:
		if read {
			r.releaseMerge(e.G, mark{markReaders, e.Obj})
		} else {
			r.release(e.G, mark{markWriter, e.Obj})
		}
	case format.WGAdd:
		if int64(e.Val) < 0 {
			r.releaseMerge(e.G, mark{markMeeting, e.Obj})
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		r.releaseMerge(e.G, mark{markMeeting, e.Obj})
	case format.WGWait, format.OncePass, format.CondWake:
		r.acquire(e.G, mark{markMeeting, e.Obj})
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		r.channel(e)
	case format.AtomicWrite, format.AtomicRMW:
		r.release(e.G, mark{markAtomic, e.Obj})
	case format.Acquire:
		if e.Obj == 0 {
			r.acquireAll(e.G)
		}
		r.acquire(e.G, mark{markHidden, e.Obj})
	case format.Release:
		r.release(e.G, mark{markHidden, e.Obj})
	case format.ReleaseMerge:
		r.releaseMerge(e.G, mark{markHidden, e.Obj})
	}
}

// channel follows the edges of a send, receive or close (CW1).
func (r *Recorded) channel(e *trace.Event) {
	c := r.chans[e.Obj]
	if c == nil {
		c = &channelState{}
		r.chans[e.Obj] = c
	}
	switch {
	case e.Kind == format.ChanClose:
		r.releaseMerge(e.G, mark{markClosed, e.Obj})
	case e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0:
		r.acquire(e.G, mark{markClosed, e.Obj})
	case e.Aux == 0 && e.Kind == format.ChanSend:
		c.sender, c.sending = e.G, true
	case e.Aux == 0:
		if !c.sending {
			return // the send is not in the trace
		}
		c.sending = false
		sent, received := r.after[c.sender], slices.Clone(r.after[e.G])
		r.join(e.G, sent)
		r.join(c.sender, received)
	case e.Kind == format.ChanSend:
		before := slices.Clone(r.after[e.G])
		if c.sends >= e.Aux {
			r.join(e.G, taken(&c.received, &c.firstReceived, c.sends-e.Aux))
		}
		c.sent = append(c.sent, before)
		c.sends++
	default:
		before := slices.Clone(r.after[e.G])
		r.join(e.G, taken(&c.sent, &c.firstSent, c.recvs))
		c.received = append(c.received, before)
		c.recvs++
	}
}

// taken returns set number k of a queue, and drops it with those before it. The queue begins with
// set number first.
func taken(queue *[]pairSet, first *uint64, k uint64) pairSet {
	if k < *first || k-*first >= uint64(len(*queue)) {
		return nil // not in the trace
	}
	set := (*queue)[k-*first]
	*queue = (*queue)[k-*first+1:]
	*first = k + 1
	return set
}
