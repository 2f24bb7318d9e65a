package window

import (
	"cmp"
	"maps"
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// While an opaque call is open it can look at what it touches at any time, also more than once. What it makes of that nobody knows: it
// may wait for it, on plain memory or in cgo or assembly, where the runtime's hooks see nothing, and what it returns may be computed from it. So
//
//   - (Q1) nothing more of the call's goroutine happens, unless what others did before, one after the other, to what the call touches was in
//     the recorded order;
//   - (Q2) what that goroutine does in the call, in what is called back, stands in this order as well;
//   - (Q3) calls that are open together and meet, directly or through others, have one order: what one has seen another may know.
//
// This is (B1) of package barrier, with footprints for Ds, and as a condition: who does not care for the end of the call is not
// ordered by it. The smallest program:
//
//	go func() { lib.Wait(&x, &y); v = 1 }()                  // loads x, then y, until it has seen x and not y
//	go func() { mu.Lock(); x = 1; v = 2; mu.Unlock() }()     // with y first, Wait would not return:
//	go func() { mu.Lock(); y = 1; mu.Unlock() }()            // the two writes to v do not race, but x and y may with Wait
//
// Two kinds of call are left out. A function of the standard library that has a state of its own waits by what the hooks see; it could tell the order only by
// reading, without synchronisation, what others write (testing.M.Run has such a footprint, and is open all the time). And a tale of more than
// maxRuns runs is not kept, and counted: the engine would have to keep them all in order for each pair of accesses behind it.
//
// For the condition there is a *tale*: a location that each goroutine, before and after a run of such accesses, takes from one version to the next by an AtomicRMW.
// That of the call's own goroutine is strict, so the tale up to there is as it was. (The tempting alternative is a hard edge from each run to the next. It
// says too much: two accesses in an open call's footprint would never race.)

// maxRuns bounds the runs of a tale.
const maxRuns = 64

// tale is the order of what calls that meet may have looked at.
type tale struct {
	runs   []run
	back   bool // there is a run of a call's own goroutine that is more than the ends of the call
	others []trace.GoID
	obj    Obj
	now    uint64 // version
	broken bool   // a part of it is not in the window
}

// run is records of one goroutine, with none of others in between that matter to the tale.
type run struct {
	g           trace.GoID
	first, last int
	own         bool // a call is this goroutine's
}

// turn is where a run begins or ends.
type turn struct {
	tale *tale
	own  bool
}

// tales finds the tales of the window: those in which the order of others can matter to a call.
func (m *maker) tales() {
	m.starts, m.stops = make(map[int][]turn), make(map[int][]turn)
	if !m.anyOpen() {
		return
	}
	t := &telling{
		m: m, of: make(map[touch]*tale), over: make(map[touch]touch), groups: make(map[touch][]touch), listeners: make(map[touch]*listener),
		inside: make(map[trace.GoID][]touch),
	}
	for _, f := range []func(i int, r *record){t.join, t.hear} {
		m.outside, m.past = m.b.carry.outside.clone(), 0
		clear(t.groups)
		clear(t.inside)
		for i := range m.recs[:m.onPath] {
			r := &m.recs[i]
			kinds := len(m.outside.by)
			if m.outside.step(r); r.touch != nothing {
				clear(t.inside)
			}
			if len(m.outside.by) != kinds { // one footprint more or less
				clear(t.groups)
			}
			f(i, r)
		}
	}
	for _, x := range t.list {
		x.mark(m)
	}
}

// anyOpen says whether a call is open in the window that can have a tale.
func (m *maker) anyOpen() bool {
	for y := range m.b.carry.outside.by {
		if !m.b.prints.sets[y].Standard() {
			return true
		}
	}
	for i := range m.recs[:m.onPath] {
		if r := &m.recs[i]; r.touch != nothing && (r.e.Kind == format.OpaqueBegin || r.e.Kind == format.Go) && !m.b.prints.sets[r.touch].Standard() {
			return true
		}
	}
	return false
}

// telling is the search for tales.
type telling struct {
	m      *maker
	over   map[touch]touch // footprints of calls that meet: a forest
	of     map[touch]*tale // by root
	list   []*tale
	groups map[touch][]touch // open calls that an access meets, while no footprint comes or goes

	inside    map[trace.GoID][]touch // calls that a goroutine is in, while none begins or ends
	listeners map[touch]*listener
}

// listener says whether a call of a footprint has a goroutine, and not a certain one, that does something after a record. What was found out holds while the same calls are open.
type listener struct {
	calls []trace.GoID // those
	g     trace.GoID   // one that does something up to record last
	last  int
	alone trace.GoID // but for this one nobody does; 0: there is none
}

func (t *telling) listens(y touch, but trace.GoID, i int) bool {
	x, list := t.listeners[y], t.m.outside.by[y] // which is not empty
	switch {
	case x == nil:
		x = &listener{}
		t.listeners[y] = x
		fallthrough
	case len(x.calls) != len(list) || &x.calls[0] != &list[0]:
		*x = listener{calls: list}
	case x.g != but && x.last > i:
		return true
	case but != 0 && x.alone == but:
		return false
	}
	for _, g := range list {
		if last := t.m.lastRec[g]; g != but && last > i {
			x.g, x.last = g, last
			return true
		}
	}
	x.alone = but
	return false
}

func (t *telling) root(y touch) touch {
	for {
		up, ok := t.over[y]
		if !ok {
			return y
		}
		y = up
	}
}

// join is (Q3).
func (t *telling) join(_ int, r *record) {
	if r.touch == nothing || r.e.Kind != format.OpaqueBegin && r.e.Kind != format.Go {
		return
	}
	for y := range t.m.outside.by { // the order does not matter
		if t.m.b.prints.sets[y].Standard() || t.m.b.prints.sets[r.touch].Standard() {
			continue
		}
		if a, b := t.root(r.touch), t.root(y); a != b && t.m.b.prints.meet(r.touch, y) {
			t.over[max(a, b)] = min(a, b)
		}
	}
}

// met returns the open calls that an access or call of footprint x meets.
func (t *telling) met(x touch) []touch {
	g, ok := t.groups[x]
	if !ok {
		for _, y := range slices.Sorted(maps.Keys(t.m.outside.by)) {
			if !t.m.b.prints.sets[y].Standard() && t.m.b.prints.meet(x, y) {
				g = append(g, y)
			}
		}
		t.groups[x] = g
	}
	return g
}

// hear takes a record into the tales that it is a part of.
func (t *telling) hear(i int, r *record) {
	m := t.m
	if ends := r.touch != nothing && r.e.Kind == format.OpaqueEnd; ends || m.outside.in[r.e.G] > 0 {
		own, ok := t.inside[r.e.G]
		if !ok {
			own = m.outside.of(r.e.G)
			t.inside[r.e.G] = own
		}
		if ends {
			own = append(slices.Clip(own), r.touch)
		}
		for _, y := range own {
			if !m.b.prints.sets[y].Standard() {
				t.own(i, r, t.tale(y))
			}
		}
	}
	if !r.e.Kind.IsAccess() || r.e.Flags&(format.FlagStack|format.FlagOpaque) != 0 || len(m.outside.by) == 0 {
		return
	}
	kind := asRead
	if r.e.Kind.IsWrite() {
		kind = asWrite
	}
	for _, y := range t.met(m.b.prints.at(r.e.Site, kind)) {
		if t.listens(y, r.e.G, i) {
			t.tale(y).add(run{r.e.G, i, i, false})
		}
	}
}

func (t *telling) tale(y touch) *tale {
	y = t.root(y)
	if t.of[y] == nil {
		t.of[y] = &tale{obj: -1}
		t.list = append(t.list, t.of[y])
	}
	return t.of[y]
}

// own adds what the goroutine of a call does in it (Q2).
func (t *telling) own(i int, r *record, x *tale) {
	switch k := r.e.Kind; {
	case k == format.OpaqueBegin || k == format.OpaqueEnd:
	case k.IsAccess() && r.e.Flags&format.FlagStack == 0, r.obj >= 0, k == format.Go, k == format.Join:
		x.back = true
	default:
		return
	}
	x.add(run{r.e.G, i, i, true})
}

func (x *tale) add(r run) {
	if n := len(x.runs); n > 0 && x.runs[n-1].g == r.g && x.runs[n-1].own == r.own {
		x.runs[n-1].last = r.last
	} else {
		x.runs = append(x.runs, r)
	}
	if !r.own && !slices.Contains(x.others, r.g) {
		x.others = append(x.others, r.g)
	}
}

// mark notes where the versions of a tale change, if it has something to tell: of one goroutine the edges from and to the ends of the call say it all.
func (x *tale) mark(m *maker) {
	for n := len(x.runs); n > 0 && !x.runs[n-1].own; n-- {
		x.runs = x.runs[:n-1]
	}
	if len(x.runs) < 2 || len(x.others) < 2 && !x.back {
		return
	}
	if len(x.runs) > maxRuns {
		m.b.count.Untold++
		return
	}
	for k, r := range x.runs {
		if k > 0 && !m.handsOver(x.runs[k-1], r) {
			m.starts[r.first] = append(m.starts[r.first], turn{x, r.own})
		}
		if k+1 < len(x.runs) && !m.handsOver(r, x.runs[k+1]) {
			m.stops[r.last] = append(m.stops[r.last], turn{x, r.own})
		}
	}
}

// handsOver says whether one run ends with a send on an unbuffered channel with whose receive the next one begins: the channel
// has them in that order, and no version can stand between the two. If anything else was done to the channel in between, the
// receive may be that of another send.
func (m *maker) handsOver(one, next run) bool {
	k := next.first
	for k < next.last && (m.recs[k].e.G != next.g || m.recs[k].e.Kind == format.SelectCase) { // of a select the one that it took
		k++
	}
	a, b := &m.recs[one.last], &m.recs[k]
	if a.e.Kind != format.ChanSend || b.e.Kind != format.ChanRecv || a.e.Aux != 0 || b.e.Aux != 0 || a.obj < 0 || a.obj != b.obj {
		return false
	}
	for i := one.last + 1; i < k; i++ {
		if m.recs[i].obj == a.obj {
			return false
		}
	}
	return true
}

// of returns the footprints of the calls that goroutine g is in.
func (o *outside) of(g trace.GoID) (list []touch) {
	for y, gs := range o.by {
		if slices.Contains(gs, g) {
			list = append(list, y)
		}
	}
	slices.SortFunc(list, cmp.Compare[touch])
	return list
}

// opened begins the runs that begin with record i. It returns false if the goroutine ends here: it
// rests on what is not in the window, or who sends to it has found it waiting (U), so no version can stand before the receive.
func (m *maker) opened(i int, r *record, t *thread) bool {
	for _, x := range m.starts[i] {
		if x.own && (x.tale.broken || m.waitedFor(r)) {
			return false
		}
		m.version(i, t, x.tale, x.own)
	}
	return true
}

// closed ends the runs that end with it. Behind a send on an unbuffered channel no version can stand: the goroutine goes on when somebody has received, which is
// another's run. So the tale ends there.
func (m *maker) closed(i int, r *record, t *thread) {
	for _, x := range m.stops[i] {
		if r.e.Kind == format.ChanSend && r.e.Aux == 0 {
			x.tale.broken = true
		} else {
			m.version(i, t, x.tale, false)
		}
	}
}

// version is a step of a tale, which the call's own goroutine has to find as it was (Q1).
func (m *maker) version(i int, t *thread, x *tale, strict bool) {
	if x.obj < 0 {
		x.obj = m.newObj(ObjState{})
	}
	m.add(t, i, Event{Kind: format.AtomicRMW, Obj: x.obj, Val: x.now, Aux: x.now + 1, Strict: strict})
	x.now++
}

// untold notes that a record is not in the window.
func (m *maker) untold(i int) {
	for _, x := range append(slices.Clone(m.starts[i]), m.stops[i]...) {
		x.tale.broken = true
	}
}
