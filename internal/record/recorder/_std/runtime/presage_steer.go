package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/atomic"
	"unsafe"
)

// A steered run. The process has one processor, and gives it to another goroutine only where one
// waits, ends, or comes to an operation of synchronisation, or to an access at a site of the
// schedule (presage_point.go). Which goroutine goes on is said by a
// schedule, and behind its end by a base scheduler (presage_base.go), which draws numbers from a
// seed. While all goroutines wait, the clock moves on to the next timer; else it stands still, but
// for a microsecond whenever it is read. So the run is a function of the schedule and the seed, as
// far as the program asks for nothing else.
//
// A goroutine is identified by a number made of that of the goroutine that starts it, and of how
// many it has started before. A part of the schedule names a goroutine and how many records of
// synchronisation it is to have at its end.
//
// The schedule is a file that is mapped shared (steerHeader, and the parts behind it).

var presageSteer steerState

// steerState is what a steered run has.
type steerState struct {
	on      bool
	file    *steerHeader
	parts   *[1 << 24]steerPart
	choices *[1 << 20]steerChoice
	weights *[1 << 20]steerPart // of goroutines: the numbers of their events
	waits   *[steerWaits]steerWait
	part    uint64
	rng     uint64
	base    steerBase
	calls   bool             // there are points at the calls of traced code
	yields  *PresageG        // the goroutine that has called Gosched last,
	last    *PresageG        // and the one that was chosen last,
	row     uint64           // among several, so many times in a row
	idle    int              // times that nothing was ready, since something was
	wall    int64            // nanoseconds by which the wall clock is ahead
	procs   int              // what GOMAXPROCS is said to be
	spins   *PresageG        // a goroutine that has called Gosched,
	spun    uint64           // and the records that it had made
	signals *g               // the goroutine that receives signals
	exits   *g               // the one that ends the process (presage_steerend.go),
	rank    int32            // how it does so,
	until   uint64           // after so many choices at the latest
	sites   *[1 << 24]uint64 // a bit for each site whose accesses are points (presage_point.go),
	nsites  uint64           // the number of bits
	// a hash table of the goroutines, by their numbers
	known *[steerKnown]steerEntry
}

// steerEntry is a goroutine; without s, one that has ended.
type steerEntry struct {
	number uint64
	s      *PresageG
}

// steerKnown bounds the goroutines of the table.
const steerKnown = 1 << 16

// steerHeader is the beginning of the file.
type steerHeader struct {
	magic   uint64
	seed    uint64
	choices uint64 // of selects, behind the parts
	n       uint64 // parts of the schedule
	// Written by the process:
	done    uint64 // parts that are over
	missed  uint64 // times that the goroutine of a part could not go on
	picked  uint64 // times that a goroutine was chosen,
	several uint64 // of these: among several
	hash    uint64 // of the goroutines chosen among several
	unended uint64 // goroutines that could have gone on when the process ended
	// The base scheduler, and what it needs:
	base    uint64
	depth   uint64 // PCT: of the bug
	steps   uint64 // PCT: an estimate of those of a run
	object  uint64 // SURW: of the interesting events; 0: all are
	weights uint64 // SURW: of goroutines, behind the choices
	draw    uint64 // another seed, of the scheduler alone
	// Written at the end (presage_steerend.go):
	held    uint64 // 1: all others had gone on for as long as they could
	blocked uint64 // goroutines that waited, and objects, behind the weights
	sites   uint64 // of accesses that are points, behind those
	procs   uint64 // that the program is said to have
	// Written by the process:
	asked uint64 // what it has asked for (presage_asked.go)
	early uint64 // nanoseconds to the latest timer that fired while another goroutine could go on
	_     [2]uint64
}

// steerWait is a goroutine that waited at the end.
type steerWait struct{ goroutine, object, kind uint64 }

// steerWaits bounds them.
const steerWaits = 256

// A steerChoice is the case that a select of a goroutine looks at first, if the goroutine has made
// so many records before.
type steerChoice struct {
	goroutine, records uint64
	number             uint64 // of the case, from 1 on
	_                  uint64
}

const steerMagic = 0x7265657473657270

// presageSteerInit maps the schedule that the environment names.
func presageSteerInit() {
	name := gogetenv("PRESAGE_STEER")
	if name == "" || len(name) > 1000 {
		return
	}
	var path [1024]byte
	copy(path[:], name)
	fd, _, e := pgsys.Syscall6(pgSysOpenat, pgAtCwd, uintptr(unsafe.Pointer(&path)), 0o2|0o2000000 /* O_RDWR|O_CLOEXEC */, 0, 0, 0)
	if e != 0 {
		return
	}
	p, err := mmap(nil, 4096, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, int32(fd), 0)
	if err == 0 {
		if h := (*steerHeader)(p); h.magic == steerMagic {
			parts := unsafe.Sizeof(steerHeader{}) + uintptr(h.n)*unsafe.Sizeof(steerPart{})
			choices := parts + uintptr(h.choices)*unsafe.Sizeof(steerChoice{})
			waits := choices + uintptr(h.weights)*unsafe.Sizeof(steerPart{})
			sites := waits + steerWaits*unsafe.Sizeof(steerWait{})
			size := sites + uintptr(h.sites)*8
			if p, err = mmap(nil, size, _PROT_READ|_PROT_WRITE, 1, int32(fd), 0); err == 0 {
				x := &presageSteer
				x.file, x.parts = (*steerHeader)(p), (*[1 << 24]steerPart)(add(p, unsafe.Sizeof(steerHeader{})))
				x.choices = (*[1 << 20]steerChoice)(add(p, parts))
				x.weights = (*[1 << 20]steerPart)(add(p, choices))
				x.waits = (*[steerWaits]steerWait)(add(p, waits))
				steerSitesInit((*[1 << 24]uint64)(add(p, sites)), x.file.sites)
				x.known = (*[steerKnown]steerEntry)(sysAlloc(unsafe.Sizeof(*x.known), &memstats.other_sys, "presage"))
				x.rng = (x.file.seed^x.file.draw)*0x9E3779B97F4A7C15 + 1
				steerBaseInit(x.file)
			}
		}
	}
	closefd(int32(fd))
}

// presageSteerBegin begins to steer, when the runtime is up.
func presageSteerBegin() {
	if presageSteer.file != nil && gomaxprocs == 1 {
		x := &presageSteer
		faketime = nanotime1()
		x.wall = steerWall(x.file.seed) - faketime
		x.procs = int(max(x.file.procs, 1))
		debug.asyncpreemptoff = 1
		x.on = true
	}
}

// steerPoint is where a goroutine may be made to wait: before an operation of synchronisation on
// obj, if the goroutine holds no lock of the runtime.
//
//go:noinline
func steerPoint(s *PresageG, obj uintptr) {
	if gp := getg(); gp == gp.m.curg && gp.m.locks == 0 && gp.m.preemptoff == "" {
		s.steer.pending = obj
		if obj > steerSelects {
			s.steer.object = obj
		}
		mcall(gosched_m)
	}
}

// steerCall is a point before a call from traced code.
//
//go:noinline
func steerCall(s *PresageG) {
	if x := &presageSteer; x.calls || x.part < x.file.n {
		steerPoint(s, 0)
	}
}

// steerSelects stands for the channels of a select, as an object.
const steerSelects = 1

// steerAt is a point before an operation on obj that has none but at its call.
func steerAt(obj uintptr) {
	if s := getg().presage; !presageSteer.calls && s != nil && s.mute == 0 {
		steerPoint(s, obj)
	}
}

// presagePick chooses the goroutine that goes on, of those that are ready. It is nil if there is
// none.
func presagePick(pp *p) *g {
again:
	for steerAwaitsTimer() {
		next := pp.timers.wakeTime()
		if next == 0 {
			break
		}
		if pp.runqtail != pp.runqhead || pp.runnext != 0 || !sched.runq.empty() {
			steerEarly(next)
		}
		faketime = max(faketime, next)
		pp.timers.check(0, nil)
	}
	lock(&sched.lock)
	for pp.runqtail-pp.runqhead < uint32(len(pp.runq)) {
		gp := globrunqget()
		if gp == nil {
			break
		}
		runqput(pp, gp, false)
	}
	unlock(&sched.lock)
	if next := pp.runnext; next != 0 {
		pp.runnext = 0
		runqput(pp, next.ptr(), false)
	}
	n := pp.runqtail - pp.runqhead
	if steerWaitedFor(steerReady{pp: pp, n: n}) {
		goto again
	}
	if n == 0 {
		return nil
	}
	x := &presageSteer
	x.idle = 0
	k := steerChoose(pp, n)
	h := pp.runqhead
	size := uint32(len(pp.runq))
	gp := pp.runq[(h+k)%size].ptr()
	for ; k > 0; k-- {
		pp.runq[(h+k)%size] = pp.runq[(h+k-1)%size]
	}
	pp.runq[h%size] = 0
	atomic.StoreRel(&pp.runqhead, h+1)
	return gp
}

// steerChoose returns the number of the goroutine that goes on, of the n in the queue of pp.
func steerChoose(pp *p, n uint32) uint32 {
	x := &presageSteer
	r := steerReady{pp: pp, n: n}
	for k := range n { // those of the runtime do not count
		if isSystemGoroutine(r.g(k), false) || r.at(k) == nil {
			return k
		}
	}
	f := x.file
	if f.picked++; x.exits != nil && f.picked > x.until {
		faketime++ // until it wakes
		for k := range n {
			if r.g(k) == x.exits {
				return k
			}
		}
	}
	if n > 1 {
		f.several++
	}
	k, ok := uint32(0), false
	for x.part < f.n && !ok {
		part := &x.parts[x.part]
		if steerIsOver(part) {
			x.ends(steerOver)
			continue
		}
		for j := range n {
			if r.at(j).path == part.goroutine {
				k, ok = j, true
				part.until |= steerChosen
				break
			}
		}
		if ok || part.until&steerOrWaits == 0 || !steerIsKnown(part.goroutine) {
			break
		}
		x.ends(steerOver | steerWaited)
	}
	if ok && n > 1 && x.spinning(r.at(k)) {
		ok = false
	} else if !ok {
		k, ok = steerAhead(r)
	}
	if !ok {
		if x.part < f.n {
			f.missed++
			x.parts[x.part].until |= steerMissed
		}
		k = x.basePick(r)
	}
	s := r.at(k)
	s.steer.pending = 0
	if x.yields = nil; s != x.spins {
		x.spins = nil
	}
	if n > 1 { // a goroutine that comes from the kernel may be chosen once more or not
		f.hash = presageMix(f.hash*31 + s.path)
	}
	return k
}

// spinning reports whether a goroutine that calls Gosched has made no record since it has called it
// before: it waits for another one.
func (x *steerState) spinning(s *PresageG) bool {
	if s != x.yields {
		return false
	}
	again := s == x.spins && s.records == x.spun
	x.spins, x.spun = s, s.records
	return again
}

// basePick has the base scheduler choose.
func (x *steerState) basePick(r steerReady) uint32 {
	if x.yields != nil && r.has(x.yields) {
		r.tired = x.yields
	} else if x.row >= steerPatience && r.has(x.last) {
		r.tired = x.last
	}
	k := x.base.pick(r)
	if s := r.at(k); s != x.last || r.n == 1 || r.tired != nil {
		x.last, x.row = s, 0
	}
	x.row++
	return k
}

// steerFirings is the number of the parent of all firings of timers.
const steerFirings = 2

// steerNumber is the number of the n-th goroutine that another one starts.
func steerNumber(parent, n uint64) uint64 { return presageMix(parent*0x9e3779b97f4a7c15+n) | 1 }

// presageOrder is a random number below n, for the order in which a select looks at its cases. In a
// steered run it depends on the goroutine and on how far it is.
func presageOrder(n uint32) uint32 {
	if s := getg().presage; presageSteer.on && s != nil {
		x := presageMix(presageMix(presageSteer.file.seed^presageSteer.file.draw^s.path) + s.records + uint64(n)<<32)
		return uint32(uint64(uint32(x)) * uint64(n) >> 32)
	}
	return cheaprandn(n)
}

// steerEntryOf returns the entry of a goroutine, which may be new; nil if there is no room.
func steerEntryOf(number uint64) *steerEntry {
	for i := range uint64(64) {
		e := &presageSteer.known[(number+i)%steerKnown]
		if atomic.Load64(&e.number) == number || atomic.Cas64(&e.number, 0, number) {
			return e
		}
	}
	return nil
}

// steerBegins numbers a goroutine, which is the next one that parent starts.
func (s *PresageG) steerBegins(parent *PresageG) {
	parent.kids++
	s.path = steerNumber(parent.path, parent.kids)
	s.steerAs(s)
	s.steerWeighs(parent)
}

// steerAs notes the state of s in the table; nil: s has ended.
func (s *PresageG) steerAs(state *PresageG) {
	if presageSteer.file != nil && s.path != 0 {
		if e := steerEntryOf(s.path); e != nil {
			e.s = state
		}
	}
}

// steerSelect has a select look at the case first that the schedule says.
func steerSelect(scases []scase, pollorder []uint16) {
	s := getg().presage
	x := &presageSteer
	if s == nil {
		return
	}
	steerAt(steerSelects)
	for i := range x.file.choices {
		c := &x.choices[i]
		if c.goroutine != s.path || c.records != s.records {
			continue
		}
		for k, at := range pollorder {
			if uint64(at)+1 == c.number {
				pollorder[0], pollorder[k] = pollorder[k], pollorder[0]
				return
			}
		}
	}
}
