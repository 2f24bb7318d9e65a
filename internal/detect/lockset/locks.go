package lockset

import (
	"slices"

	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// Locks has the locks that each goroutine holds. Call Step for the events of a run in order. The
// zero value is the start of a run.
type Locks struct {
	sets
	held    []*holder // by goroutine; nil: it holds nothing
	locks   shadow.Memory[lock]
	numbers uint32
	lent    int
}

// holder has the locks of one goroutine.
type holder struct {
	locks []hold // in the order they were taken
	set   Set
}

type hold struct {
	e     element
	depth int32
}

type lock struct {
	number uint32 // 0: not yet
	owner  format.GoID
	used   bool // it was taken before
	lent   bool // (LS3)
}

// Of returns the locks that a goroutine holds.
func (l *Locks) Of(g format.GoID) Set {
	if int(g) < len(l.held) && l.held[g] != nil {
		return l.held[g].set
	}
	return 0
}

// At returns the set of an access: the locks that its goroutine holds, and (LS4).
func (l *Locks) At(e *format.Event) Set {
	s := l.Of(e.G)
	if e.Kind.IsAtomic() {
		return l.plus(s, atomic)
	}
	return s
}

// Lent returns how many locks were unlocked by a goroutine that did not hold them (LS3).
func (l *Locks) Lent() int { return l.lent }

// Sets returns how many different sets there were.
func (l *Locks) Sets() int { return len(l.nodes) }

// Step takes an event. It ignores all kinds but those of locks, ends of goroutines and allocations.
func (l *Locks) Step(e *format.Event) {
	switch e.Kind {
	case format.Lock:
		l.acquire(e)
	case format.Unlock:
		l.release(e)
	case format.End:
		if int(e.G) < len(l.held) {
			l.held[e.G] = nil
		}
	case format.Alloc:
		l.locks.Reset(e.Obj, e.Val) // another lock
	}
}

func (l *Locks) lock(addr format.Addr) (k *lock) {
	mask := shadow.Mask(addr, 1)
	if k = l.locks.At(addr, mask); k == nil {
		l.locks.Each(addr, mask, func(c *lock) { k = c })
	}
	if k.number == 0 {
		l.numbers++
		k.number = l.numbers
	}
	return k
}

func (k *lock) element(e *format.Event) element {
	n := element(k.number) * 2
	if e.Flags&format.FlagRead != 0 {
		n++
	}
	return n
}

func (l *Locks) acquire(e *format.Event) {
	k := l.lock(e.Obj)
	if k.lent {
		return
	}
	for int(e.G) >= len(l.held) {
		l.held = append(l.held, nil)
	}
	h := l.held[e.G]
	if h == nil {
		h = new(holder)
		l.held[e.G] = h
	}
	k.used = true
	n := k.element(e)
	if n&1 == 0 {
		k.owner = e.G
	}
	if i := h.find(n); i >= 0 { // (LS1)
		h.locks[i].depth++
		return
	}
	h.locks = append(h.locks, hold{n, 1})
	l.renew(h)
}

func (h *holder) find(n element) int {
	return slices.IndexFunc(h.locks, func(x hold) bool { return x.e == n })
}

func (l *Locks) release(e *format.Event) {
	k := l.lock(e.Obj)
	n := k.element(e)
	if l.drop(e.G, n) || k.lent || !k.used { // not used: it was held at the start of the trace
		return
	}
	k.lent = true // (LS3)
	l.lent++
	if n&1 == 0 {
		l.drop(k.owner, n)
	}
}

// drop takes a lock from a goroutine that holds it.
func (l *Locks) drop(g format.GoID, n element) bool {
	if int(g) >= len(l.held) || l.held[g] == nil {
		return false
	}
	h := l.held[g]
	i := h.find(n)
	if i < 0 {
		return false
	}
	if h.locks[i].depth--; h.locks[i].depth == 0 {
		h.locks = slices.Delete(h.locks, i, i+1)
		l.renew(h)
	}
	return true
}

func (l *Locks) renew(h *holder) {
	var few [8]element
	es := few[:0]
	for _, x := range h.locks {
		es = append(es, x.e)
	}
	slices.Sort(es)
	h.set = l.of(es)
}
