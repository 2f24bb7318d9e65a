package excluded

import "github.com/presage-race/presage/internal/trace"

// An access needs no event if only excluded calls of other goroutines could give it an order, and
// if it is ordered with all of them anyway (Known). It is right after the previous event of its
// goroutine. Such an access is *quiet* (WI9). Whether it is, is known only after all calls of the
// window are known.

// Quiet is an access without an event.
type Quiet struct {
	Addr uint64 // its word
	G    trace.GoID
	At   int32 // the last event of its goroutine before it; -1: there was none
}

// Settled reports whether the calls so far allow an access to be quiet: no open call of another
// goroutine hits it, and the ended calls that hit it are known to come before it.
func (o *Order) Settled(s *Step) bool {
	if s.X.kind != touchesMemory {
		return true
	}
	for _, c := range o.gaps {
		if c.g != s.G && c.hits(s.X) {
			return false
		}
	}
	own, all := o.pastOf(s.G), true
	if o.upToDate(s) {
		return true
	}
	for _, q := range o.past {
		if q == own {
			continue
		}
		if from := o.firstUnknown(s, q); from < len(q.ended) {
			if all = false; q.all.Hits(s.X) && !o.apart(s, q, from) {
				return false
			}
		}
	}
	if all { // and they stay known
		o.markUpToDate(s)
	}
	return true
}

// apart reports whether all ended gaps of q, from number from on, either do not hit an access or
// are known. Each gap is compared once with each word.
func (o *Order) apart(s *Step, q *past, from int) bool {
	apart := true
	s.X.eachWord(func(addr, n uint64) {
		w := o.word(addr, n)
		h := w.apart.of(s.G, q.g)
		x := w.whole(s.X)
		for h.n = max(h.n, from); apart && h.n < len(q.ended); h.n++ {
			if q.ended[h.n].p.D.Hits(x) && !s.knows(q.ended[h.n].n) {
				apart = false
				break
			}
		}
		w.apart.set(s.G, q.g, h)
	})
	return apart
}

// Passed notes a quiet access, right after event at of its goroutine.
func (o *Order) Passed(s *Step, at int32) {
	if s.X.kind != touchesMemory {
		return
	}
	l := o.logOf(s.G)
	s.X.eachWord(func(addr, n uint64) {
		w := o.word(addr, n)
		l.add(logged{w, at, true})
		w.of(s.G).quiet = at + 2
	})
}

// quiet adds the last quiet access of p to w, if the MethodBegin s has to come after it.
func (k *Kept) quiet(s *Step, w *touchedWord, p *wordPast) {
	if at := p.quiet - 2; at >= -1 && !s.past(p.g, at) {
		k.Quiet = append(k.Quiet, Quiet{w.addr &^ (word - 1), p.g, at})
	}
}
