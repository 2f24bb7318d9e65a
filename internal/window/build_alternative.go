package window

import (
	"cmp"
	"slices"

	"presage/internal/expr"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Way is an alternative in a window: how one goroutine could go on from a fork, as events. Variant puts it in its place.
type Way struct {
	G       trace.GoID
	Thread  Thread
	Fork    trace.Site // where the path is left
	Base    bool       // because a pointer or index is another, not at a branch
	At      int64      // the event of the trace before which that is
	Chosen  []FlowGuard
	Holds   []Guard // Chosen, over the window's reads
	Where   func() Where
	Steps   []Step
	Events  []Event // numbered from the end of the window's events on; their Index is AlternativeBase plus the step
	Assumes []Assumption
	Origin  Fork

	Before int32 // the last event of the goroutine that it has in common with the recorded run, -1: none
	Leaves int32 // the first one that it replaces; the number of events of the window: none
}

// ways is what a maker knows of alternatives.
type ways struct {
	onPath  int // records of the trace; those of alternatives follow
	list    []way
	made    []Way
	base    int // record of the first step of the alternative at hand
	now     int // record that produce is at
	byWord  []int32
	opaques map[trace.GoID][]opaqueCalls
}

// opaqueCalls are the calls of a goroutine with one footprint.
type opaqueCalls struct {
	touch touch
	first int // record
}

// way is an alternative with its records.
type way struct {
	alt   *Alternative
	fork  int // record
	from  Fork
	first int // record of its first step
}

// Bounds of what is explored in one window.
const (
	maxForks = 256 // forks
	maxAlike = 4   // of one goroutine at one place
	maxSame  = 32  // at one place
	maxWays  = 512 // alternatives
	maxCells = 8   // values that a word is known to have
)

// explore finds the forks whose choice rests on what other goroutines write, has them explored, and appends the
// records of the alternatives.
func (m *maker) explore() {
	m.onPath = len(m.recs)
	if !m.b.opt.Paths {
		return
	}
	forks := m.forks()
	for _, f := range forks {
		if len(m.list) >= maxWays {
			m.b.count.Unexplored++
			continue
		}
		s := &surroundings{m: m, g: m.recs[f.rec].e.G, fork: f.rec, gos: 1 << 30}
		for _, alt := range f.Explore(s) {
			m.b.end(alt.End)
			m.b.count.Executed += int64(alt.Executed)
			if len(alt.Steps) > 0 {
				m.append(way{alt: alt, fork: f.rec, from: f.Fork})
			}
		}
	}
}

func (b *Builder) end(reason string) {
	if b.count.Ends == nil {
		b.count.Ends = make(map[string]int64)
	}
	b.count.Ends[reason]++
}

// append adds the records of an alternative.
func (m *maker) append(w way) {
	if len(m.recs) == m.onPath {
		m.recs = slices.Clone(m.recs)
	}
	w.first = len(m.recs)
	m.list = append(m.list, w)
	for k := range w.alt.Steps {
		s := &w.alt.Steps[k]
		m.recs = append(m.recs, record{
			e: s.Event, index: AlternativeBase + int64(k), needs: s.Flow.Needs, from: s.Flow.From, guards: s.Flow.Guards, value: s.Flow.Value,
			walked: true, way: int32(len(m.list)),
		})
		m.gatherRecord(len(m.recs) - 1)
		if o := m.recs[len(m.recs)-1].obj; o >= 0 {
			m.objs[o].keep = true
		}
	}
	for len(m.kept) < len(m.recs) {
		m.kept = append(m.kept, false)
	}
}

// forkAt is a fork with the record that it comes before.
type forkAt struct {
	Fork
	rec int
}

// forks chooses the forks to explore: of those of one goroutine at one place, the last ones.
func (m *maker) forks() []forkAt {
	var list []forkAt
	type place struct {
		g trace.GoID
		s trace.Site
	}
	alike, same := make(map[place]int), make(map[trace.Site]int)
	for i := m.onPath - 1; i >= 0; i-- {
		r := &m.recs[i]
		for k := len(r.forks) - 1; k >= 0; k-- {
			f := r.forks[k]
			if !slices.ContainsFunc(f.Reads(), func(x int64) bool { return m.contested(r.e.G, x) }) {
				continue
			}
			m.b.count.Forks++
			p := place{r.e.G, f.Site()}
			if alike[p]++; alike[p] > maxAlike || same[p.s] >= maxSame || len(list) >= maxForks {
				m.b.count.Unexplored++
				continue
			}
			same[p.s]++
			list = append(list, forkAt{f, i})
		}
	}
	slices.Reverse(list)
	return list
}

// contested reports whether a read of g may see what another goroutine does in the window, or what was before it.
func (m *maker) contested(g trace.GoID, x int64) bool {
	i := m.b.recordOf(x)
	if i < 0 {
		return false
	}
	r := &m.recs[i]
	if !r.e.Kind.IsAccess() {
		return r.e.Kind == format.ChanRecv
	}
	return m.foreign(g, uint64(r.e.Obj), int64(r.e.Size))
}

func (m *maker) foreign(g trace.GoID, addr uint64, size int64) bool {
	s := &m.b.seen
	for w := addr &^ 7; w < addr+uint64(max(size, 1)); w += 8 {
		p := s.words.get(w >> pageShift)
		if p == nil {
			continue
		}
		if u := &p[w>>3%wordsOf]; u.gen == s.gen && (u.many || u.g != g) {
			return true
		}
	}
	return false
}

// recordOf is [Builder.recordOf], also for the reads of the alternative at hand.
func (m *maker) recordOf(x int64) int32 {
	if x >= AlternativeBase {
		return int32(m.base) + int32(x-AlternativeBase)
	}
	return m.b.recordOf(x)
}

// at returns the records that access the word of addr, in order.
func (m *maker) at(addr uint64) []int32 {
	word := func(i int32) uint64 { return uint64(m.recs[i].e.Obj) >> 3 }
	if m.byWord == nil {
		m.byWord = make([]int32, 0, m.onPath)
		for i := range m.recs[:m.onPath] {
			if m.recs[i].mem >= 0 {
				m.byWord = append(m.byWord, int32(i))
			}
		}
		slices.SortFunc(m.byWord, func(i, j int32) int { return cmp.Or(cmp.Compare(word(i), word(j)), cmp.Compare(i, j)) })
	}
	lo, _ := slices.BinarySearchFunc(m.byWord, addr>>3, func(i int32, w uint64) int { return cmp.Compare(word(i), w) })
	hi := lo
	for hi < len(m.byWord) && word(m.byWord[hi]) == addr>>3 {
		hi++
	}
	return m.byWord[lo:hi]
}

// allocsBefore is the number of allocs before record i.
func (m *maker) allocsBefore(i int) int32 {
	n, _ := slices.BinarySearchFunc(m.allocs, i, func(s span, i int) int { return cmp.Compare(s.at, i) })
	return int32(n)
}

// generation returns the last of the first n allocs that holds addr, -1 for none.
func (m *maker) generation(addr uint64, n int32) int32 {
	past := m.past
	m.past = n
	g := m.lastAlloc(addr, 1)
	m.past = past
	return g
}

// surroundings implements [Surroundings] for a fork.
type surroundings struct {
	m    *maker
	g    trace.GoID
	fork int // record
	gos  trace.GoID
}

func (s *surroundings) At(read int64) (addr uint64, size uint8, ok bool) {
	i := s.m.b.recordOf(read)
	if i < 0 || s.m.recs[i].mem < 0 || s.m.recs[i].e.Size > 8 {
		return 0, 0, false
	}
	e := &s.m.recs[i].e
	return uint64(e.Obj), uint8(e.Size), true
}

func (s *surroundings) Foreign(addr uint64, size int64) bool { return s.m.foreign(s.g, addr, size) }

func (s *surroundings) Values(addr uint64, size int64) []uint64 {
	var list []uint64
	var bad []uint64
	add := func(v uint64, at int) {
		switch {
		case slices.Contains(bad, v):
		case !s.sameObject(v, at):
			bad = append(bad, v)
			list = slices.DeleteFunc(list, func(x uint64) bool { return x == v })
		case len(list) < maxCells && !slices.Contains(list, v):
			list = append(list, v)
		}
	}
	here := slices.DeleteFunc(slices.Clone(s.m.at(addr)), func(i int32) bool {
		e := &s.m.recs[i].e
		return uint64(e.Obj) != addr || int64(e.Size) != size || e.Flags&format.FlagNoValue != 0
	})
	site := trace.Site(0)
	if len(here) > 0 {
		site = s.m.recs[here[0]].e.Site
	}
	if v, ok := s.initial(addr, size, site); ok {
		add(v, -1)
	}
	for _, i := range here {
		e := &s.m.recs[i].e
		add(e.Val, int(i))
		if e.Kind == format.AtomicRMW {
			add(e.Aux, int(i))
		}
	}
	return list
}

// sameObject reports whether v, as a pointer at record i, is one to the same object at the end of the window.
func (s *surroundings) sameObject(v uint64, i int) bool {
	if v < 4096 || v >= 1<<48 || len(s.m.allocs) == 0 {
		return true
	}
	return s.m.generation(v, s.m.allocsBefore(i)) == s.m.generation(v, int32(len(s.m.allocs)))
}

// initial is what stands at addr when the window begins, and stays there until an access of the window (I4). An access at
// the site is to addr.
func (s *surroundings) initial(addr uint64, size int64, site trace.Site) (uint64, bool) {
	if k := s.m.generation(addr, int32(len(s.m.allocs))); k >= 0 {
		return 0, s.m.allocs[k].zero && s.m.untouched(site, s.m.allocs[k].tick)
	}
	v, known, since := s.m.b.carry.mem.value(addr&^7, byteMask(addr, uint16(size)))
	return v, known && s.m.untouched(site, since)
}

// untouched reports whether no call since a tick, up to the end of the window, may write to what the access at a site touches.
func (m *maker) untouched(s trace.Site, since uint32) bool {
	return m.outside.recent(&m.b.prints, s) <= since
}

func (s *surroundings) Content(read *trace.Event) (bits uint64, term *expr.Expr, ok bool) {
	if s.Opaque(read) {
		return 0, nil, false
	}
	addr, size := uint64(read.Obj), int64(read.Size)
	bits, ok = s.initial(addr, size, read.Site)
	mask := byteMask(addr, uint16(size))
	vague := false    // something was written that is not known
	last := int32(-1) // record that tells
	for _, i := range s.m.at(addr) {
		if int(i) >= s.fork {
			break
		}
		r := &s.m.recs[i]
		e := &r.e
		switch {
		case byteMask(uint64(e.Obj), e.Size)&mask == 0:
			continue
		case uint64(e.Obj) != addr || int64(e.Size) != size || e.Flags&format.FlagNoValue != 0:
			ok, term, vague = false, nil, vague || e.Kind.IsWrite()
		case e.Kind == format.Write && (len(r.from) == 0 || r.value != nil):
			bits, term, ok, vague = e.Val, r.value, true, false
		case e.Kind.IsWrite():
			ok, term, vague = false, nil, true
		case !ok && !vague: // a read tells what is there
			bits, ok = e.Val, true
		case ok && e.Val != bits: // something was written unseen
			bits, term = e.Val, nil
		}
		last = i
	}
	if last >= 0 && !s.m.untouched(s.m.recs[last].e.Site, s.m.tickAt(last)) {
		return 0, nil, false
	}
	return bits, term, ok
}

// tickAt is the number of ends of opaque calls before record i.
func (m *maker) tickAt(i int32) uint32 {
	n, _ := slices.BinarySearch(m.ends, i)
	return m.b.carry.outside.tick + uint32(n)
}

func (s *surroundings) Settled(addr uint64) bool {
	return s.sameObject(addr, s.fork)
}

func (s *surroundings) Object(e *trace.Event) bool {
	c, ok := classOf(e.Kind)
	if !ok || c == hiddenClass || !s.Settled(uint64(e.Obj)) {
		return false
	}
	if i, ok := s.m.objAt[objKey{c, e.Obj}]; ok {
		return !s.m.objs[i].opaque && !s.m.objs[i].noValue
	}
	return true
}

func (s *surroundings) Capacity(ch uint64) (n uint64, ok bool) {
	k := objKey{chanClass, trace.Addr(ch)}
	if i, ok := s.m.objAt[k]; ok {
		return s.m.objs[i].init.cap, s.m.objs[i].init.known
	}
	if o := s.m.b.carry.objects[k]; o != nil && o.known {
		return o.cap, true
	}
	return 0, false
}

func (s *surroundings) Opaque(e *trace.Event) bool {
	m := s.m
	if m.opaques == nil {
		m.opaques = make(map[trace.GoID][]opaqueCalls)
		for i := range m.recs[:m.onPath] {
			r := &m.recs[i]
			if k := r.e.Kind; k != format.OpaqueBegin && k != format.OpaqueEnd || r.touch == nothing {
				continue
			}
			if list := m.opaques[r.e.G]; !slices.ContainsFunc(list, func(c opaqueCalls) bool { return c.touch == r.touch }) {
				m.opaques[r.e.G] = append(list, opaqueCalls{r.touch, i})
			}
		}
	}
	use := asRead
	if e.Kind.IsWrite() {
		use = asWrite
	}
	x := m.b.prints.at(e.Site, use)
	for g, list := range m.opaques { // the order does not matter
		if slices.ContainsFunc(list, func(c opaqueCalls) bool {
			return (g != s.g || c.first < s.fork && reads(e.Kind)) && m.b.prints.meet(c.touch, x)
		}) {
			return true
		}
	}
	return false
}

func (s *surroundings) Goroutine() trace.GoID {
	s.gos++
	return s.gos
}

func (s *surroundings) Until() int64 { return s.m.recs[s.m.onPath-1].index + 1 }

// produceWays makes the events of the alternatives. Each begins with the number after the window's last event.
func (m *maker) produceWays() {
	n := len(m.w.Events)
	edges := len(m.w.Edges)
	for k := range m.list {
		if w := m.produceWay(&m.list[k]); w != nil {
			w.Events = slices.Clone(m.w.Events[n:])
			m.made = append(m.made, *w)
		}
		m.w.Events, m.w.Edges = m.w.Events[:n], m.w.Edges[:edges]
	}
}

// produceWay is nil if the goroutine does not get to the fork in this window, or the alternative has no event.
func (m *maker) produceWay(w *way) *Way {
	fork := &m.recs[w.fork]
	t := m.threads[fork.e.G]
	if t == nil || t.id < 0 || t.dead && t.cutAt < w.fork {
		return nil
	}
	m.base = w.first
	m.asked = nil
	before, leaves := int32(-1), int32(len(m.w.Events))
	for _, n := range t.events {
		if m.w.Events[n].Index >= fork.index {
			leaves = n
			break
		}
		before = n
	}
	n := len(m.w.Events)
	threads := map[trace.GoID]*thread{t.g: {g: t.g, id: t.id, last: -1, opaque: -1}}
	ended := map[trace.GoID]bool{}
	for k := range w.alt.Steps {
		i := w.first + k
		r := &m.recs[i]
		g := r.e.G
		if ended[g] {
			continue
		}
		if threads[g] == nil { // its Go is not there
			continue
		}
		first := len(m.w.Events)
		if !m.step(i, r, threads[g], threads) || w.alt.Steps[k].Last {
			ended[g] = true
			for n := range m.w.Events[first:] {
				m.w.Events[first+n].Last = true // (M8)
			}
		}
	}
	if len(m.w.Events) == n {
		return nil
	}
	holds, _ := m.conditions(w.alt.Chosen)
	return &Way{
		G: t.g, Thread: t.id, Fork: w.from.Site(), Where: w.from.Where, Base: w.from.Base(), At: fork.index,
		Chosen: w.alt.Chosen, Holds: holds, Steps: w.alt.Steps, Assumes: w.alt.Assumes, Origin: w.from, Before: before, Leaves: leaves,
	}
}

// step makes the events of one step. It returns false if its goroutine cannot go on: what the step does, or needs, is not known.
func (m *maker) step(i int, r *record, t *thread, threads map[trace.GoID]*thread) bool {
	deps := m.resolve(r.needs)
	guards, ok := m.conditions(r.guards)
	if !ok {
		return false
	}
	ev := Event{Kind: r.e.Kind, Flags: r.e.Flags &^ format.FlagMore, Obj: -1, Val: r.e.Val, Aux: r.e.Aux, Deps: deps, Guards: guards}
	switch {
	case r.mem >= 0:
		return m.stepAccess(i, r, t, ev)
	case r.e.Kind == Pin:
		if len(deps)+len(guards) > 0 {
			m.add(t, i, ev)
		}
		return true
	case r.e.Kind == format.Go:
		u := &thread{g: trace.GoID(r.e.Obj), id: -1, last: -1, opaque: -1}
		threads[u.g] = u
		n := m.add(t, i, ev)
		u.id = Thread(len(m.order))
		m.order = append(m.order, u)
		m.w.Threads = append(m.w.Threads, u.g)
		m.w.Events[n].Obj = Obj(u.id)
		return true
	case r.obj >= 0:
		o := &m.objs[r.obj]
		if o.opaque || o.noValue || o.poisoned {
			return false
		}
		ev.Obj = m.idOf(o)
		n := m.add(t, i, ev)
		return m.stepChannel(i, n, r)
	}
	return false
}

// stepChannel gives a send its value, and a receive what it may be.
func (m *maker) stepChannel(i int, n int32, r *record) bool {
	ev := &m.w.Events[n]
	switch {
	case ev.Kind == format.ChanSend:
		return m.stepValue(r, n, 0, 0xff, &ev.Val)
	case ev.Kind == format.ChanRecv && ev.Flags&format.FlagClosed == 0:
		m.source(i, 0xff, n)
	}
	return true
}

// source says that the bytes of mask of record i are what event n sees.
func (m *maker) source(i int, mask uint8, n int32) {
	for len(m.src) < len(m.recs) {
		m.src = append(m.src, nil)
	}
	if len(m.contents) > i && m.contents[i] != nil && int64(n) <= m.contents[i].pieces[0].is.Number() {
		m.contents[i], m.src[i] = nil, nil
	}
	m.src[i] = append(m.src[i], n)
	m.learnEvent(i, mask, n, m.w.Events[n].Val)
}

// stepAccess makes the events of an access of an alternative: one for each atom.
func (m *maker) stepAccess(i int, r *record, t *thread, ev Event) bool {
	e := &r.e
	w := &m.words[r.mem]
	mask := byteMask(uint64(e.Obj), e.Size)
	for k := range w.atoms {
		a := &w.atoms[k]
		if a.mask&mask == 0 {
			continue
		}
		m.settle(w, a)
		if a.obj < 0 {
			a.obj = m.newObj(ObjState{Val: a.initial, Unknown: a.unknown})
		}
		shift := 8 * (uint64(e.Obj) & 7)
		ev.Obj = a.obj
		ev.Val, ev.Aux = a.cur, 0
		if e.Kind == format.Write || e.Kind == format.AtomicWrite {
			ev.Val = m.object64(a, extract(e.Val<<shift, a.mask))
		}
		n := m.add(t, i, ev)
		ev.Deps, ev.Guards = nil, nil
		if w.noValue || w.unsure || !m.untouched(e.Site, m.b.carry.outside.tick) || a.opaque || a.poisoned || a.barrier >= 0 { // it can race, but what it sees or does is not known
			return false
		}
		if reads(e.Kind) {
			m.source(i, a.mask, n)
		}
		switch {
		case e.Kind == format.AtomicRMW && !m.stepValue(r, n, shift, a.mask, &m.w.Events[n].Aux):
			return false
		case (e.Kind == format.Write || e.Kind == format.AtomicWrite) && !m.stepValue(r, n, shift, a.mask, &m.w.Events[n].Val):
			return false
		}
	}
	return true
}

// stepValue gives a write or send of an alternative its value: that of its term where its reads see what their events have.
func (m *maker) stepValue(r *record, n int32, shift uint64, mask uint8, val *uint64) bool {
	if r.value == nil {
		return true
	}
	x := m.term(r.value)
	if x == nil {
		word, ok := r.value.Recorded()
		if !ok || len(m.resolve(numbers(r.value))) > 0 {
			return false
		}
		x = expr.Word(word)
	}
	e := &m.w.Events[n]
	t := NewTerm(atomOf(x, shift, mask))
	v, ok := m.stores(t)
	switch {
	case t.Expr.IsConst():
		*val, _ = t.Expr.Recorded()
		if ok && e.Kind == format.AtomicRMW {
			e.Value = t
		}
		return true
	case !ok:
		return false
	}
	*val = v
	e.Value, e.ValDeps = t, slices.DeleteFunc(slices.Clone(t.reads), func(x int32) bool { return x == n })
	return true
}

// conditions are the guards of a step. ok is false if one of them cannot be made, or never holds.
func (m *maker) conditions(list []FlowGuard) (guards []Guard, ok bool) {
	for _, g := range list {
		e := m.term(g.Term)
		if e != nil && !e.IsConst() {
			guards = append(guards, Guard{NewTerm(e), g.Want})
			continue
		}
		if e == nil {
			if e = g.Term; len(m.resolve(numbers(e))) > 0 {
				return nil, false
			}
		}
		if v, ok := e.Recorded(); !ok || v != g.Want {
			return nil, false
		}
	}
	return guards, true
}
