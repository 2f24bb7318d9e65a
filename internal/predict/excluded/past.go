package excluded

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// What goroutines did, for EX2, and which gaps have ended, for EX3.

// touchedWord is what goroutines did to a word of memory, or to some of its bytes. The allocator
// puts several small objects into one word, and a D may have only one of them.
type touchedWord struct {
	addr, n uint64
	next    *touchedWord // other bytes of the same word, which may overlap these
	by      []wordPast
	one     [1]wordPast // room for by: most words have one goroutine
	// per goroutine and past: the ended gaps that are ordered before its accesses
	ordered cursors
	// the same for accesses without an event: gaps that do not hit them, or are known
	apart cursors
}

// wordPast is what one goroutine did to a word.
type wordPast struct {
	g       trace.GoID
	wrote   int32    // the last event that does not only read; -1: none
	reads   []Extent // since
	ordered cursors  // per goroutine: its MethodBegins come after the first n of reads
	quiet   int32    // the event before the last access without an event, +2; 0: there is none
}

// cursor says up to where a goroutine has taken a list into account.
type cursor struct {
	n    int // entries taken into account
	last int // the last of these n that concerns the word, +1; 0: none
}

// cursors has a cursor for each goroutine and each other goroutine's list. A program may have a
// goroutine for each of its tasks, so a cursor is found in constant time.
type cursors map[[2]trace.GoID]cursor

func (h *cursors) set(g, of trace.GoID, d cursor) {
	if *h == nil {
		*h = cursors{}
	}
	(*h)[[2]trace.GoID{g, of}] = d
}

func (h cursors) of(g, of trace.GoID) cursor { return h[[2]trace.GoID{g, of}] }

// touch notes what an event acts on.
func (o *Order) touch(s *Step, at Extent) {
	switch s.X.kind {
	case touchesNothing:
	case touchesMemory:
		l := o.logOf(s.G)
		s.X.eachWord(func(addr, n uint64) {
			w := o.word(addr, n)
			p := w.of(s.G)
			l.add(logged{w, at.Last, false})
			if s.Reads {
				p.reads = append(p.reads, at)
			} else {
				p.wrote, p.reads, p.ordered = at.Last, nil, nil
			}
		})
	default:
		q := o.pastOf(s.G)
		q.objects = append(q.objects, touched{s.X, at.Last})
	}
}

// eachWord calls f for the part of x in each word.
func (x Touch) eachWord(f func(addr, n uint64)) {
	at := bytes(x.addr, x.n)
	for a := at.from; a < at.to; {
		next := a&^(word-1) + word
		if next < a || next > at.to { // next < a: the last word of memory
			next = at.to
		}
		f(a, next-a)
		a = next
	}
}

// nearWords is the size of the cache of words, a power of two.
const (
	nearWords = 1 << 12
	nearShift = 64 - 12
)

// freshWords is how many words are allocated at once.
const freshWords = 256

func (o *Order) word(addr, n uint64) *touchedWord {
	near := &o.near[addr*0x9E3779B97F4A7C15>>nearShift]
	if w := *near; w == nil || w.addr != addr || w.n != n {
		*near = o.wordOf(addr, n)
	}
	return *near
}

func (o *Order) wordOf(addr, n uint64) *touchedWord {
	a := addr &^ (word - 1)
	first := o.words[a]
	for w := first; w != nil; w = w.next {
		if w.addr == addr && w.n == n {
			return w
		}
	}
	if len(o.fresh) == 0 {
		o.fresh = make([]touchedWord, freshWords)
	}
	w := &o.fresh[0]
	o.fresh = o.fresh[1:]
	w.addr, w.n, w.by = addr, n, w.one[:0]
	if first != nil {
		w.next, first.next = first.next, w
		return w
	}
	if o.words == nil {
		o.words = make(map[uint64]*touchedWord, o.Words)
	}
	o.words[a] = w
	o.addrs = append(o.addrs, a)
	return w
}

func (w *touchedWord) of(g trace.GoID) *wordPast {
	for k := range w.by {
		if w.by[k].g == g {
			return &w.by[k]
		}
	}
	w.by = append(w.by, wordPast{g: g, wrote: -1})
	return &w.by[len(w.by)-1]
}

// beforeCall applies EX2.
func (o *Order) beforeCall(k *Kept, s *Step) {
	last := map[trace.GoID]int32{}
	d := &s.Begins.D
	o.eachNew(s, func(w *touchedWord, p *wordPast) {
		k.quiet(s, w, p)
		if p.wrote >= 0 && !s.knows(p.wrote) {
			last[p.g] = max(last[p.g], p.wrote)
		}
		if len(p.reads) == 0 {
			return
		}
		for _, r := range p.reads[p.ordered.of(s.G, p.g).n:] {
			if !s.knows(r.Last) {
				k.ifDone(r)
			}
		}
		p.ordered.set(s.G, p.g, cursor{n: len(p.reads)})
	})
	for _, n := range slices.Sorted(maps.Values(last)) {
		k.edge(n)
	}
	for _, q := range o.past {
		if q.g != s.G {
			k.edge(q.lastObject(d))
			k.edge(q.lastMet(d, o.firstUnknown(s, q)))
		}
	}
}

// eachNew calls f for what other goroutines did to words that a MethodBegin reaches: all that is
// not known to come before it, and maybe more. It goes through the words of D, or through the log
// entries that are not known, whichever are fewer.
func (o *Order) eachNew(s *Step, f func(*touchedWord, *wordPast)) {
	d, most := &s.Begins.D, len(o.addrs)
	if n, few := d.words(most); !d.All && few {
		most = n
	}
	var logs []*log
	var rests [][]logged
	for _, l := range o.logs {
		if l.g == s.G {
			continue
		}
		if rest := o.unknown(s, l); len(rest) > 0 {
			logs, rests = append(logs, l), append(rests, rest)
			most -= len(rest)
		}
	}
	switch {
	case len(rests) == 0:
	case most < 0:
		o.eachHit(d, func(w *touchedWord) {
			for i := range w.by {
				if w.by[i].g != s.G {
					f(w, &w.by[i])
				}
			}
		})
	default:
		for i, l := range logs {
			for _, x := range rests[i] {
				if d.Hits(Memory(x.w.addr, x.w.n)) {
					f(x.w, x.w.of(l.g))
				}
			}
		}
	}
}

// eachHit calls f for the accessed words of which d has a part.
func (o *Order) eachHit(d *Set, f func(*touchedWord)) {
	if _, few := d.words(len(o.addrs)); !d.All && few {
		d.spans.eachWord(func(a uint64) { o.eachPart(d, a, f) })
		return
	}
	for _, a := range o.addrs {
		o.eachPart(d, a, f)
	}
}

// eachPart does that for the word at a.
func (o *Order) eachPart(d *Set, a uint64, f func(*touchedWord)) {
	for w := o.words[a]; w != nil; w = w.next {
		if d.Hits(Memory(w.addr, w.n)) {
			f(w)
		}
	}
}

// words returns the number of words that s has memory of, if they are at most most.
func (s *Set) words(most int) (n int, few bool) {
	return s.spans.words(most)
}

func (q *past) lastObject(d *Set) int32 {
	if d.Seen {
		return -1
	}
	for k := len(q.objects) - 1; k >= 0; k-- {
		if d.Hits(q.objects[k].x) {
			return q.objects[k].n
		}
	}
	return -1
}

// lastMet returns the end of the last ended gap, from number from on, that meets d; -1: none.
func (q *past) lastMet(d *Set, from int) int32 {
	if from == len(q.ended) || !q.all.Meets(d) {
		return -1
	}
	for k := len(q.ended) - 1; k >= from; k-- {
		if !q.ended[k].later && q.ended[k].p.D.Meets(d) {
			return q.ended[k].n
		}
	}
	return -1
}

// maxOrders bounds the ended gaps of one goroutine that get an order each before an event. Beyond
// it, one weak edge takes their place.
const maxOrders = 64

// afterCalls applies EX3.
func (o *Order) afterCalls(k *Kept, s *Step) {
	switch s.X.kind {
	case touchesNothing:
	case touchesMemory:
		if o.ends == 0 {
			return
		}
		s.X.eachWord(func(addr, n uint64) {
			w := o.word(addr, n)
			if o.upToDate(s) {
				return
			}
			all := true
			for _, q := range o.past {
				if q.g == s.G {
					continue
				}
				if from := o.firstUnknown(s, q); from < len(q.ended) {
					if all = false; q.all.Hits(s.X) {
						w.afterEnded(k, s, q, from)
					}
				}
			}
			if all { // and they stay known
				o.markUpToDate(s)
			}
		})
	default:
		for _, q := range o.past {
			if q.g != s.G {
				k.edge(q.lastEnd(s.X, -1))
			}
		}
	}
}

// afterEnded orders an access after the ended gaps of q, from number from on, that reach its word,
// on the condition that these are executed. Gaps before number from are known to come before it.
func (w *touchedWord) afterEnded(k *Kept, s *Step, q *past, from int) {
	if s.Demands {
		if e := w.lastOf(q, s.X); e >= from && !s.knows(q.ended[e].n) {
			k.Weak = append(k.Weak, q.ended[e].n)
		}
		return
	}
	from = max(from, w.ordered.of(s.G, q.g).n)
	w.ordered.set(s.G, q.g, cursor{n: len(q.ended)})
	var fresh []int32 // the last first
	x := w.whole(s.X)
	for e := len(q.ended) - 1; e >= from; e-- {
		n := q.ended[e].n
		if d := &q.ended[e].p.D; len(fresh) > 0 && fresh[len(fresh)-1] == n || !d.Hits(x) || s.knows(n) {
			continue
		}
		if fresh = append(fresh, n); len(fresh) > maxOrders {
			k.Weak = append(k.Weak, fresh[0])
			return
		}
	}
	for _, n := range slices.Backward(fresh) {
		k.order(Cond{n, n, Self})
	}
}

// whole is x as if it acted on all of w.
func (w *touchedWord) whole(x Touch) Touch {
	x.addr, x.n = w.addr, w.n
	return x
}

// lastOf returns the number of the last ended gap of q that hits an access to w like x, or -1.
func (w *touchedWord) lastOf(q *past, x Touch) int {
	all := w.ordered.of(-1, q.g) // n: those compared so far; last: the one found
	x = w.whole(x)
	for e := len(q.ended) - 1; e >= all.n; e-- {
		if !q.ended[e].later && q.ended[e].p.D.Hits(x) { // later: its pair does not
			all.last = e + 1
			break
		}
	}
	w.ordered.set(-1, q.g, cursor{len(q.ended), all.last})
	return all.last - 1
}

// lastEnd returns the last end, after trace event since, of a gap that hits x.
func (q *past) lastEnd(x Touch, since int64) int32 {
	if !q.all.Hits(x) {
		return -1
	}
	for k := len(q.ended) - 1; k >= 0 && q.ended[k].at > since; k-- {
		if !q.ended[k].later && q.ended[k].p.D.Hits(x) {
			return q.ended[k].n
		}
	}
	return -1
}

// Wrote reports whether excluded code may have written to x since trace event since, and what comes
// before its write (EX5). A gap that is still open counts only if sees is set: the access finds a
// value that traced code did not leave.
func (o *Order) Wrote(x Touch, since int64, sees bool) (k *Kept, may bool) {
	k = &Kept{}
	var in []*gap
	for _, c := range o.gaps {
		if sees && c.hits(x) {
			in = append(in, c)
		}
	}
	if len(in) > 0 {
		may = true
		k.after(o.concerns(-1, x, nil).hit)
	}
	for _, q := range o.past {
		if n := q.lastEnd(x, since); n >= 0 {
			k.edge(n)
			may = true
		}
	}
	return k, may
}

// Seen notes that event n stands for a write of excluded code to x that was found at trace event
// at. It cuts the gaps that hit x.
func (o *Order) Seen(x Touch, n int32, at int64) {
	o.cut(o.concerns(-1, x, nil).hit, Extent{n, n}, at)
}
