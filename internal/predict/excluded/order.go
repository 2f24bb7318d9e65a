package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Order computes the orders of EX1 to EX3, event by event, in trace order. The caller numbers the
// events. For each event it calls Before, and then After with the numbers that the event has got.
// Numbers are in trace order.
type Order struct {
	Words int // about how many words there will be; 0: unknown

	gaps  []*gap
	open  open // which gaps meet
	past  []*past
	logs  []*log
	words map[uint64]*touchedWord // by address: what was accessed
	addrs []uint64
	near  [nearWords]*touchedWord // a cache of words, by hash
	fresh []touchedWord           // unused elements

	ends    int // of gaps, so far
	members map[trace.GoID]*member
	last    *member // the one used last
}

// Step is an event, as Order needs it.
type Step struct {
	G      trace.GoID
	Index  int64 // of the trace
	X      Touch
	Begins *Pair
	Ends   *Pair
	Reads  bool // it only reads, so no other goroutine can observe it

	// Demands reports that the event can only happen if excluded code has run, while no value in
	// the window says so: the order must.
	Demands bool
	Known   Known
}

// Kept is what must come before an event.
type Kept struct {
	Edges  []int32 // events that always come before
	Weak   []int32 // events that come before unless the event is an access of the race
	Orders []Cond
	Quiet  []Quiet // accesses that come before and have no event
	// goroutines whose excluded calls have run up to the event, if it is executed
	Runs []trace.GoID
	seen map[Cond]bool
}

// Any reports whether there is an order.
func (k *Kept) Any() bool { return len(k.Edges)+len(k.Weak)+len(k.Orders) > 0 }

// Cond is an order From < To that holds if the event If is executed. If may be From. Self stands
// for the event that Before was called for.
type Cond struct{ If, From, To int32 }

// Self is the number of the event that Before is called for.
const Self int32 = -1

// gap is the open gap of a goroutine.
type gap struct {
	g     trace.GoID
	pairs []*openPair
	group *group   // nil: not computed since a call began or ended
	begun int64    // its first event, by trace
	last  []int32  // the last events of its group, without reads
	reads []Extent // reads of its group since
	kept  []Cond   // orders of its group, on the condition that it runs
	must  []did    // events that it hits, without reads: the last of each goroutine
}

// Extent is the first and last number of an event.
type Extent struct{ First, Last int32 }

type did struct {
	g trace.GoID
	n int32
}

// past is what a goroutine did so far.
type past struct {
	g       trace.GoID
	id      int       // in Order.past
	objects []touched // events other than accesses
	ended   []ended
	all     Set // of ended
}

type touched struct {
	x Touch
	n int32
}

// ended is a gap that has ended, for one of its pairs.
type ended struct {
	p     *Pair
	n     int32
	at    int64
	later bool // a later gap of the same pair has ended too
}

// member is the state of one goroutine.
type member struct {
	g      trace.GoID
	past   *past // nil: it did nothing yet
	log    *log
	upTo   int   // Order.ends when all ended gaps of others were known to come before its events
	ended  []int // by past: how many of its ended gaps come before this goroutine's events anyway
	logged []int // by log: how many of its entries do
}

func (o *Order) member(g trace.GoID) *member {
	if o.last != nil && o.last.g == g {
		return o.last
	}
	m := o.members[g]
	if m == nil {
		if o.members == nil {
			o.members = make(map[trace.GoID]*member)
		}
		m = &member{g: g}
		o.members[g] = m
	}
	o.last = m
	return m
}

// Open adds a pair that was open before the first event.
func (o *Order) Open(p *Pair) { o.enter(p, -1, p.Begin) }

func (o *Order) enter(p *Pair, n int32, at int64) {
	c := o.gapOf(p.G)
	if c == nil {
		c = &gap{g: p.G}
		o.gaps = append(o.gaps, c)
	}
	o.opened(c, p)
	if c.begun = at; n >= 0 {
		c.last, c.must = []int32{n}, []did{{-1, n}}
	}
}

func (o *Order) gapOf(g trace.GoID) *gap {
	for _, x := range o.gaps {
		if x.g == g {
			return x
		}
	}
	return nil
}

func (o *Order) pastOf(g trace.GoID) *past {
	m := o.member(g)
	if m.past == nil {
		m.past = &past{g: g, id: len(o.past), all: Union()}
		o.past = append(o.past, m.past)
	}
	return m.past
}

// Inside reports whether g is in an excluded call.
func (o *Order) Inside(g trace.GoID) bool { return o.gapOf(g) != nil }

// Before returns what must come before an event.
func (o *Order) Before(s *Step) *Kept {
	k := &Kept{}
	in := o.concerns(s.G, s.X, s.Begins)
	k.after(in.own)
	if s.Demands {
		k.after(in.hit)
	}
	if s.Begins != nil {
		o.beforeCall(k, s) // (EX2)
	}
	o.afterCalls(k, s) // (EX3)
	return k
}

// after orders an event after groups: all their gaps have run up to it, each group in its order.
func (k *Kept) after(groups []*group) {
	for _, s := range groups {
		for _, c := range s.gaps {
			k.afterGap(c)
		}
	}
}

func (k *Kept) afterGap(c *gap) {
	k.Runs = append(k.Runs, c.g)
	for _, n := range c.last {
		k.edge(n)
	}
	for _, r := range c.reads {
		k.ifDone(r)
	}
	for _, d := range c.must {
		k.edge(d.n)
	}
	for _, q := range c.kept {
		k.order(Cond{Self, q.From, q.To})
	}
}

func (k *Kept) edge(n int32) {
	if n >= 0 && !slices.Contains(k.Edges, n) {
		k.Edges = append(k.Edges, n)
	}
}

// ifDone orders an event after a read, if the read is executed.
func (k *Kept) ifDone(r Extent) {
	for n := r.First; n <= r.Last; n++ {
		k.order(Cond{n, n, Self})
	}
}

func (k *Kept) order(c Cond) {
	if k.seen == nil {
		k.seen = map[Cond]bool{}
	}
	if !k.seen[c] {
		k.seen[c] = true
		k.Orders = append(k.Orders, c)
	}
}

// After adds the event for which Before was called last. Its numbers are at.
func (o *Order) After(s *Step, at Extent) {
	in := o.concerns(s.G, s.X, s.Begins)
	o.cut(in.own, at, s.Index)
	if s.Demands {
		o.cut(in.hit, at, s.Index)
	} else {
		for _, c := range in.hit {
			c.hitBy(s, at)
		}
	}
	if s.Begins != nil {
		o.enter(s.Begins, at.Last, s.Index)
	}
	if s.Ends != nil {
		o.leave(s.Ends)
	}
	o.touch(s, at)
}

// maxReads bounds the reads of a group that are not ordered with each other; the next read is
// treated like a write.
const maxReads = 16

// hitBy adds an event that the group hits to the order of the group, on the condition that one of
// its gaps runs (EX1).
func (s *group) hitBy(e *Step, at Extent) {
	var kept []Cond
	add := func(from int32) {
		if c := (Cond{0, from, at.First}); !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	for _, c := range s.gaps {
		for _, n := range c.last {
			add(n)
		}
		for _, r := range c.reads {
			for n := r.First; n <= r.Last; n++ {
				add(n)
			}
		}
	}
	for _, c := range s.gaps {
		if c.kept = append(c.kept, kept...); e.Reads && len(c.reads) < maxReads {
			c.reads = append(c.reads, at)
			continue
		}
		c.last, c.reads = []int32{at.Last}, nil
		c.must = slices.DeleteFunc(c.must, func(d did) bool { return d.g == e.G })
		c.must = append(c.must, did{e.G, at.Last})
	}
}

// cut ends the gaps of groups at an event, and begins new gaps there. If the rest of a gap has
// begun, its first part has run.
func (o *Order) cut(groups []*group, e Extent, at int64) {
	for _, s := range groups {
		for _, c := range s.gaps {
			q := o.pastOf(c.g)
			for _, x := range c.pairs {
				if x.ends > 0 {
					q.ended[x.ends-1].later = true
				}
				q.ended = append(q.ended, ended{p: x.p, n: e.First, at: at})
				x.ends = len(q.ended)
				o.ends++
				q.all.Add(&x.p.D)
			}
			c.begun, c.last, c.reads, c.kept, c.must = at, []int32{e.Last}, nil, nil, []did{{-1, e.Last}}
		}
	}
}

// Ended ends all excluded calls of goroutine g, which has ended. After was called for its last
// event.
func (o *Order) Ended(g trace.GoID) {
	for c := o.gapOf(g); c != nil; c = o.gapOf(g) {
		o.leave(c.pairs[len(c.pairs)-1].p)
	}
}

// leave ends a pair.
func (o *Order) leave(p *Pair) {
	c := o.gapOf(p.G)
	if c == nil {
		return
	}
	if o.closed(c); len(c.pairs) == 0 {
		o.gaps = slices.DeleteFunc(o.gaps, func(x *gap) bool { return x == c })
	}
}
