package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Surroundings of a fork: the recorded state of the program there, without anything that outside
// code may have changed.

// surroundings implements [Surroundings] for a fork.
type surroundings struct {
	m      *layout
	g      trace.GoID
	fork   int        // record
	site   trace.Site // of the fork
	came   int        // the last record of the goroutine before the fork, -1: none in the window
	number int        // of the fork
	gos    trace.GoID
	off    *offPath
	valued map[computedWord][]uint64 // results of values
	cut    bool                      // values were left out, because they are many
	long   bool                      // alternatives may be long,
	longs  int                       // and so many are

	eval expr.Evaluator

	// Words (address / 8) that were said not to be Foreign, and those whose values were asked for.
	// Whatever goes together with an alternative must not write the former.
	alone, looked map[uint64]bool
	open          map[uint64]bool // channels that were said not to be closed
}

func (s *surroundings) Number() uint64 { return uint64(s.number) }

func (s *surroundings) Long() bool {
	if s.longs >= maxLongOf || !s.long {
		return false
	}
	s.longs++
	return true
}

func (s *surroundings) At(read int64) (addr uint64, size uint8, ok bool) {
	i := s.m.b.recordOf(read)
	if i < 0 || s.m.recs[i].mem < 0 || s.m.recs[i].Event.Size > 8 {
		return 0, 0, false
	}
	e := &s.m.recs[i].Event
	return uint64(e.Obj), uint8(e.Size), true
}

func (s *surroundings) Foreign(addr uint64, size int64) bool {
	if s.m.b.pkgs.own(addr) {
		if s.foreignOwn(addr, size) {
			return true
		}
	} else if s.m.b.foreign(s.g, addr, size) {
		return true
	}
	first, last := addr>>3, (addr+uint64(max(size, 1))-1)>>3
	for w := first; w <= last; w++ {
		if s.off.others(w, s.g) {
			return true
		}
	}
	for w := first; w <= last; w++ {
		s.alone[w] = true
	}
	return false
}

func (s *surroundings) Used(addr uint64, size int64) bool {
	if s.m.b.pkgs.own(addr) {
		return s.foreignOwn(addr, size)
	}
	return s.m.b.foreign(s.g, addr, size)
}

// foreignOwn is foreign for a variable that only instrumented code accesses, and its initialiser.
// Outside code may access others of the same word: the linker puts small variables of all packages
// next to each other.
func (s *surroundings) foreignOwn(addr uint64, size int64) bool {
	for w := addr &^ 7; w < addr+uint64(size); w += 8 {
		lo, hi := max(w, addr), min(w+8, addr+uint64(size))
		mask := built.ByteMask(lo, uint16(hi-lo))
		if slices.ContainsFunc(s.m.at(w), func(i int32) bool {
			r := &s.m.recs[i]
			return r.Event.G != s.g && built.ByteMask(uint64(r.Event.Obj), r.Event.Size)&mask != 0
		}) {
			return true
		}
	}
	return false
}

func (s *surroundings) Values(addr uint64, size int64) []uint64 { return s.values(addr, size, 0) }

const (
	// maxComputed bounds the writes through which values is computed, one from the other.
	maxComputed = 3
	// maxComputedAt bounds those at one source line.
	maxComputedAt = 4
)

// computedWord is a word of memory at the end of a chain of computed writes.
type computedWord struct {
	addr  uint64
	size  int64
	depth int
}

// values is Values at the end of a chain of computed writes.
func (s *surroundings) values(addr uint64, size int64, depth int) []uint64 {
	k := computedWord{addr, size, depth}
	list, ok := s.valued[k]
	if !ok {
		list = s.find(addr, size, depth)
		if s.valued == nil {
			s.valued = map[computedWord][]uint64{}
		}
		s.valued[k] = slices.Clip(list)
	}
	return list
}

// find finds values.
func (s *surroundings) find(addr uint64, size int64, depth int) []uint64 {
	var list []uint64
	var bad []uint64
	first, known := s.initial(addr, size)
	add := func(v uint64, at int) {
		if known && v == first && at >= 0 && at < s.m.onPath && !s.m.recs[at].Event.Kind.IsWrite() {
			at = -1 // the read shows what is there at the start
		}
		switch {
		case slices.Contains(bad, v):
		case at < 0 && !s.sameObject(v, at):
			// package initialisation may have left it, after the memory was allocated
		case !s.sameObject(v, at):
			bad = append(bad, v)
			list = slices.DeleteFunc(list, func(x uint64) bool { return x == v })
		case slices.Contains(list, v):
		case depth == 0 && len(list) == maxCells || depth > 0 && len(list) == maxInner:
			s.cut = true
		default:
			list = append(list, v)
		}
	}
	here := slices.DeleteFunc(slices.Clone(s.m.at(addr)), func(i int32) bool {
		e := &s.m.recs[i].Event
		return uint64(e.Obj) != addr || int64(e.Size) != size || e.Flags&format.FlagNoValue != 0
	})
	for k := len(here) - 1; k >= 0; k-- { // what is there at the fork
		if e := &s.m.recs[here[k]].Event; int(here[k]) < s.fork && e.Kind == format.AtomicRMW {
			add(e.Aux, int(here[k]))
			break
		} else if int(here[k]) < s.fork {
			add(e.Val, int(here[k]))
			break
		}
	}
	if known {
		add(first, -1)
	}
	for _, i := range here {
		e := &s.m.recs[i].Event
		add(e.Val, int(i))
		if e.Kind == format.AtomicRMW {
			add(e.Aux, int(i))
		}
	}
	s.looked[addr>>3] = true
	s.off.values(s.g, addr, size, func(v uint64) { add(v, s.m.onPath) })
	alike := map[trace.Site]int{}
	for _, i := range here {
		v, site := s.m.recs[i].Value, s.m.recs[i].Event.Site
		if v == nil || v.IsConst() {
			continue
		}
		if alike[site]++; depth == maxComputed || alike[site] > maxComputedAt {
			s.cut = true
			continue
		}
		s.computed(v, depth, func(w uint64) { add(w, int(i)) })
	}
	return list
}

// computed calls f for the words that a written value may be, as a function of the words that the
// reads of its goroutine may return.
func (s *surroundings) computed(v *expr.Expr, depth int, f func(word uint64)) {
	var may [][]uint64
	total := 1
	for _, r := range v.Reads() {
		addr, size, ok := s.At(r.Number())
		if !ok {
			return
		}
		list := s.values(addr, int64(size), depth+1)
		may = append(may, list)
		if total *= len(list); total > maxInner*maxInner {
			s.cut = true
			return
		}
		if total == 0 {
			return
		}
	}
	in := make(map[int64]uint64, len(may))
	for n := range total {
		for k, r := range v.Reads() {
			in[r.Number()], n = may[k][n%len(may[k])], n/len(may[k])
		}
		if w, ok := s.eval.Eval(v, func(n int64) (uint64, bool) { return in[n], true }); ok {
			f(w)
		}
	}
}

// Sent implements [flow.Surroundings].
func (s *surroundings) Sent(ch uint64) (list []uint64) {
	if s.m.sends == nil {
		s.m.sends = make(map[trace.Addr][]int32)
		for i := range s.m.recs[:s.m.onPath] {
			if e := &s.m.recs[i].Event; e.Kind == format.ChanSend && e.Flags&format.FlagNoValue == 0 {
				s.m.sends[e.Obj] = append(s.m.sends[e.Obj], int32(i))
			}
		}
	}
	for _, i := range s.m.sends[trace.Addr(ch)] {
		switch v := s.m.recs[i].Event.Val; {
		case slices.Contains(list, v) || !s.sameObject(v, int(i)):
		case len(list) == maxCells:
			s.cut = true
		default:
			list = append(list, v)
		}
	}
	return list
}

func (s *surroundings) Together(places []flow.Word) (list [][]uint64) {
	now, known, since := make([]uint64, len(places)), make([]bool, len(places)), make([]int, len(places))
	var writes []int32
	for k, p := range places {
		now[k], known[k], since[k] = p.Fixed, p.Size == 0, -1
		if p.Size == 0 {
			continue
		}
		for _, i := range s.m.at(p.Addr) {
			e := &s.m.recs[i].Event
			if uint64(e.Obj) == p.Addr && int64(e.Size) == p.Size && e.Kind.IsWrite() && !slices.Contains(writes, i) {
				writes = append(writes, i)
			}
		}
		now[k], known[k] = s.initial(p.Addr, p.Size)
	}
	slices.Sort(writes)
	add := func() {
		for k := range places {
			if !known[k] || places[k].Size > 0 && !s.sameObject(now[k], since[k]) {
				return
			}
		}
		if len(list) < 2*maxCells && !slices.ContainsFunc(list, func(x []uint64) bool { return slices.Equal(x, now) }) {
			list = append(list, slices.Clone(now))
		}
	}
	add()
	last := 0
	for _, i := range writes {
		e := &s.m.recs[i].Event
		for k, p := range places {
			if p.Size == 0 || uint64(e.Obj) != p.Addr || int64(e.Size) != p.Size {
				continue
			}
			since[k] = int(i)
			if now[k], known[k] = e.Val, e.Flags&format.FlagNoValue == 0; e.Kind == format.AtomicRMW {
				now[k] = e.Aux
			}
		}
		if e.Flags&format.FlagMore == 0 {
			add()
		}
		if int(i) < s.fork {
			last = len(list) - 1
		}
	}
	if last > 0 { // what is there at the fork comes first
		list[0], list[last] = list[last], list[0]
	}
	return list
}

// initial is the content of addr when the window begins. It does not change before a recorded
// access of the window.
func (s *surroundings) initial(addr uint64, size int64) (uint64, bool) {
	v, _, known := s.start(addr, size)
	return v, known
}

// start returns initial, and the record from which on it holds; -1: from before the window. It is
// known only if outside code of the goroutine cannot have written there since.
func (s *surroundings) start(addr uint64, size int64) (v uint64, since int32, known bool) {
	mask := built.ByteMask(addr, uint16(size))
	if format.BeginsEmpty(trace.Addr(addr)) {
		v, _, _ = s.m.b.carry.mem.value(addr, mask)
		return v, -1, true
	}
	if s.unseen(addr, mask) {
		return 0, 0, false
	}
	if k := s.m.generation(addr, int32(len(s.m.allocs))); k >= 0 {
		return 0, int32(s.m.allocs[k].at), s.m.allocs[k].zero
	}
	v, known, tick := s.m.b.carry.mem.value(addr&^7, mask)
	if known && tick < s.m.b.carry.runs.last[s.g] && !s.m.b.foreign(s.g, addr, size) && !s.m.b.pkgs.own(addr) && !s.untouched(addr, mask) {
		return 0, 0, false
	}
	return v, -1, known
}

// unseen reports whether outside code may have used memory without a record: no inside code has
// accessed it, and outside code has run since outside code allocated it. Outside code makes a
// record of its first access to memory that inside code has written or allocated (FlagFirst), and
// to watched variables. The initialisation of packages counts as outside code.
func (s *surroundings) unseen(addr uint64, mask uint8) bool {
	k := s.m.generation(addr, int32(len(s.m.allocs)))
	fresh := k < 0 && s.m.b.carry.mem.isFresh(addr&^7, mask)
	v := s.m.b.pkgs.variable(addr)
	if fresh && v != nil && !s.initialised() {
		return true
	}
	for _, i := range s.m.at(addr) {
		r := &s.m.recs[i]
		if !r.outside() && bytesIn(&r.Event)&mask == mask && (k < 0 || int(i) > s.m.allocs[k].at) {
			return false
		}
	}
	if k < 0 {
		_, _, since := s.m.b.carry.mem.value(addr&^7, mask)
		return fresh && (v == nil || !v.Own) && !s.m.b.pkgs.watched(addr) && (s.m.near > 0 || since < s.m.b.carry.runs.near)
	}
	return !s.m.allocs[k].first && int(s.m.near) > s.m.allocs[k].at
}

// quietSince reports whether no outside code of the goroutine has run between a record and the
// fork.
func (s *surroundings) quietSince(i int32) bool {
	list := s.m.ran[s.g]
	k, _ := slices.BinarySearch(list, int32(s.fork))
	return k == 0 || list[k-1] <= i
}

func (s *surroundings) Content(read *trace.Event) (bits uint64, term *expr.Expr, ok bool) {
	if s.Opaque(read) {
		return 0, nil, false
	}
	addr, size := uint64(read.Obj), int64(read.Size)
	bits, last, ok := s.start(addr, size) // last: the record that shows it
	mask := built.ByteMask(addr, uint16(size))
	own := s.m.b.pkgs.own(addr)
	vague := false // something was written that is not known
	for _, i := range s.m.at(addr) {
		if int(i) >= s.fork {
			break
		}
		r := &s.m.recs[i]
		e := &r.Event
		switch {
		case bytesIn(e)&mask == 0, own && r.outside(): // of a neighbour
			continue
		case uint64(e.Obj) != addr || int64(e.Size) != size || e.Flags&format.FlagNoValue != 0:
			ok, term, vague = false, nil, vague || e.Kind.IsWrite()
		case e.Kind == format.Write && (len(r.From) == 0 || r.Value != nil):
			bits, term, ok, vague = e.Val, r.Value, true, false
		case e.Kind.IsWrite():
			ok, term, vague = false, nil, true
		case !ok && !vague: // a read shows what is there
			bits, ok = e.Val, true
		case ok && e.Val != bits: // something was written without a record
			bits, term = e.Val, nil
		}
		last = i
	}
	if !own && !s.quietSince(last) && (last >= 0 || !s.untouched(addr, mask)) {
		return 0, nil, false
	}
	return bits, term, ok
}

func (s *surroundings) Object(e *trace.Event) bool {
	c, ok := classOf(e.Kind)
	if !ok || c == hiddenClass {
		return false
	}
	if i, ok := s.m.objAt[objKey{c, e.Obj}]; ok {
		return s.m.objs[i].modelled(e)
	}
	return true
}

func (s *surroundings) Capacity(ch uint64) (n uint64, ok bool) {
	k := objKey{chanClass, trace.Addr(ch)}
	if i, ok := s.m.objAt[k]; ok && s.m.objs[i].init.known {
		return s.m.objs[i].init.cap, true
	} else if !s.Settled(ch) { // what is known from before is of another channel
		return 0, false
	} else if o := s.m.b.carry.objects[k]; !ok && o != nil && o.known {
		return o.cap, true
	}
	return s.m.b.pkgs.capacity(k.addr)
}

func (s *surroundings) Closes(ch uint64) bool {
	k := objKey{chanClass, trace.Addr(ch)}
	if o := s.m.b.carry.objects[k]; o != nil && o.closed {
		return true
	}
	if s.m.closes == nil {
		s.m.closes = make(map[trace.Addr]bool)
		for i := range s.m.recs[:s.m.onPath] {
			e := &s.m.recs[i].Event
			if e.Kind == format.ChanClose || e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0 {
				s.m.closes[e.Obj] = true
			}
		}
	}
	if s.m.closes[k.addr] || s.off.othersClose(ch, s.g) {
		return true
	}
	s.open[ch] = true
	return false
}

func (s *surroundings) Opaque(e *trace.Event) bool {
	mask := bytesIn(e)
	if s.unseen(uint64(e.Obj), mask) {
		return true
	}
	if s.m.b.pkgs.own(uint64(e.Obj)) { // records of outside code are of its neighbours
		return false
	}
	return slices.ContainsFunc(s.m.outsideAt(uint64(e.Obj)), func(i int32) bool {
		r := &s.m.recs[i]
		return bytesIn(&r.Event)&mask != 0 && (r.Event.G != s.g || int(i) < s.fork && reads(e.Kind))
	})
}

func (s *surroundings) Goroutine() trace.GoID {
	s.gos++
	return firstOffPath + trace.GoID(s.number)<<gosBits + s.gos
}

// Goroutines that alternatives start have numbers from firstOffPath on, 1<<gosBits for each fork.
const (
	firstOffPath trace.GoID = 1 << 30
	gosBits                 = 16
)

func (s *surroundings) From() int64 { return s.m.recs[0].Index }

func (s *surroundings) Until() int64 { return s.m.recs[s.m.onPath-1].Index + 1 }
