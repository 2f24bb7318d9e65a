package witness

import (
	"fmt"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// RecordedPair is two accesses by event number, A before B: the recorded run itself is to be the
// witness of their race.
type RecordedPair struct{ A, B int64 }

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
//	(H8) An opaque call is synchronisation with every other one, at its two ends and where it calls back; unless it is quiet.
//
// A pair is refused, besides, if code that was not instrumented executed one of the two, or accessed their memory in between;
// if a value read there is unexplained; and if their memory was allocated in between.
type Recorded struct {
	quiet   func(trace.Site) bool
	proofs  []*proof
	begin   map[int64][]*proof // by A
	active  []*proof
	waiting int // proofs not yet begun

	sender  map[trace.Addr]trace.GoID // who sent last on an unbuffered channel
	started map[trace.GoID]starter
	outside map[trace.GoID][]uint64 // depths of the frames that opaque code called
}

// proof is one pair under way.
type proof struct {
	pair    RecordedPair
	a       trace.Event
	knows   map[trace.GoID]bool
	marks   map[mark]bool
	decided bool
	err     error
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

// NewRecorded prepares a pass. A call at a quiet site has no effect that another goroutine can notice.
func NewRecorded(pairs []RecordedPair, quiet func(trace.Site) bool) *Recorded {
	r := &Recorded{
		quiet: quiet, begin: make(map[int64][]*proof), waiting: len(pairs),
		sender: make(map[trace.Addr]trace.GoID), started: make(map[trace.GoID]starter), outside: make(map[trace.GoID][]uint64),
	}
	for _, p := range pairs {
		q := &proof{pair: p, knows: make(map[trace.GoID]bool), marks: make(map[mark]bool)}
		r.proofs = append(r.proofs, q)
		r.begin[p.A] = append(r.begin[p.A], q)
	}
	return r
}

// Wants reports whether a pair is still undecided.
func (r *Recorded) Wants() bool { return r.waiting > 0 || len(r.active) > 0 }

// Err returns nil if the k-th pair is a race of the recorded run, else a *Violation of (R) or (H).
func (r *Recorded) Err(k int) error {
	if p := r.proofs[k]; !p.decided || p.err != nil {
		if p.err == nil {
			return refusal("R", "the trace ends before event %d", p.pair.B)
		}
		return p.err
	}
	return nil
}

func refusal(rule, reason string, args ...any) error {
	return &Violation{Rule: rule, Event: -1, Reason: fmt.Sprintf(reason, args...)}
}

// Step takes event i.
func (r *Recorded) Step(i int64, e *trace.Event) {
	back := r.calledFromOpaque(e)
	keep := r.active[:0]
	for _, p := range r.active {
		if i == p.pair.B {
			p.judge(e)
		} else {
			r.follow(p, e, back)
		}
		if !p.decided {
			keep = append(keep, p)
		}
	}
	r.active = keep
	r.note(e)
	for _, p := range r.begin[i] {
		p.a, p.knows[e.G] = *e, true
		p.access(e) // an atomic write synchronises, and is itself what comes before
		r.waiting--
		if !p.decided {
			r.active = append(r.active, p)
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

func (p *proof) decide(err error) {
	if err != nil && !p.decided {
		p.decided, p.err = true, err
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
	case e.Flags&format.FlagOpaque != 0:
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
func (p *proof) judge(e *trace.Event) {
	p.decide(usable(e))
	switch a := &p.a; {
	case p.decided:
		return
	case a.G == e.G:
		p.decide(refusal("R", "both accesses are of goroutine %d", e.G))
	case !overlap(a, e):
		p.decide(refusal("R", "the accesses are to %#x and %#x", uint64(a.Obj), uint64(e.Obj)))
	case !a.Kind.IsWrite() && !e.Kind.IsWrite():
		p.decide(refusal("R", "neither access is a write"))
	case a.Kind.IsAtomic() && e.Kind.IsAtomic():
		p.decide(refusal("R", "both accesses are atomic"))
	case p.knows[e.G], e.Kind.IsAtomic() && p.marks[mark{markAtomic, e.Obj &^ 7}]:
		p.decide(refusal("H", "the first access happens before the second"))
	}
	p.decided = true
}

func (p *proof) release(g trace.GoID, c markClass, addr trace.Addr) {
	if p.knows[g] {
		p.marks[mark{c, addr}] = true
	}
}

func (p *proof) acquire(g trace.GoID, c markClass, addr trace.Addr) {
	if p.marks[mark{c, addr}] {
		p.knows[g] = true
	}
}

// meet is an operation that synchronises with all others on its object, both ways.
func (p *proof) meet(g trace.GoID, c markClass, addr trace.Addr) {
	p.acquire(g, c, addr)
	p.release(g, c, addr)
}

// follow has p know what follows from e.
func (r *Recorded) follow(p *proof, e *trace.Event, back bool) {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		p.access(e)
	case format.Alloc:
		if e.Obj < p.a.Obj+trace.Addr(max(1, p.a.Size)) && uint64(p.a.Obj) < uint64(e.Obj)+e.Val {
			p.decide(refusal("R", "the memory was allocated between the accesses"))
		}
	case format.Go:
		if p.knows[e.G] {
			p.knows[trace.GoID(e.Obj)] = true
		}
	case format.Start:
		if r.started[e.G] == nobody {
			p.knows[e.G] = true
		}
	case format.Join:
		if p.knows[trace.GoID(e.Obj)] {
			p.knows[e.G] = true
		}
	case format.Lock:
		p.acquire(e.G, markWriter, e.Obj)
		if !read {
			p.acquire(e.G, markReaders, e.Obj)
		}
	case format.Unlock:
		if read {
			p.release(e.G, markReaders, e.Obj)
		} else {
			p.release(e.G, markWriter, e.Obj)
		}
	case format.WGAdd:
		if int64(e.Val) < 0 {
			p.release(e.G, markMeeting, e.Obj)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		p.release(e.G, markMeeting, e.Obj)
	case format.WGWait, format.OncePass, format.CondWake:
		p.acquire(e.G, markMeeting, e.Obj)
	case format.ChanSend, format.ChanRecv, format.ChanClose:
		r.channel(p, e)
	case format.Acquire:
		p.acquire(e.G, markHidden, e.Obj)
		if e.Obj == 0 {
			p.knows[e.G] = true
		}
	case format.Release, format.ReleaseMerge:
		p.release(e.G, markHidden, e.Obj)
	case format.OpaqueBegin, format.OpaqueEnd:
		if !r.quiet(e.Site) {
			p.meet(e.G, markOpaque, 0)
		}
	case format.Enter, format.Exit:
		if back {
			p.meet(e.G, markOpaque, 0)
		}
	case format.TryFail, format.OnceBegin, format.CondWait, format.ChanLen, format.SelectCase, format.SelectDefault,
		format.End, format.Block, format.Value, format.Word:
		// They order nothing: what a goroutine learns from them, it learns without synchronisation.
	default:
		p.decide(refusal("H", "an event of kind %s, of which the checker does not know what it orders", e.Kind))
	}
}

// channel is (H6).
func (r *Recorded) channel(p *proof, e *trace.Event) {
	switch {
	case e.Kind == format.ChanClose:
		p.release(e.G, markClosed, e.Obj)
	case e.Flags&format.FlagClosed != 0:
		p.acquire(e.G, markClosed, e.Obj)
	default:
		p.meet(e.G, markChan, e.Obj)
		if s, ok := r.sender[e.Obj]; e.Kind == format.ChanRecv && e.Aux == 0 && ok && p.knows[e.G] {
			p.knows[s] = true
		}
	}
}

// access is (H7) for atomics. From the first access of the pair to the second, nobody may touch their memory of whom the trace does not tell all.
func (p *proof) access(e *trace.Event) {
	if e.Kind.IsAtomic() {
		if e.Kind != format.AtomicWrite {
			p.acquire(e.G, markAtomic, e.Obj&^7)
		}
		if e.Kind != format.AtomicRead {
			p.release(e.G, markAtomic, e.Obj&^7)
		}
	}
	if overlap(e, &p.a) {
		if err := usable(e); err != nil {
			p.decide(err)
		}
	}
}
