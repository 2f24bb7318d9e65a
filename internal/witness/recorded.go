package witness

import (
	"fmt"
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// RecordedPair is two accesses by event number, A before B: the recorded run itself is to be the
// witness of their race. Both are of the word at Addr.
type RecordedPair struct {
	A, B int64
	Addr trace.Addr
}

// Recorded checks that pairs of accesses are unordered in the recorded run ("The recorded run as a
// witness" in docs/model.md). Step every event of the trace from its beginning, in order; then ask Err.
//
// For each pair it keeps who *knows* of A: the goroutine of A itself, and from then on every object that a
// goroutine which knows of A releases to, and every goroutine that acquires such an object. If the goroutine of B
// does not know when it comes to B, no path of synchronisation leads from A to B. There are no clocks; where the
// memory model has an edge between some of the operations on an object, this has one between all, and
// an object that knows never forgets. So it finds at least the paths that there are.
//
//	(H1) Go starts a goroutine that knows what its parent knows; Join learns what the other knew. A goroutine that no event starts knows.
//	(H2) Unlock releases to Lock and RLock, RUnlock to Lock. (H3) Done to Wait. (H4) OnceEnd to OncePass. (H5) Signal and Broadcast to CondWake.
//	(H6) Every send and receive of a channel acquires and releases; the sender on an unbuffered one learns what its receiver knows.
//	     Close releases to the receives that report it.
//	(H7) Atomic writes release to atomic reads of the word, updates do both; so do the operations of which only this much is known (Acquire, Release, ReleaseMerge).
//	     An Acquire of object 0 learns everything.
//	(H8) An opaque call is synchronisation with every other one, at its two ends and where it calls back; unless it is quiet. What is called back while a
//	     goroutine has none but quiet ones under way is called back by these. (One that a panic left counts as under way for good.)
//	(H9) A missing method that is under way anywhere between the two accesses may be what orders them: no such pair is accepted.
//
// A pair is refused, besides, if code that was not instrumented executed one of the two, or accessed their memory in between;
// if a value read there is unexplained; if their memory was allocated in between; and if one of the two does not know of the allocation
// before: then it may be an access to what stood at the address earlier, that the trace has in the wrong place.
type Recorded struct {
	quiet  func(trace.Site) bool
	proofs []*proof
	at     map[int64][]*proof      // by A and by B
	words  map[trace.Addr][]*proof // by word
	open   int                     // undecided

	sender  map[trace.Addr]trace.GoID // who sent last on an unbuffered channel
	started map[trace.GoID]starter
	outside map[trace.GoID][]uint64 // depths of the frames that opaque code called
	calls   map[trace.GoID][]bool   // opaque calls under way, the innermost last: is it quiet?
	missing map[trace.GoID]int      // missing methods under way
}

// proof is one pair under way.
type proof struct {
	pair    RecordedPair
	a       trace.Event
	birth   *knowledge // of the last allocation of the memory before A; nil: there was none
	first   *knowledge // of A
	decided bool
	err     error
}

// knowledge is who knows of one event.
type knowledge struct {
	knows map[trace.GoID]bool
	marks map[mark]bool
}

func knowledgeOf(g trace.GoID) *knowledge {
	return &knowledge{knows: map[trace.GoID]bool{g: true}, marks: make(map[mark]bool)}
}

// mark is something that can be released to. Objects of different classes may have one address.
type mark struct {
	class markClass
	addr  trace.Addr
}

type markClass uint8

// starter is who started a goroutine, and calls its first function.
type starter uint8

const (
	nobody starter = iota // as far as the trace tells
	traced
	untraced
)

const (
	markWriter markClass = iota // lock
	markReaders
	markMeeting // WaitGroup, Once, Cond
	markChan
	markClosed
	markAtomic
	markHidden
	markOpaque
)

// NewRecorded prepares a pass. A call at a quiet site orders nothing for other goroutines but by what the trace has of it.
func NewRecorded(pairs []RecordedPair, quiet func(trace.Site) bool) *Recorded {
	r := &Recorded{
		quiet: quiet, at: make(map[int64][]*proof), words: make(map[trace.Addr][]*proof), open: len(pairs),
		sender: make(map[trace.Addr]trace.GoID), started: make(map[trace.GoID]starter), outside: make(map[trace.GoID][]uint64), calls: make(map[trace.GoID][]bool),
		missing: make(map[trace.GoID]int),
	}
	for _, p := range pairs {
		q := &proof{pair: p}
		r.proofs = append(r.proofs, q)
		r.at[p.A], r.at[p.B] = append(r.at[p.A], q), append(r.at[p.B], q)
		r.words[p.Addr&^7] = append(r.words[p.Addr&^7], q)
	}
	return r
}

// Wants reports whether a pair is still undecided.
func (r *Recorded) Wants() bool { return r.open > 0 }

// Err returns nil if the k-th pair is a race of the recorded run, else a *Violation of (R) or (H).
func (r *Recorded) Err(k int) error {
	p := r.proofs[k]
	if !p.decided {
		return refusal("R", "the trace ends before event %d", p.pair.B)
	}
	return p.err
}

func refusal(rule, reason string, args ...any) error {
	return &Violation{Rule: rule, Event: -1, Reason: fmt.Sprintf(reason, args...)}
}

// Step takes event i.
func (r *Recorded) Step(i int64, e *trace.Event) {
	back := r.calledFromOpaque(e) && !r.quietly(e.G)
	r.call(e)
	switch {
	case e.Kind.IsAccess():
		for _, p := range r.words[e.Obj&^7] {
			if p.first != nil && overlap(e, &p.a) && i != p.pair.B {
				r.decide(p, usable(e))
			}
		}
	case e.Kind == format.Alloc:
		r.alloc(e)
	case e.Kind == format.MethodBegin || e.Kind == format.MethodEnd || e.Kind == format.End:
		r.method(e)
	}
	here := r.at[i]
	for _, p := range here {
		if i == p.pair.B {
			r.judge(p, e)
		}
	}
	if synchronises(e, back) {
		for _, p := range r.proofs {
			if !p.decided {
				r.follow(p.birth, e)
				r.follow(p.first, e)
			}
		}
	}
	r.note(e)
	for _, p := range here {
		if i == p.pair.A && !p.decided {
			p.a, p.first = *e, knowledgeOf(e.G)
			r.decide(p, usable(e))
			if len(r.missing) > 0 {
				r.decide(p, besides())
			}
			r.follow(p.first, e) // an atomic write synchronises, and is itself what comes before
		}
	}
}

// call notes which opaque calls are under way.
func (r *Recorded) call(e *trace.Event) {
	switch open := r.calls[e.G]; {
	case e.Kind == format.OpaqueBegin:
		r.calls[e.G] = append(open, r.quiet(e.Site))
	case e.Kind == format.OpaqueEnd && len(open) > 0:
		r.calls[e.G] = open[:len(open)-1]
	case e.Kind == format.End:
		delete(r.calls, e.G)
	}
}

// quietly reports whether all opaque calls under way are quiet, and there is one.
func (r *Recorded) quietly(g trace.GoID) bool {
	open := r.calls[g]
	return len(open) > 0 && !slices.Contains(open, false)
}

// method is (H9), which is (B10) of package barrier.
func (r *Recorded) method(e *trace.Event) {
	switch n := r.missing[e.G]; {
	case e.Kind == format.MethodBegin:
		r.missing[e.G]++
		for _, p := range r.proofs {
			if p.first != nil {
				r.decide(p, besides())
			}
		}
	case e.Kind == format.End || n <= 1:
		delete(r.missing, e.G)
	default:
		r.missing[e.G]--
	}
}

func besides() error { return refusal("H", "a missing method may order the accesses") }

// alloc is the beginning of new memory.
func (r *Recorded) alloc(e *trace.Event) {
	for _, p := range r.proofs {
		switch {
		case p.decided || uint64(p.pair.Addr|7) < uint64(e.Obj) || uint64(p.pair.Addr&^7) >= uint64(e.Obj)+e.Val:
		case p.first != nil:
			r.decide(p, refusal("R", "the memory was allocated between the accesses"))
		default:
			p.birth = knowledgeOf(e.G)
		}
	}
}

// note keeps what proofs that begin later have to know.
func (r *Recorded) note(e *trace.Event) {
	switch e.Kind {
	case format.ChanSend:
		if e.Aux == 0 {
			r.sender[e.Obj] = e.G
		}
	case format.Go:
		s := traced
		if e.Flags&format.FlagOpaque != 0 {
			s = untraced
		}
		r.started[trace.GoID(e.Obj)] = s
	}
}

// calledFromOpaque reports whether e enters or leaves a function that opaque code called. (The first function of a go
// statement that is instrumented is called by the runtime, which has nothing to tell.)
func (r *Recorded) calledFromOpaque(e *trace.Event) bool {
	frames := r.outside[e.G]
	for len(frames) > 0 && (e.Kind == format.Enter || e.Kind == format.Exit) && frames[len(frames)-1] > e.Aux {
		frames = frames[:len(frames)-1]
	}
	back := false
	switch {
	case e.Kind == format.Enter:
		if n := len(frames); n > 0 && frames[n-1] == e.Aux {
			frames = frames[:n-1]
		}
		if back = e.Val == 0 && (e.Aux > 1 || r.started[e.G] != traced); back {
			frames = append(frames, e.Aux)
		}
	case e.Kind == format.Exit:
		if n := len(frames); n > 0 && frames[n-1] == e.Aux {
			back, frames = true, frames[:n-1]
		}
	default:
		return false
	}
	r.outside[e.G] = frames
	return back
}

// decide ends a proof, unless err is nil.
func (r *Recorded) decide(p *proof, err error) {
	if err != nil && !p.decided {
		p.decided, p.err = true, err
		r.open--
	}
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
	case e.Flags&format.FlagOpaque != 0 && (e.Kind.IsAtomic() || e.Site == 0): // with a site, it is what the kernel does to a buffer in a known call
		return refusal("R", "an access by code that was not instrumented")
	case e.Kind != format.Write && e.Kind != format.AtomicWrite && e.Flags&format.FlagUnexplained != 0:
		return refusal("R", "a read whose value is not explained")
	}
	return nil
}

// overlap reports whether two accesses have a byte in common.
func overlap(e, f *trace.Event) bool {
	return e.Obj < f.Obj+trace.Addr(max(1, f.Size)) && f.Obj < e.Obj+trace.Addr(max(1, e.Size))
}

// judge decides the pair at its second access.
func (r *Recorded) judge(p *proof, e *trace.Event) {
	if p.decided {
		return
	}
	if err := p.refuse(e); err != nil {
		r.decide(p, err)
		return
	}
	p.decided = true
	r.open--
}

func (p *proof) refuse(e *trace.Event) error {
	if err := usable(e); err != nil {
		return err
	}
	switch a := &p.a; {
	case p.first == nil:
		return refusal("R", "event %d is not before event %d", p.pair.A, p.pair.B)
	case a.G == e.G:
		return refusal("R", "both accesses are of goroutine %d", e.G)
	case !overlap(a, e) || a.Obj&^7 != p.pair.Addr&^7:
		return refusal("R", "the accesses are to %#x and %#x", uint64(a.Obj), uint64(e.Obj))
	case !a.Kind.IsWrite() && !e.Kind.IsWrite():
		return refusal("R", "neither access is a write")
	case !a.Kind.IsWrite() && a.Flags&format.FlagText != 0, !e.Kind.IsWrite() && e.Flags&format.FlagText != 0:
		return refusal("R", "a read of what a string says is no access of the program's")
	case a.Kind.IsAtomic() && e.Kind.IsAtomic():
		return refusal("R", "both accesses are atomic")
	case p.first.reaches(e):
		return refusal("H", "the first access happens before the second")
	case p.birth != nil && !p.birth.knows[a.G], p.birth != nil && !p.birth.reaches(e):
		return refusal("R", "an access does not know of the allocation of its memory")
	}
	return nil
}

// reaches reports whether the goroutine of the access e knows, at the latest by e itself.
func (k *knowledge) reaches(e *trace.Event) bool {
	return k.knows[e.G] || e.Kind.IsAtomic() && k.marks[mark{markAtomic, e.Obj &^ 7}]
}

func (k *knowledge) release(g trace.GoID, c markClass, addr trace.Addr) {
	if k.knows[g] {
		k.marks[mark{c, addr}] = true
	}
}

func (k *knowledge) acquire(g trace.GoID, c markClass, addr trace.Addr) {
	if k.marks[mark{c, addr}] {
		k.knows[g] = true
	}
}

// meet is an operation that synchronises with all others on its object, both ways.
func (k *knowledge) meet(g trace.GoID, c markClass, addr trace.Addr) {
	k.acquire(g, c, addr)
	k.release(g, c, addr)
}

// synchronises reports whether follow has to see e. Most events of a trace order nothing; back says that e enters or leaves a
// function that opaque code called.
func synchronises(e *trace.Event, back bool) bool {
	switch e.Kind {
	case format.TryFail, format.OnceBegin, format.CondWait, format.ChanLen, format.SelectCase, format.SelectDefault:
		return false // what a goroutine learns from them, it learns without synchronisation
	case format.Read, format.Write, format.Alloc, format.End, format.Block, format.Value, format.Word, format.MethodBegin, format.MethodEnd, format.Reach, format.ReachGo, format.ReachSet:
		return false
	case format.Enter, format.Exit:
		return back
	}
	return true
}

// follow has k spread by e.
func (r *Recorded) follow(k *knowledge, e *trace.Event) {
	if k == nil {
		return
	}
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.AtomicRead:
		k.acquire(e.G, markAtomic, e.Obj&^7)
	case format.AtomicWrite:
		k.release(e.G, markAtomic, e.Obj&^7)
	case format.AtomicRMW:
		k.meet(e.G, markAtomic, e.Obj&^7)
	case format.Go:
		if k.knows[e.G] {
			k.knows[trace.GoID(e.Obj)] = true
		}
	case format.Start:
		if r.started[e.G] == nobody {
			k.knows[e.G] = true
		}
	case format.Join:
		if k.knows[trace.GoID(e.Obj)] {
			k.knows[e.G] = true
		}
	case format.Lock: // (H2)
		k.acquire(e.G, markWriter, e.Obj)
		if !read {
			k.acquire(e.G, markReaders, e.Obj)
		}
	case format.Unlock:
		if read {
			k.release(e.G, markReaders, e.Obj)
		} else {
			k.release(e.G, markWriter, e.Obj)
		}
	case format.WGAdd: // (H3)
		if int64(e.Val) < 0 {
			k.release(e.G, markMeeting, e.Obj)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast: // (H4), (H5)
		k.release(e.G, markMeeting, e.Obj)
	case format.WGWait, format.OncePass, format.CondWake:
		k.acquire(e.G, markMeeting, e.Obj)
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		r.channel(k, e)
	case format.Acquire:
		k.acquire(e.G, markHidden, e.Obj)
		if e.Obj == 0 {
			k.knows[e.G] = true
		}
	case format.Release, format.ReleaseMerge:
		k.release(e.G, markHidden, e.Obj)
	case format.OpaqueBegin, format.OpaqueEnd: // (H8)
		if !r.quiet(e.Site) {
			k.meet(e.G, markOpaque, 0)
		}
	case format.Enter, format.Exit:
		k.meet(e.G, markOpaque, 0)
	case format.Read, format.Write:
	default:
		k.knows[e.G] = true // a kind of which this version does not know what it orders
	}
}

// channel is (H6).
func (r *Recorded) channel(k *knowledge, e *trace.Event) {
	switch {
	case e.Kind == format.ChanClose:
		k.release(e.G, markClosed, e.Obj)
	case e.Flags&format.FlagClosed != 0:
		k.acquire(e.G, markClosed, e.Obj)
	default:
		k.meet(e.G, markChan, e.Obj)
		if s, ok := r.sender[e.Obj]; e.Kind == format.ChanRecv && e.Aux == 0 && ok && k.knows[e.G] {
			k.knows[s] = true
		}
	}
}
