package witness

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// RecordedPair is two accesses by event number, A before B: the recorded run itself is to be the
// witness of their race. Both are of the word at Addr.
type RecordedPair struct {
	A, B int64
	Addr trace.Addr
}

// Recorded checks that pairs of accesses are unordered by happens-before in the recorded run ("The
// recorded run as a witness" in docs/theory/model.md). Step every event of the trace from its
// beginning, in order; then ask Err.
//
// It has no clocks. For each pair it follows which goroutines *know* of A: the goroutine of A, from
// then on, and every goroutine that an edge of the Go memory model leads to from one that knows. If
// the goroutine of B does not know when B is executed, no path of edges leads from A to B.
// Knowledge of all pairs is followed at once, as sets of pairs.
//
//	(H1) Go: the child knows what its parent knows. Join: the caller learns what the other knew. A
//	     goroutine that no event starts knows what anybody knows when it starts.
//	(H2) Lock learns what the last Unlock left, and what every RUnlock left; RLock what the last
//	     Unlock left.
//	(H3) Wait learns what every Done left. (H4) OncePass what OnceEnd left. (H5) CondWake what
//	     every Signal and Broadcast left.
//	(H6) The k-th receive of a channel learns what the k-th sender knew before it sent. With
//	     capacity c > 0, send k+c learns what receiver k knew before it received; with c = 0, the
//	     sender learns what its receiver knew. A receive that reports the close learns what Close
//	     left.
//	(H7) An atomic read or update learns what the last atomic write or update of the address left.
//	(H8) Acquire learns what the last Release and each ReleaseMerge since have left at the
//	     address; at address 0, what anybody knows.
//	(H9) A missing method that is under way anywhere between the two accesses may be what orders
//	     them: no such pair is accepted.
//
// Besides, a pair is refused if one of the two is no memory access that several goroutines can
// make, if they have no byte in common or do not conflict, or if their memory was allocated in
// between.
type Recorded struct {
	pairs   []RecordedPair
	state   []pairState
	at      map[int64][]int      // pairs, by A and by B
	words   map[trace.Addr][]int // pairs, by word
	open    int                  // undecided
	begun   int                  // pairs of which A has been executed
	know    map[trace.GoID]pairSet
	marks   map[mark]pairSet // what operations have left at objects
	pages   map[trace.Addr][]mark
	chans   map[trace.Addr]*channelState
	missing map[trace.GoID]int // missing methods under way
	started map[trace.GoID]bool
}

type pairState struct {
	a       trace.Event
	begun   bool
	decided bool
	err     error
}

// pairSet is a set of pairs, by their places in Recorded.pairs; nil is the empty one.
type pairSet []uint64

// mark is something that knowledge can be left at. Objects of different classes may have one
// address.
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

// channelState is what sends and receives have left for each other.
type channelState struct {
	sent, received []pairSet // by k, from the first that is still wanted
	sends, recvs   uint64    // so many have been executed
	firstSent      uint64
	firstReceived  uint64
	sender         trace.GoID // unbuffered: the one that waits
	waits          bool
}

const recordedPageShift = 12

// NewRecorded prepares a pass.
func NewRecorded(pairs []RecordedPair) *Recorded {
	r := &Recorded{
		pairs: pairs, state: make([]pairState, len(pairs)), at: make(map[int64][]int), words: make(map[trace.Addr][]int), open: len(pairs),
		know: make(map[trace.GoID]pairSet), marks: make(map[mark]pairSet), pages: make(map[trace.Addr][]mark), chans: make(map[trace.Addr]*channelState),
		missing: make(map[trace.GoID]int), started: make(map[trace.GoID]bool),
	}
	for k, p := range pairs {
		r.at[p.A], r.at[p.B] = append(r.at[p.A], k), append(r.at[p.B], k)
		r.words[p.Addr&^7] = append(r.words[p.Addr&^7], k)
	}
	return r
}

// Wants reports whether a pair is still undecided.
func (r *Recorded) Wants() bool { return r.open > 0 }

// Err returns nil if the k-th pair is a race of the recorded run, else a *Violation of (R) or (H).
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
		// (H7), before B is judged: what the write that it sees knows comes before it
		r.learn(e.G, mark{markAtomic, e.Obj})
	case format.Alloc:
		r.alloc(e)
	case format.MethodBegin, format.MethodEnd:
		r.method(e)
	case format.End:
		delete(r.missing, e.G)
	case format.Go:
		r.started[trace.GoID(e.Obj)] = true
	case format.Start:
		if !r.started[e.G] {
			r.tellAll(e.G)
		}
	}
	for _, k := range here {
		if r.pairs[k].B == i {
			r.judge(k, e)
		}
	}
	if r.begun > 0 || e.Kind == format.ChanSend || e.Kind == format.ChanRecv {
		// channels are counted from the beginning
		r.edges(e)
	}
}

// begin is the first access of a pair.
func (r *Recorded) begin(k int, e *trace.Event) {
	s := &r.state[k]
	s.a, s.begun = *e, true
	r.begun++
	r.decide(k, usable(e))
	if len(r.missing) > 0 {
		r.decide(k, besides())
	}
	set := r.know[e.G]
	if set == nil {
		set = make(pairSet, (len(r.pairs)+63)/64)
	}
	set[k/64] |= 1 << (k % 64)
	r.know[e.G] = set
}

// decide ends a pair, unless err is nil.
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
		return refusal("R", "a read of what a string says is no access of the program's")
	case a.Kind.IsAtomic() && e.Kind.IsAtomic():
		return refusal("R", "both accesses are atomic")
	case r.know[e.G].has(k):
		return refusal("H", "the first access happens before the second")
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

// method is (H9), which is (B10) of package excluded.
func (r *Recorded) method(e *trace.Event) {
	switch n := r.missing[e.G]; {
	case e.Kind == format.MethodBegin:
		r.missing[e.G]++
		for k := range r.state {
			if r.state[k].begun {
				r.decide(k, besides())
			}
		}
	case n <= 1:
		delete(r.missing, e.G)
	default:
		r.missing[e.G]--
	}
}

func besides() error { return refusal("H", "a missing method may order the accesses") }

// alloc is the beginning of new memory, with new objects of synchronisation.
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

// join adds what more has to s. Neither is changed; the result may be one of them.
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

// learn has a goroutine know what was left at an object.
func (r *Recorded) learn(g trace.GoID, m mark) { r.tell(g, r.marks[m]) }

func (r *Recorded) tell(g trace.GoID, set pairSet) {
	if set != nil {
		r.know[g] = r.know[g].join(set)
	}
}

// tellAll has a goroutine know what anybody knows.
func (r *Recorded) tellAll(g trace.GoID) {
	var all pairSet
	for _, set := range r.know {
		all = all.join(set)
	}
	r.tell(g, all)
}

// leave has what a goroutine knows at an object, in place of what was there; add keeps that.
func (r *Recorded) leave(g trace.GoID, m mark) {
	set := slices.Clone(r.know[g])
	if _, ok := r.marks[m]; !ok {
		if set == nil {
			return
		}
		r.pages[m.addr>>recordedPageShift] = append(r.pages[m.addr>>recordedPageShift], m)
	}
	r.marks[m] = set
}

func (r *Recorded) add(g trace.GoID, m mark) {
	set := r.know[g]
	if set == nil {
		return
	}
	if was, ok := r.marks[m]; ok {
		r.marks[m] = was.join(set)
		return
	}
	r.leave(g, m)
}

// edges has knowledge follow the edges of e.
func (r *Recorded) edges(e *trace.Event) {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Go: // (H1)
		if set := r.know[e.G]; set != nil {
			r.know[trace.GoID(e.Obj)] = slices.Clone(set)
		}
	case format.Join:
		r.tell(e.G, r.know[trace.GoID(e.Obj)])
	case format.Lock: // (H2)
		r.learn(e.G, mark{markWriter, e.Obj})
		if !read {
			r.learn(e.G, mark{markReaders, e.Obj})
		}
	case format.Unlock:
		if read {
			r.add(e.G, mark{markReaders, e.Obj})
		} else {
			r.leave(e.G, mark{markWriter, e.Obj})
		}
	case format.WGAdd: // (H3)
		if int64(e.Val) < 0 {
			r.add(e.G, mark{markMeeting, e.Obj})
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast: // (H4), (H5)
		r.add(e.G, mark{markMeeting, e.Obj})
	case format.WGWait, format.OncePass, format.CondWake:
		r.learn(e.G, mark{markMeeting, e.Obj})
	case format.ChanSend, format.ChanRecv, format.ChanClose: // (H6)
		r.channel(e)
	case format.AtomicWrite, format.AtomicRMW: // (H7)
		r.leave(e.G, mark{markAtomic, e.Obj})
	case format.Acquire: // (H8)
		if e.Obj == 0 {
			r.tellAll(e.G)
		}
		r.learn(e.G, mark{markHidden, e.Obj})
	case format.Release:
		r.leave(e.G, mark{markHidden, e.Obj})
	case format.ReleaseMerge:
		r.add(e.G, mark{markHidden, e.Obj})
	}
}

// channel is (H6).
func (r *Recorded) channel(e *trace.Event) {
	c := r.chans[e.Obj]
	if c == nil {
		c = &channelState{}
		r.chans[e.Obj] = c
	}
	switch {
	case e.Kind == format.ChanClose:
		r.add(e.G, mark{markClosed, e.Obj})
	case e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0:
		r.learn(e.G, mark{markClosed, e.Obj})
	case e.Aux == 0 && e.Kind == format.ChanSend:
		c.sender, c.waits = e.G, true
	case e.Aux == 0:
		if !c.waits {
			return // the send is not in the trace
		}
		c.waits = false
		sent, received := r.know[c.sender], slices.Clone(r.know[e.G])
		r.tell(e.G, sent)
		r.tell(c.sender, received)
	case e.Kind == format.ChanSend:
		before := slices.Clone(r.know[e.G])
		if c.sends >= e.Aux {
			r.tell(e.G, taken(&c.received, &c.firstReceived, c.sends-e.Aux))
		}
		c.sent = append(c.sent, before)
		c.sends++
	default:
		before := slices.Clone(r.know[e.G])
		r.tell(e.G, taken(&c.sent, &c.firstSent, c.recvs))
		c.received = append(c.received, before)
		c.recvs++
	}
}

// taken returns the k-th set of a queue of which those before first are gone, and drops it with
// those before it.
func taken(queue *[]pairSet, first *uint64, k uint64) pairSet {
	if k < *first || k-*first >= uint64(len(*queue)) {
		return nil // not in the trace
	}
	set := (*queue)[k-*first]
	*queue = (*queue)[k-*first+1:]
	*first = k + 1
	return set
}
