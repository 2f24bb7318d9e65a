package runtime

// Base schedulers. Where no part of a schedule says which goroutine goes on, a base scheduler
// chooses one, at each point where a goroutine may be made to wait. All random numbers are drawn
// from the seed of the schedule.
//
// The random walk chooses uniformly, at each call from traced code and in each operation of
// synchronisation. The others leave the points at calls out. They have one point for each attempt
// of an operation, at which the object of the operation is known. There are no points at plain
// accesses, but at the sites of a schedule.

// A steerBase is a base scheduler. pick returns which of the goroutines goes on.
type steerBase interface{ pick(r steerReady) uint32 }

// The numbers of the base schedulers in the file of a schedule.
const (
	steerIsWalk = iota
	steerIsPCT
	steerIsPOS
	steerIsSURW
)

// steerG is what base schedulers keep for a goroutine.
type steerG struct {
	priority int64   // the largest one goes on; 0: none is drawn
	pending  uintptr // object of the operation that the goroutine is about to make; 0: unknown
	object   uintptr // of the last operation that had one
	ends     bool    // it is about to end the process
	at       uint64  // records of synchronisation that it had made when the priority was drawn
	weight   uint64  // estimate of the interesting events of it and its unborn descendants
}

// steerReady is the goroutines that can go on: those in the queue of a processor.
type steerReady struct {
	pp *p
	n  uint32
	// a goroutine that has called Gosched, or has gone on for steerPatience choices: if it waits in
	// a loop for another one, that one must come to its turn. nil: there is none
	tired *PresageG
}

// steerPatience is how many choices in a row a base scheduler may choose one goroutine of several.
const steerPatience = 1000

func (r steerReady) g(k uint32) *g {
	return r.pp.runq[(r.pp.runqhead+k)%uint32(len(r.pp.runq))].ptr()
}

func (r steerReady) at(k uint32) *PresageG { return r.g(k).presage }

// has reports whether s can go on.
func (r steerReady) has(s *PresageG) bool {
	for k := range r.n {
		if r.at(k) == s {
			return true
		}
	}
	return false
}

// highest returns the goroutine of the largest priority. Those that have none get a random one
// above least.
func (r steerReady) highest(least int64) (best uint32) {
	for k := range r.n {
		b := &r.at(k).steer
		if b.priority == 0 {
			b.priority = least + 1 + int64(steerDraw(1<<31))
		}
		if b.priority > r.at(best).steer.priority {
			best = k
		}
	}
	return best
}

// steerDraw draws a number below n, which is less than 1<<32. Without a choice it draws none: a
// goroutine that comes from the kernel may find the processor taken or not.
func steerDraw(n uint64) uint64 {
	if n == 1 {
		return 0
	}
	x := &presageSteer
	x.rng = x.rng*6364136223846793005 + 1442695040888963407
	return uint64(uint32(x.rng>>32)) * n >> 32
}

// steerWalk is the random walk: each goroutine is as likely as the others.
type steerWalk struct{}

func (steerWalk) pick(r steerReady) uint32 { return uint32(steerDraw(uint64(r.n))) }

// steerPCT is the scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized
// Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010: each goroutine has a
// random priority, and the one with the largest goes on. At depth-1 random steps the one that goes
// on gets a priority below all of those. The steps are the choices among several goroutines. Their
// number is an estimate.
//
// A goroutine that is tired gets the lowest priority of all.
type steerPCT struct {
	steps   uint64 // so far
	depth   uint64
	changes [steerDepth]uint64 // steps, depth-1 of them
	lowest  int64
}

// steerDepth bounds the depth.
const steerDepth = 16

func (b *steerPCT) begin(depth, steps uint64) {
	b.depth = min(max(depth, 1), steerDepth)
	for i := range b.depth - 1 {
		if steps > 0 {
			b.changes[i] = 1 + steerDraw(min(steps, 1<<31))
		}
	}
}

func (b *steerPCT) pick(r steerReady) uint32 {
	if r.tired != nil {
		b.lowest--
		r.tired.steer.priority = b.lowest
	}
	k := r.highest(int64(b.depth))
	if r.n == 1 {
		return k
	}
	b.steps++
	for i := range b.depth - 1 {
		if b.changes[i] == b.steps {
			r.at(k).steer.priority = int64(b.depth - 1 - i)
		}
	}
	return k
}

// steerPOS is the scheduler of Yuan, Yang and Gu, "Partial Order Aware Concurrency Sampling", CAV
// 2018: each pending operation has a random priority, and the one with the largest is
// made. Then the priorities of the operations that conflict with it are drawn anew.
//
// Two operations are taken to conflict if they are on one object, even if both only read it. A
// select conflicts with other selects alone, because it has several objects. Operations of the
// runtime that have no point are part of the one before. A goroutine that begins, or has waited,
// goes on at once up to its next operation, since that is not known before.
type steerPOS struct{}

func (steerPOS) pick(r steerReady) uint32 {
	for k := range r.n {
		if s := r.at(k); s.steer.pending == 0 && s != r.tired {
			return k
		}
	}
	for k := range r.n {
		if s := r.at(k); s.steer.at != s.records { // the operation of the priority has been made
			s.steer.at, s.steer.priority = s.records, 0
		}
	}
	if r.tired != nil {
		r.tired.steer.priority = 1
	}
	best := r.highest(1)
	if obj := r.at(best).steer.pending; obj != 0 {
		for k := range r.n {
			if b := &r.at(k).steer; k != best && b.pending == obj {
				b.priority = 0
			}
		}
	}
	return best
}

// steerSURW is the scheduler of Zhao, Wolff, Mathur and Roychoudhury, "Selectively Uniform
// Concurrency Testing", ASPLOS 2025: which goroutine makes the next interesting event is
// drawn with the estimates of their remaining interesting events as weights. Until then, no other
// one makes such an event, and all else is a random walk. A goroutine that has not been started
// counts for the one that will start it.
//
// An event is interesting if it is an operation of synchronisation on one given object. If none is
// given, it is one on any object that is known. If the chosen goroutine waits, another one is
// drawn, and also after steerPatience choices: it may wait in a loop.
type steerSURW struct {
	object   uintptr
	intended *PresageG
	since    int // choices since it was drawn
}

func (b *steerSURW) interesting(s *PresageG) bool {
	return s.steer.pending != 0 && (b.object == 0 || b.object == s.steer.pending)
}

// awaits reports whether s may not go on before the chosen goroutine does.
func (b *steerSURW) awaits(s *PresageG) bool {
	return b.intended != nil && s != b.intended && b.interesting(s)
}

// draw chooses the goroutine of the next interesting event; nil if none is expected to make one.
func (b *steerSURW) draw(r steerReady) *PresageG {
	if r.n == 1 {
		return r.at(0)
	}
	sum := uint64(0)
	for k := range r.n {
		sum += r.at(k).steer.weight
	}
	if sum == 0 || sum >= 1<<32 {
		return nil
	}
	x := steerDraw(sum)
	for k := range r.n {
		w := r.at(k).steer.weight
		if x < w {
			return r.at(k)
		}
		x -= w
	}
	return nil
}

func (b *steerSURW) pick(r steerReady) uint32 {
	if b.since++; b.intended == nil || b.since > steerPatience || b.intended == r.tired || !r.has(b.intended) {
		b.intended, b.since = b.draw(r), 0
	}
	n := uint64(0)
	for k := range r.n {
		if !b.awaits(r.at(k)) {
			n++
		}
	}
	x := steerDraw(n)
	for k := range r.n {
		s := r.at(k)
		if b.awaits(s) {
			continue
		}
		if x == 0 {
			if b.interesting(s) {
				s.steer.weight -= min(s.steer.weight, 1)
				b.intended = nil
			}
			return k
		}
		x--
	}
	return 0
}

// The state of the base scheduler of this process.
var steerBases struct {
	steerPCT
	steerSURW
}

// steerBaseInit makes the base scheduler that the file of the schedule names.
func steerBaseInit(h *steerHeader) {
	x := &presageSteer
	x.calls = h.base == steerIsWalk
	switch h.base {
	case steerIsPCT:
		steerBases.begin(h.depth, h.steps)
		x.base = &steerBases.steerPCT
	case steerIsPOS:
		x.base = steerPOS{}
	case steerIsSURW:
		steerBases.object = uintptr(h.object)
		x.base = &steerBases.steerSURW
	default:
		x.base = steerWalk{}
	}
}

// steerWeighs gives s its weight, and takes it from the goroutine that has started s.
func (s *PresageG) steerWeighs(parent *PresageG) {
	x := &presageSteer
	if x.file == nil {
		return
	}
	for i := range x.file.weights {
		if w := &x.weights[i]; w.goroutine == s.path {
			s.steer.weight = w.until
			parent.steer.weight -= min(parent.steer.weight, w.until)
			return
		}
	}
}
