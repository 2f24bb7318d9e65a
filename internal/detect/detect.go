// Package detect runs a detector of one pass over a trace, with the filter TREE or without it.
//
//	FastTrack  package fasttrack: happens-before; the first race of each location
//	Lockset    package lockset: Eraser; locations without a common lock
//	Hybrid     package hybrid: pairs without a common lock that no message orders
//
// A Detector takes events one by one, Run takes a trace. The result has one Pair for each two
// sites. FastTrack's first pair of a run is a race, since no race comes before it that could have
// changed the execution. All others are candidates: they have no witness.
package detect

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/detect/hybrid"
	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/detect/tree"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Engine is a detector.
type Engine uint8

// The engines.
const (
	FastTrack Engine = iota
	Lockset
	Hybrid
)

func (e Engine) String() string { return [...]string{"fasttrack", "lockset", "hybrid"}[e] }

// target is the target of the filter for an engine.
func (e Engine) target() tree.Target {
	return [...]tree.Target{tree.FastTrack, tree.Lockset, tree.Hybrid}[e]
}

// Options choose a detector. The zero value is FastTrack with TREE.
type Options struct {
	Engine   Engine
	NoFilter bool
	Filter   tree.Options
	Joins    bool // goroutines may be joined by name: a trace of another tool

	AsWritten bool // filter by the rules of the thesis, which lose pairs (package tree)
}

// Pair is two sites whose accesses were reported, with the first pair of accesses. A is the earlier
// access.
type Pair struct {
	A, B  shadow.Access
	Addr  format.Addr
	Race  bool // the first race of the run; else a candidate
	Count int  // pairs of accesses
}

// Detector is a filter and an engine.
type Detector struct {
	opt    Options
	filter *tree.Filter // nil: none
	step   func(index int64, e *format.Event)

	fasttrack *fasttrack.Detector
	eraser    *lockset.Eraser
	hybrid    *hybrid.Detector

	index table.Table // of pairs, by their sites
	pairs []Pair
	cut   int64
}

// maxPairs bounds the memory of a run in which everything races.
const maxPairs = 1 << 16

// New returns a detector.
func New(opt Options) (*Detector, error) {
	d := &Detector{opt: opt}
	switch opt.Engine {
	case FastTrack:
		d.fasttrack = fasttrack.New(opt.Joins, d.found)
		d.step = d.fasttrack.Step
	case Lockset:
		d.eraser = lockset.NewEraser(d.found)
		d.step = d.eraser.Step
	case Hybrid:
		d.hybrid = hybrid.New(hybrid.Options{Joins: opt.Joins}, d.found)
		d.step = d.hybrid.Step
	}
	if opt.NoFilter {
		return d, nil
	}
	opt.Filter.Joins = opt.Joins
	target := opt.Engine.target()
	if opt.AsWritten {
		target = tree.AsWritten
	}
	var err error
	d.filter, err = tree.New(target, opt.Filter)
	return d, err
}

// Step takes the next event, and reports whether the filter dropped it.
func (d *Detector) Step(index int64, e *format.Event) (dropped bool) {
	if e.IsText() {
		return false
	}
	if d.filter != nil && d.filter.Drop(e) {
		return true
	}
	d.step(index, e)
	return false
}

func (d *Detector) found(a, b shadow.Access, addr format.Addr) {
	key := uint64(min(a.Site, b.Site))<<32 | uint64(max(a.Site, b.Site))
	if i := d.index.Find(key); i >= 0 {
		d.pairs[i].Count++
		return
	}
	if len(d.pairs) == maxPairs {
		d.cut++
		return
	}
	d.index.At(key)
	d.pairs = append(d.pairs, Pair{A: a, B: b, Addr: addr, Race: d.fasttrack != nil && len(d.pairs) == 0, Count: 1})
}

// Pairs returns the pairs in the order of the later accesses.
func (d *Detector) Pairs() []Pair {
	out := slices.Clone(d.pairs)
	slices.SortStableFunc(out, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.B.Index, q.B.Index), cmp.Compare(p.A.Index, q.A.Index))
	})
	return out
}

// Count is how often a rule of a detector applied.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Counts returns the counts of filter and engine.
func (d *Detector) Counts() []Count {
	var out []Count
	add := func(name string, n int64) { out = append(out, Count{name, n}) }
	if d.filter != nil {
		s := d.filter.Stats()
		add("TreeAccesses", s.Accesses)
		add("TreeDropped", s.Dropped())
		add("TreeSameGoroutine", s.Same)
		add("TreeTwoGoroutines", s.Two)
		add("TreeSpan", s.Span)
		add("TreeLockReturned", s.Returned)
		add("TreeHistories", s.Contexts)
		add("TreeEvicted", s.Evicted)
	}
	switch {
	case d.fasttrack != nil:
		s := &d.fasttrack.Stats
		add("ReadSameEpoch", s.ReadSameEpoch)
		add("ReadShared", s.ReadShared)
		add("ReadExclusive", s.ReadExclusive)
		add("ReadShare", s.ReadShare)
		add("WriteSameEpoch", s.WriteSameEpoch)
		add("WriteExclusive", s.WriteExclusive)
		add("WriteShared", s.WriteShared)
		add("Atomic", s.Atomic)
		add("Races", s.Races)
		add("Locations", s.Locations)
		add("ClockSlots", int64(d.fasttrack.Slots()))
	case d.eraser != nil:
		s := &d.eraser.Stats
		add("Exclusive", s.Exclusive)
		add("Shares", s.Shares)
		add("Refined", s.Refined)
		add("Same", s.Same)
		add("Empty", s.Empty)
		add("Locksets", int64(d.eraser.Locks.Sets()))
		add("LentLocks", int64(d.eraser.Locks.Lent()))
	default:
		s := &d.hybrid.Stats
		add("Compared", s.Compared)
		add("Protected", s.Protected)
		add("Ordered", s.Ordered)
		add("Pairs", s.Pairs)
		add("Replaced", s.Replaced)
		add("Cut", s.Cut)
		add("Locksets", int64(d.hybrid.Locks.Sets()))
		add("LentLocks", int64(d.hybrid.Locks.Lent()))
	}
	return out
}

// Warnings returns a warning for each kind of loss.
func (d *Detector) Warnings() (out []trace.Warning) {
	add := func(code string, n int64, text string) {
		if n > 0 {
			out = append(out, trace.Warning{Code: code, Count: int(n), Text: text})
		}
	}
	add("pairs-cut", d.cut, "{{n}} pair{{|s}} of accesses {{is|are}} at sites that are not listed, because there are too many pairs of sites")
	lent := 0
	if d.hybrid != nil {
		add("entries-cut", d.hybrid.Stats.Cut, "{{n}} access{{|es}} of locations with many accesses {{was|were}} dropped; candidates may be missing")
		lent = d.hybrid.Locks.Lent()
	} else if d.eraser != nil {
		lent = d.eraser.Locks.Lent()
	}
	add("locks-lent", int64(lent), "{{n}} lock{{|s}} {{was|were}} released by a goroutine that did not hold {{it|them}}, and protect{{s|}} nothing")
	return out
}

// Result is the result of Run.
type Result struct {
	Pairs    []Pair
	Events   int64
	Counts   []Count
	Warnings []trace.Warning
}

// Run runs a detector over a trace. If the source ends in an error, Run returns the error with the
// result for the events before it.
func Run(ctx context.Context, src trace.Source, opt Options, progress func(events int64)) (*Result, error) {
	d, err := New(opt)
	if err != nil {
		return nil, err
	}
	var e trace.Event
	i := int64(0)
	for ; ; i++ {
		if err = src.Next(&e); err != nil {
			break
		}
		d.Step(i, &e)
		if i%progressEvery == 0 {
			if err = ctx.Err(); err != nil {
				break
			}
			progress(i)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return &Result{Pairs: d.Pairs(), Events: i, Counts: d.Counts(), Warnings: d.Warnings()}, err
}

// progressEvery is the number of events between two calls of progress.
const progressEvery = 1 << 16
