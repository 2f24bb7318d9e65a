package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Goroutines that take locks in different orders may wait for each other for ever. Flips of two
// operations come to that, but one at a time: five philosophers need five. So the cycles of an
// execution are looked for, and the schedule in which each goroutine has come to the lock that the
// next one holds is the next to run. These are the deadlock patterns of "Sound Dynamic Deadlock
// Prediction in Linear Time" (Tunç, Mathur, Pavlogiannis, Viswanathan, PLDI 2023, section 3): the
// goroutines, the locks and what they hold are distinct. As there, the schedule has what the
// goroutines need up to their last locks, with the critical sections of each lock in their recorded
// order. Whether there is a deadlock is what its run shows; no claim rests on it.

// A request is a lock that a goroutine takes while it holds others.
type request struct {
	op   int
	held []int // acquisitions
}

// Bounds on what is looked for in one execution.
const (
	maxRequests = 512
	maxCycle    = 16
	maxCycles   = 8
	maxSteps    = 1 << 16 // of the search
)

// A cycle is of requests, each for a lock that is held at the next.
type cycle []request

// signature names a cycle in all runs.
func (x *execution) signature(c cycle) string {
	var parts []string
	for _, r := range c {
		o := &x.ops[r.op]
		parts = append(parts, fmt.Sprint(o.number, o.site))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// requests returns the requests, those of one goroutine at one site with the same locks once.
func (x *execution) requests() (list []request) {
	type key struct {
		g    trace.GoID
		site trace.Site
		lock string
	}
	known := map[key]bool{}
	held := map[trace.GoID][]int{}
	for i := range x.ops {
		o := &x.ops[i]
		t := x.threads[o.g]
		if t.number == steer.Runtime || t.firing {
			continue
		}
		switch o.kind {
		case format.Lock:
			if hs := held[o.g]; len(hs) > 0 && o.flags&format.FlagTry == 0 && len(list) < maxRequests {
				locks := fmt.Sprint(o.obj)
				for _, h := range hs {
					locks += fmt.Sprint(" ", x.ops[h].obj)
				}
				if k := (key{o.g, o.site, locks}); !known[k] {
					known[k] = true
					list = append(list, request{i, slices.Clone(hs)})
				}
			}
			held[o.g] = append(held[o.g], i)
		case format.Unlock:
			hs := held[o.g]
			for k := len(hs) - 1; k >= 0; k-- {
				if x.ops[hs[k]].obj == o.obj {
					held[o.g] = slices.Delete(hs, k, k+1)
					break
				}
			}
		}
	}
	return list
}

// excludes reports whether two acquisitions of one lock cannot be held at once.
func excludes(p, q *op) bool {
	return p.obj == q.obj && p.flags&q.flags&format.FlagRead == 0
}

// waitsFor reports whether what r asks for is held at q.
func (x *execution) waitsFor(r, q *request) bool {
	return slices.ContainsFunc(q.held, func(h int) bool { return excludes(&x.ops[r.op], &x.ops[h]) })
}

// apart reports whether two requests can be at hand at once: two goroutines that hold no lock of
// which one excludes the other.
func (x *execution) apart(r, q *request) bool {
	if x.ops[r.op].g == x.ops[q.op].g {
		return false
	}
	return !slices.ContainsFunc(r.held, func(h int) bool {
		return slices.ContainsFunc(q.held, func(k int) bool { return excludes(&x.ops[h], &x.ops[k]) })
	})
}

// cycles returns the operations before the requests of cycles (needs), at most maxCycles of those
// that are not in tried, and adds these to it. A cycle that needs another order than the recorded
// one is left for another execution.
func (x *execution) cycles(tried map[string]bool) (list [][]int) {
	all := x.requests()
	if len(all) < 2 {
		return nil
	}
	clocks, releases := x.withoutLocks()
	steps := 0
	var path []int
	found := func() {
		c := cycle{}
		for _, i := range path {
			c = append(c, all[i])
		}
		s := x.signature(c)
		if tried[s] {
			return
		}
		steps += len(x.ops)
		if ops := x.needs(c, clocks, releases); ops != nil {
			tried[s] = true
			list = append(list, ops)
		}
	}
	var from func(first int)
	from = func(first int) {
		last := &all[path[len(path)-1]]
		if len(path) > 1 && x.waitsFor(last, &all[first]) {
			found()
			return
		}
		for i := first + 1; i < len(all) && len(path) < maxCycle; i++ { // the first is the least
			if steps++; steps > maxSteps || len(list) >= maxCycles {
				return
			}
			if !x.waitsFor(last, &all[i]) || slices.ContainsFunc(path, func(k int) bool { return !x.apart(&all[k], &all[i]) }) {
				continue
			}
			path = append(path, i)
			from(first)
			path = path[:len(path)-1]
		}
	}
	for i := range all {
		path = append(path[:0], i)
		from(i)
	}
	return list
}

// needs returns the operations that come before the requests of a cycle, in their recorded order;
// nil if one of the requests needs another.
func (x *execution) needs(c cycle, clocks []clock, releases map[int]int) (ops []int) {
	limit := make(clock, len(x.threads))
	for _, r := range c {
		for i := r.op - 1; i >= 0; i-- {
			p := &x.ops[i]
			if p.g == x.ops[r.op].g || p.kind == format.Go && trace.GoID(p.obj) == x.ops[r.op].g {
				limit.join(clocks[i])
				break
			}
		}
	}
	for again := true; again; {
		again = false
		open := map[trace.Addr][]int{} // acquisitions
		for i := range x.ops {
			o := &x.ops[i]
			if o.kind != format.Lock || int32(o.nth) >= limit[x.threads[o.g].slot] {
				continue
			}
			open[o.obj] = slices.DeleteFunc(open[o.obj], func(h int) bool {
				if !excludes(o, &x.ops[h]) {
					return false
				}
				before := slices.Clone(limit)
				if e, ok := releases[h]; ok {
					limit.join(clocks[e])
				}
				again = again || !slices.Equal(before, limit)
				return true
			})
			open[o.obj] = append(open[o.obj], i)
		}
	}
	for _, r := range c {
		if o := &x.ops[r.op]; limit[x.threads[o.g].slot] > int32(o.nth) {
			return nil
		}
	}
	for i := range x.ops {
		if o := &x.ops[i]; int32(o.nth) < limit[x.threads[o.g].slot] {
			ops = append(ops, i)
		}
	}
	return ops
}

// withoutLocks returns the clock of each operation where locks order nothing, and the release of
// each acquisition that has one.
func (x *execution) withoutLocks() (clocks []clock, releases map[int]int) {
	now := make([]clock, len(x.threads))
	for i := range now {
		now[i] = make(clock, len(x.threads))
	}
	objects := map[trace.Addr]*object{}
	held := map[place]int{}
	clocks, releases = make([]clock, len(x.ops)), map[int]int{}
	for i := range x.ops {
		o := &x.ops[i]
		own := now[x.threads[o.g].slot]
		b := objects[o.obj]
		switch o.kind {
		case format.Go, format.TryFail:
			b = nil
		case format.Lock:
			b, held[place{o.g, o.obj}] = nil, i
		case format.Unlock:
			if h, ok := held[place{o.g, o.obj}]; ok {
				releases[h] = i
			}
			b = nil
		default:
			if b == nil {
				b = newObject(i)
				objects[o.obj] = b
			}
			b.before(o, own)
		}
		own[x.threads[o.g].slot] = int32(o.nth + 1)
		if b != nil {
			b.after(o, own)
		}
		if o.kind == format.Go {
			now[x.threads[trace.GoID(o.obj)].slot].join(own)
		}
		clocks[i] = slices.Clone(own)
	}
	return clocks, releases
}

// A place is a lock in the hand of a goroutine.
type place struct {
	g    trace.GoID
	lock trace.Addr
}

// locked returns the schedules of the cycles of an execution, for the front of the queue.
func (e *exploration) locked(x *execution) (list []waiting) {
	if len(x.ops)*len(x.threads) > maxClocks {
		return nil
	}
	for _, ops := range x.cycles(e.cycles) {
		list = append(list, waiting{x: x, kind: locking, ops: ops})
	}
	return list
}
