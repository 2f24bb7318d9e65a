package excluded

import "github.com/presage-race/presage/internal/trace"

// An access that only calls of other goroutines could give an order, and that has it with all of
// them anyway (Known), needs no event: it stands right behind the event before it of its goroutine.
// Such an access is *quiet*. Whether it is, is only known when all calls of the window are.

// Quiet is an access without an event.
type Quiet struct {
	Addr uint64 // its word
	G    trace.GoID
	At   int32 // the last event of its goroutine before it; -1: there was none
}

// Settled says whether nothing has to come before an access that is quiet, if it is, but what does
// anyway: no call of others is open that hits it, and those that have ended and hit it are known.
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
	if o.noNews(s) {
		return true
	}
	for _, q := range o.past {
		if q == own {
			continue
		}
		if from := o.news(s, q); from < len(q.ended) {
			if all = false; q.all.Hits(s.X) && !o.apart(s, q, from) {
				return false
			}
		}
	}
	if all { // and it stays known
		o.hasHeard(s)
	}
	return true
}

// apart says whether the ended gaps of q from number from on do not hit an access, or are known.
// Each is looked at once for each word.
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

// Passed notes a quiet access, behind event at of its goroutine.
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

// quiet notes the last quiet access of p to w, if a MethodBegin has to come after it.
func (k *Kept) quiet(s *Step, w *touchedWord, p *wordPast) {
	if at := p.quiet - 2; at >= -1 && !s.past(p.g, at) {
		k.Quiet = append(k.Quiet, Quiet{w.addr &^ (word - 1), p.g, at})
	}
}
