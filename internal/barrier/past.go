package barrier

import (
	"slices"

	"presage/internal/trace"
)

// What goroutines have done, for MethodBegins (B2), and which gaps have ended, for accesses (B3).

// touchedWord is what goroutines did to a word of memory.
type touchedWord struct {
	by   []wordPast
	told []heard
}

// wordPast is what one goroutine did to a word.
type wordPast struct {
	g     trace.GoID
	wrote int32    // the last event that did not only read; -1: none
	reads []Extent // since
	told  []heard  // goroutines whose MethodBegins are known to come after the first n of reads
}

// heard is how much of a list a goroutine has been told of.
type heard struct {
	g    trace.GoID // that has been told
	of   trace.GoID // whose list it is
	n    int        // of it
	list []int32    // of these n, what concerns the word
}

func hearing(list *[]heard, g, of trace.GoID) *heard {
	for k := range *list {
		if h := &(*list)[k]; h.g == g && h.of == of {
			return h
		}
	}
	*list = append(*list, heard{g: g, of: of})
	return &(*list)[len(*list)-1]
}

// touch notes what an event acted on.
func (o *Order) touch(s *Step, at Extent) {
	switch s.X.kind {
	case touchesNothing:
	case touchesMemory:
		s.X.eachWord(func(addr uint64) {
			p := o.word(addr).of(s.G)
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

func (x Touch) eachWord(f func(addr uint64)) {
	for a := x.addr &^ (word - 1); a < x.addr+x.n || a == x.addr&^(word-1); a += word {
		if f(a); a+word < a {
			return
		}
	}
}

func (o *Order) word(addr uint64) *touchedWord {
	w := o.words[addr]
	if w == nil {
		if o.words == nil {
			o.words = make(map[uint64]*touchedWord)
		}
		w = &touchedWord{}
		o.words[addr] = w
		o.addrs = append(o.addrs, addr)
	}
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
	var order []trace.GoID
	note := func(g trace.GoID, n int32) {
		old, ok := last[g]
		if !ok {
			order = append(order, g)
		}
		if !ok || n > old {
			last[g] = n
		}
	}
	o.eachHit(&s.Begins.D, func(w *touchedWord) {
		for i := range w.by {
			p := &w.by[i]
			if p.g == s.G {
				continue
			}
			if p.wrote >= 0 {
				note(p.g, p.wrote)
			}
			h := hearing(&p.told, s.G, p.g)
			for _, r := range p.reads[h.n:] {
				k.ifDone(r)
			}
			h.n = len(p.reads)
		}
	})
	for _, g := range order {
		k.edge(last[g])
	}
	for _, q := range o.past {
		if q.g != s.G {
			k.edge(q.lastObject(&s.Begins.D))
			k.edge(q.lastMet(&s.Begins.D))
		}
	}
}

// eachHit calls f for the words that were accessed and that d has something of.
func (o *Order) eachHit(d *Set, f func(*touchedWord)) {
	if n, few := d.words(len(o.addrs)); !d.All && few {
		if n == 0 {
			return
		}
		for _, x := range d.spans {
			for a := x.from &^ (word - 1); a < x.to; a += word {
				if w := o.words[a]; w != nil {
					f(w)
				}
				if a+word < a {
					return
				}
			}
		}
		return
	}
	for _, a := range o.addrs {
		if d.All || d.overlaps(bytes(a, word)) {
			f(o.words[a])
		}
	}
}

// words returns how many words the spans of s are, if they are at most most.
func (s *Set) words(most int) (n int, few bool) {
	for _, x := range s.spans {
		size := (x.to-1)/word - x.from/word + 1
		if size > uint64(most) {
			return 0, false
		}
		if n += int(size); n > most {
			return 0, false
		}
	}
	return n, true
}

func (q *past) lastObject(d *Set) int32 {
	for k := len(q.objects) - 1; k >= 0; k-- {
		if d.Hits(q.objects[k].x) {
			return q.objects[k].n
		}
	}
	return -1
}

func (q *past) lastMet(d *Set) int32 {
	if !q.all.Meets(d) {
		return -1
	}
	for k := len(q.ended) - 1; k >= 0; k-- {
		if q.ended[k].p.D.Meets(d) {
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
		s.X.eachWord(func(addr uint64) {
			if o.words[addr] == nil && !o.anyEnded() {
				return
			}
			w := o.word(addr)
			for _, q := range o.past {
				if q.g != s.G && q.all.Hits(s.X) {
					w.hear(k, s, q, addr)
				}
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

func (o *Order) anyEnded() bool {
	return slices.ContainsFunc(o.past, func(q *past) bool { return len(q.ended) > 0 })
}

// hear has an access come after the gaps of q that reach its word, as far as they are executed: those that are new to its goroutine.
func (w *touchedWord) hear(k *Kept, s *Step, q *past, addr uint64) {
	x := Memory(addr, word)
	all := hearing(&w.told, -1, q.g)
	for ; all.n < len(q.ended); all.n++ {
		if e := &q.ended[all.n]; e.p.D.Hits(x) && (len(all.list) == 0 || all.list[len(all.list)-1] != e.n) {
			all.list = append(all.list, e.n)
		}
	}
	list := all.list
	if len(list) == 0 {
		return
	}
	if s.Demands {
		k.Weak = append(k.Weak, list[len(list)-1])
		return
	}
	mine := hearing(&w.told, s.G, q.g)
	fresh := list[mine.n:]
	if mine.n = len(list); len(fresh) > maxTold {
		k.Weak = append(k.Weak, fresh[len(fresh)-1])
		return
	}
	for _, n := range fresh {
		k.order(Cond{n, n, Self})
	}
}

// lastEnd returns the last end, after trace event since, of a gap that hits x.
func (q *past) lastEnd(x Touch, since int64) int32 {
	if !q.all.Hits(x) {
		return -1
	}
	for k := len(q.ended) - 1; k >= 0 && q.ended[k].at > since; k-- {
		if q.ended[k].p.D.Hits(x) {
			return q.ended[k].n
		}
	}
	return -1
}

// Wrote says whether missing code may have written to x since trace event since, and what comes before what it left there (B6). Of a gap that is open
// that is so only of what is seen of it (sees).
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
		k.after(o.group(-1, x, nil))
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
	for _, c := range o.group(-1, x, nil) {
		o.cut(c, Extent{n, n}, at)
	}
}
