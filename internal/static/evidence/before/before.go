// Package before decides whether one access comes before another in every execution of a frame. It
// is the evidence "may happen in parallel" of a pair.
//
// # What it computes
//
// A point is a goroutine of the frame and the synchronisation before the point in it (package
// order). Let point a have acquired object o n times. A point b comes before a in these cases, by
// the kind of o:
//
//   - (BE1) The Token of a go statement. Its release is made by the creator of the goroutine. A
//     point b of the creator comes before a if the go statement cannot have been executed before b.
//     Any other point comes before a if it comes before the go statement. What a test does after
//     Parallel begins when its parent's function has returned: all points of that function come
//     before a.
//   - (BE2) A WaitGroup or a Once. b comes before a if b's goroutine still releases o after b, or
//     if b comes before some release of o. Wait needs every Done; of several Once.Do that may run
//     the function, the one with b did. A WaitGroup that is used again counts only if a has waited
//     since b's goroutine, or the goroutine that releases o, was started.
//   - (BE3) A channel or an atomic flag. b comes before a if fewer than n releases need not come
//     after b. A goroutine that is started several times counts Many times. The receiving side of a
//     channel with capacity c is treated alike, with n−c in place of n. If a has acquired one of
//     several objects (select), b must come before a by each of them, but for channels that are
//     made here and that nothing releases. A channel from elsewhere (Done of a context, a field)
//     has unknown releases.
//
// Goroutines may also be ordered as a whole:
//
//   - (BE4) If a loop starts a goroutine, and b of that goroutine is over before the next round
//     begins, there is one such goroutine at a time: b comes before everything that follows the
//     round. Two goroutines never meet if one execution of their creator cannot reach both go
//     statements. With Over(t, o) (package order), a point b of a goroutine of t, before it
//     releases o, is not beside a of the goroutine that executes t: what was started before a has
//     released o, and what is started later comes after a. If Over(t, o) holds at t itself, one
//     goroutine of t is over when the next starts.
//   - (BE5) A channel or Cond may be made here, reached only by goroutines started here, and given
//     to no unknown code. Others get it when the function has returned: what they release comes
//     after b, if b is in the function's own goroutine.
//
// # Soundness
//
// Releases that are not in the frame, of a channel that others have, are not counted. A WaitGroup
// that a loop uses again is taken for one.
package before

import (
	"slices"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Frame answers questions about one function.
type Frame struct {
	sum      *summary.Function
	releases map[*path.Node][]summary.Release
	spawns   map[*path.Node][]*summary.Spawn
	outside  map[*path.Node]bool
	Ended    int // searches that were ended at maxChain and found no order
}

// Point is a place in the execution of a goroutine of the frame.
type Point struct {
	Thread int
	Sync   order.Sync
}

// New prepares a frame.
func New(sum *summary.Function) *Frame {
	f := &Frame{sum: sum, releases: map[*path.Node][]summary.Release{}, spawns: map[*path.Node][]*summary.Spawn{}, outside: map[*path.Node]bool{}}
	for _, o := range sum.Outside {
		f.outside[o] = true
	}
	for _, r := range sum.Releases {
		f.releases[r.Object] = append(f.releases[r.Object], r)
	}
	for _, s := range sum.Spawns {
		f.spawns[s.Token] = append(f.spawns[s.Token], s)
	}
	return f
}

// maxChain bounds how many synchronisations one after the other are followed.
const maxChain = 4

// Ordered reports whether b comes before a, or a before b.
func (f *Frame) Ordered(a, b Point) bool {
	return f.before(b, a, 0) || f.before(a, b, 0) || f.exclusive(a.Thread, b.Thread) || f.over(a, b) || f.over(b, a)
}

// over reports whether the goroutine that a belongs to, with all that it starts, is never beside b
// (BE4).
func (f *Frame) over(a, b Point) bool {
	if f.many(b.Thread) {
		return false
	}
	for o := range b.Sync.Acquired {
		if !order.IsOver(o) {
			continue
		}
		for t := a.Thread; t > 0; t = f.sum.Spawns[t-1].Parent {
			if s := f.sum.Spawns[t-1]; s.Token == o.Base && s.Parent == b.Thread && f.precedes(a, t, o.Args[0]) {
				return true
			}
		}
	}
	return false
}

// precedes reports whether a comes before all releases of o by the thread, which has started a's
// goroutine or is it.
func (f *Frame) precedes(a Point, thread int, o *path.Node) bool {
	if f.total(thread)[o] == 0 {
		return false
	}
	if a.Thread == thread {
		return a.Sync.Released[o] == 0
	}
	n := 0
	for _, r := range f.releases[o] {
		if r.Thread == thread {
			n++
			if !f.before(a, Point{thread, r.Sync}, 1) {
				return false
			}
		}
	}
	return n > 0
}

// Apart reports whether the goroutine of b is over before its go statement starts another one
// (BE4).
func (f *Frame) Apart(b Point) bool {
	if b.Thread == 0 {
		return false
	}
	s := f.sum.Spawns[b.Thread-1]
	return f.over(b, Point{s.Parent, s.Sync})
}

// exclusive reports whether the threads, or those that started them, are on different branches of
// one creator (BE4).
func (f *Frame) exclusive(a, b int) bool {
	for i := a; i > 0; i = f.sum.Spawns[i-1].Parent {
		for j := b; j > 0; j = f.sum.Spawns[j-1].Parent {
			s, t := f.sum.Spawns[i-1], f.sum.Spawns[j-1]
			if i != j && s.Parent == t.Parent && !f.many(s.Parent) && s.Token != t.Token && s.Sync.Released[t.Token] == 0 && t.Sync.Released[s.Token] == 0 {
				return true
			}
		}
	}
	return false
}

// Joined reports whether the goroutine's access b is over when the loop that has started the
// goroutine begins its next round (BE4).
func (f *Frame) Joined(b Point) bool {
	if b.Thread == 0 {
		return false
	}
	s := f.sum.Spawns[b.Thread-1]
	return s.Again != nil && f.before(b, Point{s.Parent, *s.Again}, 0)
}

func (f *Frame) before(b, a Point, depth int) bool {
	if depth > maxChain {
		f.Ended++
		return false
	}
	ended := f.Ended
	for o, n := range a.Sync.Acquired {
		if f.through(o, n, b, a, depth) {
			// what was tried in vain before this path depends on the order of the map
			f.Ended = ended
			return true
		}
	}
	return false
}

// through reports whether b comes before a because a has acquired o n times.
func (f *Frame) through(o *path.Node, n int, b, a Point, depth int) bool {
	switch {
	case o.Kind == path.Token && o.Base == nil: // (BE1)
		for _, s := range f.spawns[o] {
			if s.Parent == b.Thread && !f.many(b.Thread) && (s.Late != nil || b.Sync.Released[o] == 0) {
				return true
			}
			if s.Parent != b.Thread && f.before(b, Point{s.Parent, s.Sync}, depth+1) {
				return true
			}
		}
		return false
	case o.Kind == path.Token && (o.Name == "wg" || o.Name == "once"): // (BE2)
		if b.Thread != a.Thread && f.total(b.Thread)[o] > b.Sync.Released[o] && f.since(o, n, b.Thread, a) {
			return true
		}
		for _, r := range f.releases[o] {
			if r.Thread != b.Thread && f.since(o, n, r.Thread, a) && f.before(b, Point{r.Thread, r.Sync}, depth+1) {
				return true
			}
		}
		return false
	case o.Name == "any" && len(o.Args) > 0: // (BE3)
		for _, e := range o.Args {
			if !f.never(e) && !f.through(e, n, b, a, depth) {
				return false
			}
		}
		return true
	case o.Kind == path.Recv: // (BE3)
		c := o.Base.Buffer()
		if c < 0 {
			return false
		}
		n -= c
	}
	return n > 0 && n > f.rest(o, b, a, depth) // (BE3)
}

// never reports whether nothing releases an object: a channel that is made here, and that nothing
// in the frame sends to or closes.
func (f *Frame) never(o *path.Node) bool {
	return len(f.releases[o]) == 0 && (o.Base == nil || o.Base.Kind == path.Alloc)
}

// since reports whether a, which has waited n times for a WaitGroup, has done so after the
// goroutine was started: else the group is used again, and the goroutine may be of the next use.
func (f *Frame) since(o *path.Node, n int, thread int, a Point) bool {
	for t := thread; t > 0 && o.Name == "wg"; t = f.sum.Spawns[t-1].Parent {
		if s := f.sum.Spawns[t-1]; s.Parent == a.Thread {
			m := s.Sync.Acquired[o]
			return n > m || m >= order.Many || a.Sync.Released[s.Token] == 0
		}
	}
	return true
}

// rest counts the releases of o that need not come after b, and that a may have acquired.
func (f *Frame) rest(o *path.Node, b, a Point, depth int) int {
	rest := b.Sync.Released[o]
	if f.several(b.Thread, o) && !f.own(b.Thread, o) && f.total(b.Thread)[o] > 0 {
		return order.Many
	}
	after := f.total(b.Thread)[o] - b.Sync.Released[o]
	threads := map[int]int{}
	for _, r := range f.releases[o] {
		if r.Thread == b.Thread {
			continue
		}
		if _, ok := threads[r.Thread]; !ok {
			threads[r.Thread] = 0
		}
		if f.before(b, Point{r.Thread, r.Sync}, depth+1) {
			after++
			continue
		}
		threads[r.Thread] += r.Times
	}
	for t, n := range threads {
		n = min(n, f.total(t)[o])
		if t == a.Thread && !f.several(t, o) {
			n = min(n, a.Sync.Released[o])
			if o.Name == "chan" && o.Base.Buffer() == 0 || o.Name == "atomic" {
				n = 0 // what it has seen is another's
			}
		}
		if f.several(t, o) {
			n *= order.Many
		}
		rest = min(rest+n, order.Many)
	}
	if after <= 0 && !f.handedOut(o, b) {
		return order.Many // nothing of b's can be what a acquired
	}
	return rest
}

// handedOut reports whether others have an object only after b, when the function has returned
// (BE5).
func (f *Frame) handedOut(o *path.Node, b Point) bool {
	if b.Thread != 0 || o.Name != "chan" && o.Name != "cond" {
		return false
	}
	for t := range len(f.sum.Spawns) + 1 {
		if f.total(t)[o] > 0 && !slices.ContainsFunc(f.releases[o], func(r summary.Release) bool { return r.Thread == t }) {
			return false // beyond the bound of a summary: where it stands is not known
		}
	}
	r := o.Root()
	return r.Kind == path.Alloc && !r.Loop && o.Base.Loads() == 0 && !f.outside[r]
}

func (f *Frame) many(thread int) bool {
	for thread > 0 {
		s := f.sum.Spawns[thread-1]
		if s.Many {
			return true
		}
		thread = s.Parent
	}
	return false
}

// several reports whether more than one goroutine of the thread may release o. What the loop makes
// that starts the goroutines, each has for itself.
func (f *Frame) several(thread int, o *path.Node) bool {
	if thread > 0 && f.sum.Spawns[thread-1].Loop {
		if r := o.Root(); r.Kind == path.Alloc && r.Loop {
			return false
		}
	}
	return f.many(thread)
}

func (f *Frame) total(thread int) order.Counts {
	if thread == 0 {
		return f.sum.Total
	}
	return f.sum.Spawns[thread-1].Total
}

// own reports whether the object is made anew in every round of the loop that starts the goroutine.
func (f *Frame) own(thread int, o *path.Node) bool {
	r := o.Root()
	return thread > 0 && f.sum.Spawns[thread-1].Loop && r.Kind == path.Alloc && r.Loop
}
