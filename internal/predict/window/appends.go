package window

import (
	"cmp"
	"math"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Appends. The append builtin works with any slice: it writes behind the elements, or moves them to
// a new array and writes there. Which of the two, and where, depends on the slice's pointer, length
// and capacity. Nothing else that its goroutine does next depends on them. So these two critical
// sections have no order when two goroutines execute them:
//
//	mu.Lock(); s = append(s, x); mu.Unlock()
//
// An append is *open* in a window if a reordering may have it although its reads of the slice are
// not intact. Its result is then unknown: the reads are in the From of every store of the result.
// In such a reordering it writes elements at other addresses than the recorded ones. The window has
// no event for these writes, so it must keep other goroutines from reading there:
//
//   - (WI6) *Arrays.* An append may *hit* the arrays, up to their capacities, of all slices that it
//     may read, and the array that it returned. A slice is copied as it is or is the result of an
//     append; what any other expression needs for a slice is pinned. So a word may hold what it
//     holds at the start, what the window writes there, and what the words may hold from which a
//     value written there was read. Any other array is new, and no recorded slice leads to it. An
//     array ends where the allocation ends into which its pointer led when the word held it. Arrays
//     that overlap share one location, their *trust*. It holds 0. An open append writes it by an
//     AtomicRMW, whose value is intact if trust was, if the reads of the slice are, and if the
//     reads of the elements that it moves are. So trust is intact as long as all appends before
//     worked on their recorded arrays, and never again. If there are several such locations, every
//     open append also writes one that stands for all of them.
//   - (WI7) *Readers.* A goroutine that accesses such an array, or an object of synchronisation in
//     one, reads trust strictly right after it. Outside code may access elements without records.
//     So its goroutine reads the trust of all arrays strictly right before such code ends, calls
//     back, or shows by a record that it has run.
//   - (WI8) *Needs.* As an access of a race, an access of an open append needs the reads of the
//     slice (Where, MO10). An append that is not open always needs them. An append is not open if
//     the slices that it may read are not all known, if no other goroutine accesses the words that
//     it reads them from, during an excluded call, and in variants.
//
// The smallest program for WI7:
//
//	all := make([]int, 4); s := all[:0]
//	go func() { mu.Lock(); s = append(s, 1); mu.Unlock() }()
//	go func() { mu.Lock(); s = append(s, 2); mu.Unlock() }()
//	mu.Lock(); first := all[0]; mu.Unlock()
//	if first == 1 { x = 1 }  // all[0] is written by whichever append is first

// appends is the pass that finds the open appends and the arrays that they may hit.
type appends struct {
	*layout
	arrays  []*arrays
	all     *arrays               // their trust is that of all arrays
	hits    []hit                 // by address
	may     map[uint64]*sliceWord // what words may hold
	origins map[*int64][]uint64   // that a slice may come from, by its reads
}

// arrays are the elements that some open appends may write to.
type arrays struct {
	trust model.Obj
}

// hit is a piece of them.
type hit struct {
	from, to uint64
	of       *arrays
}

// sliceWord is what a word may hold in a reordering.
type sliceWord struct {
	known  bool
	values []held   // sorted
	from   []uint64 // and what these words may hold
}

// held is a value. As a pointer it leads to memory that ends at to; the highest number stands for
// an unknown end.
type held struct{ val, to uint64 }

func (h held) compare(v uint64) int { return cmp.Compare(h.val, v) }

// maxSliceWords bounds the words that the slice of an append may come from.
const maxSliceWords = 64

// openAppends finds the open appends of the window, and the arrays that they hit.
func (m *appends) openAppends() {
	m.may, m.origins = make(map[uint64]*sliceWord), make(map[*int64][]uint64)
	for i := range m.recs[:m.onPath] {
		r := &m.recs[i]
		if r.Open = false; len(r.Where) == 0 || m.b.excode.active() || m.b.opt.NoValues {
			continue
		}
		words, ok := m.origins[&r.Where[0]]
		if !ok {
			words = m.sliceWords(r)
			m.origins[&r.Where[0]] = words
		}
		if r.Open = len(words) > 0; r.Open && r.Appended != nil {
			r.Open = m.hit(r, words)
		}
	}
	m.unite()
}

// sliceWords are the words that the slice of an append may come from, none if they are not known or
// no other goroutine accesses them (WI8).
func (m *appends) sliceWords(r *record) (words []uint64) {
	others := false
	add := func(w uint64) bool {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
		return len(words) <= maxSliceWords
	}
	for _, x := range r.Where {
		w, ok := m.wordRead(x)
		if !ok || !add(w) {
			return nil
		}
		others = others || m.b.contested(r.Event.G, x)
	}
	for k := 0; k < len(words); k++ {
		may := m.mayHold(words[k])
		if !may.known {
			return nil
		}
		for _, w := range may.from {
			if !add(w) {
				return nil
			}
		}
	}
	if !others {
		return nil
	}
	return words
}

// wordRead is the word that a read of the window has read.
func (m *appends) wordRead(x int64) (word uint64, ok bool) {
	i := m.b.recordOf(x)
	if i < 0 {
		return 0, false
	}
	e := &m.recs[i].Event
	return uint64(e.Obj), e.Kind.IsAccess() && e.Size == 8 && e.Obj&7 == 0 && e.Flags&(format.FlagNoValue|format.FlagStack) == 0
}

// mayHold is what a word may hold (WI6).
func (m *appends) mayHold(w uint64) *sliceWord {
	may := m.may[w]
	if may == nil {
		may = m.findHeld(w)
		m.may[w] = may
		slices.SortFunc(may.values, func(x, y held) int {
			return cmp.Or(cmp.Compare(x.val, y.val), cmp.Compare(x.to, y.to))
		})
		may.values = slices.Compact(may.values)
	}
	return may
}

func (m *appends) findHeld(w uint64) *sliceWord {
	may := &sliceWord{}
	last := -1
	for _, i := range m.at(w) {
		r := &m.recs[i]
		if r.Event.Size != 8 || r.Event.Obj&7 != 0 || r.Event.Flags&(format.FlagNoValue|format.FlagStack|format.FlagOpaque) != 0 {
			return may
		}
		if last < 0 || m.recs[last].mem != r.mem {
			v, ok := m.startsWith(r)
			if !ok {
				return may
			}
			may.values = append(may.values, held{v, math.MaxUint64})
		}
		last = int(i)
		if may.values = append(may.values, m.holds(r.Event.Val, int(i))); r.Event.Kind == format.AtomicRMW {
			may.values = append(may.values, m.holds(r.Event.Aux, int(i)))
		}
		before, here := false, false
		for _, x := range r.From {
			if m.b.recordOf(x) < 0 {
				before = true
				continue
			}
			from, ok := m.wordRead(x)
			if !ok {
				return may
			}
			here = true
			may.from = append(may.from, from)
		}
		if before && here { // the part written before this window is unknown
			return may
		}
	}
	may.known = last >= 0
	return may
}

// holds is a value that a word has at a record. The memory that a pointer leads to is not freed
// there, so it is in the last allocation around that address.
func (m *appends) holds(v uint64, at int) held {
	k := m.generation(v, m.allocsBefore(at))
	if k < 0 {
		return held{v, math.MaxUint64}
	}
	return held{v, m.allocs[k].addr + m.allocs[k].size}
}

// startsWith is what the word of a record holds before its first access.
func (m *appends) startsWith(r *record) (v uint64, ok bool) {
	w := &m.words[r.mem]
	return w.atoms[0].initial, !w.noValue && len(w.atoms) == 1 && w.atoms[0].mask == 0xff && !w.atoms[0].firstWrite
}

// Numbers that may be pointers, and that may be capacities: an array of 32 GB is not expected.
const (
	leastPointer = 1 << 12
	mostElements = 1 << 32
)

// hit notes what an open append may write to. It returns false if not all of that is known.
func (m *appends) hit(r *record, words []uint64) bool {
	a := &arrays{trust: -1}
	hits := []hit{{r.Appended.Array, r.Appended.Array + r.Appended.Bytes, a}}
	for _, w := range words {
		values := m.mayHold(w).values
		k, _ := slices.BinarySearchFunc(values, leastPointer, held.compare)
		if values = values[k:]; len(values) == 0 {
			continue
		}
		capacity := m.mayHold(w + 16)
		if !capacity.known {
			return false
		}
		k, _ = slices.BinarySearchFunc(capacity.values, mostElements, held.compare)
		if k == 0 {
			continue
		}
		for _, p := range values {
			hits = append(hits, hit{p.val, min(p.val+capacity.values[k-1].val*r.Appended.Elem, p.to), a})
		}
	}
	m.hits = append(m.hits, hits...)
	return true
}

// unite makes arrays that overlap one.
func (m *appends) unite() {
	m.hits = slices.DeleteFunc(m.hits, func(h hit) bool { return h.to <= h.from })
	slices.SortFunc(m.hits, func(x, y hit) int { return cmp.Compare(x.from, y.from) })
	into := map[*arrays]*arrays{}
	root := func(a *arrays) *arrays {
		for into[a] != nil {
			a = into[a]
		}
		return a
	}
	var list []hit
	for _, h := range m.hits {
		h.of = root(h.of)
		last := len(list) - 1
		if last < 0 || list[last].to <= h.from {
			list = append(list, h)
			continue
		}
		if a := root(list[last].of); a != h.of {
			into[h.of] = a
		}
		list[last].to = max(list[last].to, h.to)
	}
	m.hits = list
	for k := range m.hits {
		a := root(m.hits[k].of)
		if m.hits[k].of = a; !slices.Contains(m.arrays, a) {
			m.arrays = append(m.arrays, a)
		}
	}
	switch len(m.arrays) {
	case 0:
	case 1:
		m.all = m.arrays[0]
	default:
		m.all = &arrays{trust: -1}
	}
}

// trusting makes the events of trust: those of open appends, and those of accesses to their arrays.
type trusting struct {
	*graph
	reads   *resolver
	appends *appends
}

// places are the reads that the address of a record's access depends on (WI8).
func (m *trusting) places(r *record) []int32 {
	if !r.Open {
		return nil
	}
	return m.reads.resolve(r.Where)
}

// appendsTo is (WI6), before the first write of an open append.
func (m *trusting) appendsTo(i int, r *record, t *thread) {
	reads := append(slices.Clone(r.Where), r.Appended.Moved...)
	slices.Sort(reads)
	a := m.hitIn(r.Appended.Array, r.Appended.Array+1)[0]
	m.add(t, i, model.Event{Kind: format.AtomicRMW, Obj: m.trust(a), ValDeps: m.reads.resolve(reads)})
	if a != m.appends.all {
		m.add(t, i, model.Event{Kind: format.AtomicRMW, Obj: m.trust(m.appends.all), ValDeps: m.reads.resolve(reads)})
	}
}

// trust is the location of some arrays.
func (m *trusting) trust(a *arrays) model.Obj {
	if a.trust < 0 {
		a.trust = m.newObj(model.ObjState{}, built.Place{})
	}
	return a.trust
}

// hitIn returns the arrays that have a byte of [from,to).
func (m *trusting) hitIn(from, to uint64) (list []*arrays) {
	k, _ := slices.BinarySearchFunc(m.appends.hits, from, func(h hit, from uint64) int {
		if h.to <= from {
			return -1
		}
		return 1
	})
	for ; k < len(m.appends.hits) && m.appends.hits[k].from < to; k++ {
		if a := m.appends.hits[k].of; !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// trusts makes t read trust.
func (m *trusting) trusts(i int, t *thread, a *arrays) {
	e := model.Event{Kind: format.AtomicRead, Obj: m.trust(a), Strict: true}
	if m.recs[i].outside() {
		e.Flags = format.FlagOpaque
	}
	m.add(t, i, e)
}

// trustsAfter is (WI7) of an access, or an operation of synchronisation.
func (m *trusting) trustsAfter(i int, r *record, t *thread) {
	if r.mem < 0 && r.obj < 0 || r.Open {
		return
	}
	from := uint64(r.Event.Obj)
	// it may begin in front of them
	for _, a := range m.hitIn(from, from+max(1, uint64(r.Event.Size))) {
		m.trusts(i, t, a)
	}
}

// trustsBefore is WI7 for code without records. It returns false if t ends here: the receiver of a
// non-blocking send waits at the receive, and at no event before it (MO14).
func (m *trusting) trustsBefore(i int, r *record, t *thread) bool {
	if len(m.appends.arrays) == 0 {
		return true
	}
	if !m.b.showsOutside(&r.Event) {
		return true
	}
	if m.waitedFor(r) {
		return false
	}
	m.trusts(i, t, m.appends.all)
	return true
}
