package tree

import (
	"fmt"
	mathbits "math/bits"

	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// Target is the kind of detector that gets the events that are not dropped. Which accesses are
// redundant depends on the state that it keeps.
type Target uint8

// The targets.
const (
	FastTrack Target = iota // locks are messages; it keeps the last accesses
	Lockset                 // it uses locks alone
	Hybrid                  // messages order, locks protect
	// AsWritten has the rules of the thesis, which lose pairs: for its figures, and to count the
	// losses
	AsWritten
)

// Options are the limits of a filter. The zero value is the recommended one.
type Options struct {
	Contexts int  // histories kept of a site; 0: 4096 (TR9)
	Sites    int  // sites, the most recent ones, of which histories are kept; 0: all (TR9)
	Span     bool // drop accesses by (TR10) too
	Joins    bool // ended goroutines may be joined by name: traces of other tools (TR4)
}

// Stats counts accesses, by whether and why they were dropped.
type Stats struct {
	Accesses int64
	Same     int64 // dropped: the goroutine's own representative (TR2, TR3, TR7)
	Two      int64 // dropped: two goroutines' representatives (TR2, TR4)
	Span     int64 // dropped by (TR10)
	Returned int64 // locks that gave back a context (TR6)
	Evicted  int64 // histories removed (TR9)
	Contexts int64 // histories kept at the end
}

// Dropped is how many accesses were dropped.
func (s *Stats) Dropped() int64 { return s.Same + s.Two + s.Span }

// Filter is the filter. Call Drop for the events of a run in order.
type Filter struct {
	target Target
	opt    Options
	stats  Stats

	gs     goroutines
	lost   bits          // lost goroutines (TR4), by serial
	locks  lockset.Locks // not for target FastTrack (TR1)
	edges  shadow.Memory[edge]
	locked uint64 // how many locks have numbers
	words  shadow.Memory[word]
	owners shadow.Memory[owner] // target Lockset
	stamp  uint32               // the last one
	theta  theta

	grown func(from, to uint64, e *format.Event) // for tests: a message was appended to Γ
}

// New returns a filter.
func New(target Target, opt Options) (*Filter, error) {
	if opt.Contexts == 0 {
		opt.Contexts = 4096
	}
	opt.Contexts = 1 << mathbits.Len(uint(max(opt.Contexts, ways)-1)) // of a hash table
	if opt.Span && target != FastTrack {
		return nil, fmt.Errorf("span redundancy holds for a detector that needs one race of a location: fasttrack")
	}
	return &Filter{target: target, opt: opt, theta: theta{perSite: opt.Contexts, sites: opt.Sites}}, nil
}

// Stats returns the counts so far.
func (f *Filter) Stats() Stats {
	s := f.stats
	s.Evicted, s.Contexts = f.theta.evicted, f.theta.kept()
	return s
}

// Drop takes the next event and reports whether the detector need not process it (Algorithm 1).
func (f *Filter) Drop(e *format.Event) bool {
	switch e.Kind {
	case format.Read, format.Write:
		if e.Flags&format.FlagStack != 0 || e.Obj == 0 {
			return false
		}
		f.stats.Accesses++
		return f.redundant(e)
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW: // (TR8)
		f.stats.Accesses++
		f.touch(e)
		f.message(e)
	case format.Lock, format.Unlock:
		if f.target == FastTrack {
			f.edge(e)
		} else {
			f.locks.Step(e)
		}
	case format.Alloc:
		if f.target != AsWritten {
			f.resetWords(e.Obj, e.Val) // (TR5)
		}
		f.edges.Reset(e.Obj, e.Val)
		f.owners.Reset(e.Obj, e.Val)
		f.locks.Step(e)
	default:
		f.message(e)
	}
	return false
}

// resetWords removes the state of the words of an allocation. The first and the last are removed
// whole, because a word has one state; that another object in them begins anew as well only means
// that fewer of its accesses are dropped.
func (f *Filter) resetWords(at format.Addr, size uint64) {
	from, end := uint64(at)&^7, (uint64(at)+size+7)&^7
	if size > 0 && from < end {
		f.words.Reset(format.Addr(from), end-from)
	}
}

// redundant is DetectRedundancy, Algorithm 2.
func (f *Filter) redundant(e *format.Event) bool {
	mask := shadow.Mask(e.Obj, e.Size)
	base := e.Obj &^ 7
	w := f.words.At(base, 0xff)
	t := f.gs.at(e.G)
	if f.target == FastTrack {
		return f.latest(t, w, e, mask)
	}
	f.begin(w, t, e, mask)
	k := key{addr: uint64(base), stamp: w.stamp, mask: mask, write: e.Kind == format.Write, set: f.locks.Of(e.G)}
	switch f.target {
	case Hybrid:
		k.segment = t.segment
		if _, known := f.theta.at(e.Site, k); known { // (TR3)
			f.stats.Same++
			return true
		}
		return t.pristine && !f.opt.Joins && f.lostTwo(t, e.Site, k)
	case AsWritten:
		k.segment = t.written
	}
	h, _ := f.theta.at(e.Site, k)
	switch { // (TR2)
	case h.stack[0] == t.serial || h.stack[1] == t.serial:
		f.stats.Same++
		return true
	case h.stack[0] == 0:
		h.stack[0] = t.serial
	case h.stack[1] == 0:
		h.stack[1] = t.serial
	default:
		f.stats.Two++
		return true
	}
	return false
}

// lostTwo is (TR4).
func (f *Filter) lostTwo(t *goroutine, site format.Site, k key) bool {
	k.segment = t.siblings
	h, _ := f.theta.at(site, k)
	stands := func(u uint32) bool { return u != 0 && u < t.serial && f.lost.has(u) }
	if stands(h.stack[0]) && stands(h.stack[1]) {
		f.stats.Two++
		return true
	}
	if stands(h.stack[0]) {
		h.stack[1] = t.serial
	} else {
		h.stack[0], h.stack[1] = h.stack[1], t.serial
	}
	return false
}

// begin gives a word its stamp, which is new for a location that begins anew (TR5).
func (f *Filter) begin(w *word, t *goroutine, e *format.Event, mask uint8) {
	if w.stamp == 0 {
		f.renew(w)
	}
	if f.target != Lockset {
		return
	}
	shared := false
	f.owners.Each(e.Obj, mask, func(o *owner) {
		switch {
		case o.first == 0:
			o.first = t.serial
		case o.first != t.serial && !o.shared:
			o.shared, shared = true, true
		}
	})
	if shared {
		f.renew(w)
	}
}

// owner is the first goroutine that accessed some bytes.
type owner struct {
	first  uint32 // its serial
	shared bool   // another one has accessed them
}
