package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Order computes the precedences of B1 to B3, event by event, in trace order. Numbers of events are
// the caller's: for each event it asks Before, and says with After which numbers the event has got,
// and no two events of the trace are in the other order by number.
type Order struct {
	Words int // about how many words there will be; 0: nobody knows

	gaps  []*gap
	open  open // what meets what, of gaps
	past  []*past
	logs  []*log
	words map[uint64]*touchedWord // by address: what was accessed
	addrs []uint64
	near  [nearWords]*touchedWord // some of words, by hash
	fresh []touchedWord           // room for more

	ends    int // of gaps, so far
	members map[trace.GoID]*member
	last    *member // that was asked for
}

// Step is an event, as far as it matters.
type Step struct {
	G      trace.GoID
	Index  int64 // of the trace
	X      Touch
	Begins *Pair
	Ends   *Pair
	Reads  bool // it only reads: nothing can tell whether it was there
	// it can only be if missing code has been there: what that left is not in the model, but by the
	// order
	Demands bool
	Known   Known
}

// Kept is what comes before an event.
type Kept struct {
	Edges  []int32 // these, always
	Weak   []int32 // these, if it is not an access of the race
	Orders []Cond
	Quiet  []Quiet // and these, which have no event to come after
	// the goroutines whose missing methods have run as far, if the event is executed
	Runs []trace.GoID
	seen map[Cond]bool
}

// Any says whether anything does.
func (k *Kept) Any() bool { return len(k.Edges)+len(k.Weak)+len(k.Orders) > 0 }

// Cond is an order that holds if another event, which may be the first of the two, is executed:
// Self is the event asked for.
type Cond struct{ If, From, To int32 }

// Self is the event that Before is asked for.
const Self int32 = -1

// gap is the open gap of a goroutine.
type gap struct {
	g     trace.GoID
	pairs []*openPair
	crowd *crowd   // of the gaps that meet it, directly or through others; nil: not known now
	begun int64    // its first event, by trace
	last  []int32  // what its group has done last, reads aside
	reads []Extent // and reads since
	kept  []Cond   // the order of its group, which its end depends on
	must  []did    // what it has been hit by, reads aside: the last of each goroutine
}

// Extent is the first and last number of an event.
type Extent struct{ First, Last int32 }

type did struct {
	g trace.GoID
	n int32
}

// past is what a goroutine did.
type past struct {
	g       trace.GoID
	id      int       // in Order.past
	objects []touched // other than accesses
	ended   []ended
	all     Set // of ended
}

type touched struct {
	x Touch
	n int32
}

// ended is a gap that has ended, of one pair.
type ended struct {
	p     *Pair
	n     int32
	at    int64
	later bool // a later one is of the same pair
}

// member is what is kept of a goroutine.
type member struct {
	g      trace.GoID
	past   *past // nil: none
	log    *log
	heard  int   // how many gaps of others that have ended it knows of, as far as it was asked for
	ended  []int // by past: so many of the gaps that have ended come before its events anyway
	logged []int // by log: so much of it does
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

// Open takes a pair that was open before the first event.
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

// Inside says whether g is in a missing method.
func (o *Order) Inside(g trace.GoID) bool { return o.gapOf(g) != nil }

// Before returns what must come before an event.
func (o *Order) Before(s *Step) *Kept {
	k := &Kept{}
	in := o.groups(s.G, s.X, s.Begins)
	k.after(in.own)
	if s.Demands {
		k.after(in.hit)
	}
	if s.Begins != nil {
		o.beforeCall(k, s) // (B2)
	}
	o.afterCalls(k, s) // (B3)
	return k
}

// after has an event come after groups: all of them have run up to there, each in its order.
func (k *Kept) after(groups []*crowd) {
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

// ifDone has an event come after a read, if that is executed.
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

// After says that an event for which Before was asked has the numbers of at; it ends the pair
// s.Ends, if that is not nil.
func (o *Order) After(s *Step, at Extent) {
	in := o.groups(s.G, s.X, s.Begins)
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

// maxReads is how many reads of a group are kept in order among each other; the next is like a
// write.
const maxReads = 16

// hitBy keeps an event in the order of a group that hits it, as far as the gaps that are open end.
func (s *crowd) hitBy(e *Step, at Extent) {
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

// cut has what is left of the gaps of groups begin with an event: what was before has happened if
// that has begun.
func (o *Order) cut(groups []*crowd, e Extent, at int64) {
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

// Ended says that goroutine g has ended with event n, for which After was called: so have the
// methods that it is in.
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
