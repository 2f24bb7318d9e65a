package excluded

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// What goroutines have done, for MethodBegins (B2), and which gaps have ended, for accesses (B3).

// touchedWord is what goroutines did to a word of memory, or to some of its bytes: the allocator
// puts several small objects into one word, and a D may have one of them.
type touchedWord struct {
	addr, n uint64
	next    *touchedWord // other bytes of the same word, which may overlap with these
	by      []wordPast
	one     [1]wordPast // most have one
	told    hearing     // of gaps that hit it
	apart   hearing     // of accesses without an event: gaps that do not hit them, or are known
}

// wordPast is what one goroutine did to a word.
type wordPast struct {
	g     trace.GoID
	wrote int32    // the last event that did not only read; -1: none
	reads []Extent // since
	told  hearing  // goroutines whose MethodBegins are known to come after the first n of reads
	quiet int32    // behind which event the last access without an event was, +2; 0: there is none
}

// heard is how much of a list a goroutine has been told of.
type heard struct {
	n    int // of it
	last int // of these n, the last that concerns the word; 0: none
}

// hearing is what goroutines have been told of lists: of each pair of the goroutine that is told
// and the one whose list it is. A program may have a goroutine for each of its tasks, so the pairs
// are found in constant time.
type hearing map[[2]trace.GoID]heard

func (h *hearing) set(g, of trace.GoID, d heard) {
	if *h == nil {
		*h = hearing{}
	}
	(*h)[[2]trace.GoID{g, of}] = d
}

func (h hearing) of(g, of trace.GoID) heard { return h[[2]trace.GoID{g, of}] }

// touch notes what an event acted on.
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
				p.wrote, p.reads, p.told = at.Last, nil, nil
			}
		})
	default:
		q := o.pastOf(s.G)
		q.objects = append(q.objects, touched{s.X, at.Last})
	}
}

// eachWord calls f for what x has of each word.
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

// nearWords is how many words are found without the map; a power of two.
const (
	nearWords = 1 << 12
	nearShift = 64 - 12
)

// freshWords is how many words are made at once.
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

// beforeCall is (B2).
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
		for _, r := range p.reads[p.told.of(s.G, p.g).n:] {
			if !s.knows(r.Last) {
				k.ifDone(r)
			}
		}
		p.told.set(s.G, p.g, heard{n: len(p.reads)})
	})
	for _, n := range slices.Sorted(maps.Values(last)) {
		k.edge(n)
	}
	for _, q := range o.past {
		if q.g != s.G {
			k.edge(q.lastObject(d))
			k.edge(q.lastMet(d, o.news(s, q)))
		}
	}
}

// eachNew calls f for what other goroutines did to words that a MethodBegin reaches: all that is
// not known, and maybe more. It goes through these words, or through what is not known, whichever
// is less.
func (o *Order) eachNew(s *Step, f func(*touchedWord, *wordPast)) {
	d, most := &s.Begins.D, len(o.addrs)
	if n, few := d.words(most); !d.All && few {
		most = n
	}
	var logs []*log
	var news [][]logged
	for _, l := range o.logs {
		if l.g == s.G {
			continue
		}
		if rest := o.unknown(s, l); len(rest) > 0 {
			logs, news = append(logs, l), append(news, rest)
			most -= len(rest)
		}
	}
	switch {
	case len(news) == 0:
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
			for _, x := range news[i] {
				if d.Hits(Memory(x.w.addr, x.w.n)) {
					f(x.w, x.w.of(l.g))
				}
			}
		}
	}
}

// eachHit calls f for the words that were accessed and that d has something of.
func (o *Order) eachHit(d *Set, f func(*touchedWord)) {
	if _, few := d.words(len(o.addrs)); !d.All && few {
		d.spans.eachWord(func(a uint64) { o.eachPart(d, a, f) })
		return
	}
	for _, a := range o.addrs {
		o.eachPart(d, a, f)
	}
}

// eachPart is that for the word at a.
func (o *Order) eachPart(d *Set, a uint64, f func(*touchedWord)) {
	for w := o.words[a]; w != nil; w = w.next {
		if d.Hits(Memory(w.addr, w.n)) {
			f(w)
		}
	}
}

// words returns how many words the memory of s is, if they are at most most.
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

// lastMet returns the end of the last gap that meets d, if it is not before the one with number
// from.
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

// maxTold is how many gaps of one goroutine that have ended an event is told of one by one.
const maxTold = 64

// afterCalls is (B3).
func (o *Order) afterCalls(k *Kept, s *Step) {
	switch s.X.kind {
	case touchesNothing:
	case touchesMemory:
		if o.ends == 0 {
			return
		}
		s.X.eachWord(func(addr, n uint64) {
			w := o.word(addr, n)
			if o.noNews(s) {
				return
			}
			all := true
			for _, q := range o.past {
				if q.g == s.G {
					continue
				}
				if from := o.news(s, q); from < len(q.ended) {
					if all = false; q.all.Hits(s.X) {
						w.hear(k, s, q, from)
					}
				}
			}
			if all { // and it stays known
				o.hasHeard(s)
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

// hear has an access come after the gaps of q that reach its word, as far as they are executed:
// those that are new to its goroutine. Gaps before number from are known.
func (w *touchedWord) hear(k *Kept, s *Step, q *past, from int) {
	if s.Demands {
		if e := w.lastOf(q, s.X); e >= from && !s.knows(q.ended[e].n) {
			k.Weak = append(k.Weak, q.ended[e].n)
		}
		return
	}
	from = max(from, w.told.of(s.G, q.g).n)
	w.told.set(s.G, q.g, heard{n: len(q.ended)})
	var fresh []int32 // the last first
	x := w.whole(s.X)
	for e := len(q.ended) - 1; e >= from; e-- {
		n := q.ended[e].n
		if d := &q.ended[e].p.D; len(fresh) > 0 && fresh[len(fresh)-1] == n || !d.Hits(x) || s.knows(n) {
			continue
		}
		if fresh = append(fresh, n); len(fresh) > maxTold {
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

// lastOf returns the number of the last of the ended gaps of q that hits what does to w as x does,
// or -1.
func (w *touchedWord) lastOf(q *past, x Touch) int {
	all := w.told.of(-1, q.g) // n: those that were looked at; last: what was found
	x = w.whole(x)
	for e := len(q.ended) - 1; e >= all.n; e-- {
		if !q.ended[e].later && q.ended[e].p.D.Hits(x) { // later: its pair does not
			all.last = e + 1
			break
		}
	}
	w.told.set(-1, q.g, heard{len(q.ended), all.last})
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

// Wrote says whether missing code may have written to x since trace event since, and what comes
// before what it left there (B6). Of a gap that is open that is so only of what is seen of it
// (sees).
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
		k.after(o.groups(-1, x, nil).hit)
	}
	for _, q := range o.past {
		if n := q.lastEnd(x, since); n >= 0 {
			k.edge(n)
			may = true
		}
	}
	return k, may
}

// Seen says that event n is what missing code has left at x, at trace event at.
func (o *Order) Seen(x Touch, n int32, at int64) {
	o.cut(o.groups(-1, x, nil).hit, Extent{n, n}, at)
}
