package replay

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// step is the second pass.
func (k *walker) step(i int64, e *trace.Event) {
	s := k.state(e.G)
	s.seq++
	text := e.IsText() && s.reads == e.Site // of the string that has just been loaded
	if s.reads = 0; e.Kind == format.Read {
		s.reads = e.Site
	}
	if b := k.bracket(s, i, e); b != nil {
		k.ends(s, b, i, e)
		return
	}
	if e.Outside() {
		k.outside(s, i, e)
		return
	}
	if syncs(e.Kind) {
		defer s.begins()
	}
	if hidden(e) || classOf(e.Kind) == noClass && e.Kind != format.OnceEnd {
		return
	}
	if e.Kind.IsAccess() && k.shared(e) {
		k.touches[e.Site] = true
	}
	if s.begun != 0 && s.begun != e.Site {
		s.begun = 0
	}
	s.more = s.more || text
	switch cl := k.classes[e.Site]; {
	case e.Kind == format.OnceEnd || cl == condClass && e.Kind == format.Lock:
		k.mark(s, i, e)
	case cl == classOf(e.Kind):
		k.primary(s, i, e)
	case e.Kind.IsAccess() && cl != wgAddClass:
		k.ahead(s, i, e)
	}
	s.more = e.Kind.IsAccess() && e.Flags&format.FlagMore != 0
}

// primary is an event that an execution of its instruction has once, or the further words of an
// access.
func (k *walker) primary(s *goState, i int64, e *trace.Event) {
	if !s.more || !e.Kind.IsAccess() {
		if s.begun == e.Site {
			s.begun = 0 // its step is there
		} else {
			s.skip, s.nth, s.at = s.since[e.Site], s.total[e.Site], -1
			s.since[e.Site]++
			s.total[e.Site]++
			s.gate = passage{i: i, site: e.Site, kind: e.Kind, skip: s.skip, nth: s.nth, flags: flagsOf(e, k.classes[e.Site]), steps: len(k.steps)}
		}
	}
	k.include(s, i, e)
}

// ahead is an access that comes before the event by which executions are counted.
func (k *walker) ahead(s *goState, i int64, e *trace.Event) {
	if s.begun == 0 && (k.wanted(i, e) || s.seq > s.last) {
		s.skip, s.nth, s.at = s.since[e.Site], s.total[e.Site], -1
		s.begun = e.Site
		s.total[e.Site]++
	}
	if s.begun == e.Site {
		k.include(s, i, e)
	}
}

// wanted reports whether an event of the witness makes a step.
func (k *walker) wanted(i int64, e *trace.Event) bool {
	if e.Kind == format.OpaqueBegin {
		return k.relevant(k.brackets[i]) || k.brackets[i].pair >= 0
	}
	if _, ok := k.at(i); !ok {
		return false
	}
	switch {
	case i == k.pair[0] || i == k.pair[1]:
		return true
	case e.Kind.IsAccess() && !e.Kind.IsAtomic():
		return k.shared(e)
	}
	return true
}

// shared reports whether several goroutines access a word of memory and one writes it.
func (k *walker) shared(e *trace.Event) bool {
	w := k.words[e.Obj&^7]
	return w != nil && w.several && w.write
}

// stop makes a step of the first execution after the last one of a goroutine that could disturb the
// witness (RP1).
func (k *walker) stop(s *goState, i int64, e *trace.Event) {
	if s.stops || s.at >= 0 || s.seq <= s.last || s.pair {
		return
	}
	if e.Kind == format.Read || e.Kind == format.Write {
		if !k.shared(e) {
			return
		}
	} else if o := k.objects[e.Obj]; o == nil || !o.several {
		return
	}
	s.stops = true
	k.stops = append(k.stops, step{gate: int(e.G), site: e.Site, flags: stops, skip: s.skip, pair: -1, index: i, kind: e.Kind, obj: e.Obj})
}

// include makes a step of the execution under way, unless it has one.
func (k *walker) include(s *goState, i int64, e *trace.Event) {
	if !k.wanted(i, e) {
		k.stop(s, i, e)
		return
	}
	if s.at >= 0 {
		st := &k.steps[s.at]
		switch {
		case i == k.pair[0] || i == k.pair[1]:
			st.key, _ = k.at(i)
			st.index, st.kind, st.eflag, st.obj, st.val = i, e.Kind, e.Flags, e.Obj, e.Val
		case st.kind.IsAccess() && !e.Kind.IsAccess() && st.index != k.pair[0] && st.index != k.pair[1]:
			// the operation that the access belongs to
			// what it has to wait for stands before the operation, perhaps behind the access
			st.key, _ = k.at(i)
			st.index, st.kind, st.eflag, st.obj, st.aux, st.flags = i, e.Kind, e.Flags, e.Obj, e.Aux, flagsOf(e, k.classes[e.Site])
		}
		return
	}
	key, _ := k.at(i)
	if b := k.brackets[i]; b != nil {
		if i >= k.w.From {
			key = b.from - 0.5
			if x, in := k.at(k.pair[0]); in { // a call does not begin between the two accesses
				y, _ := k.at(k.pair[1])
				key = min(key, min(x, y)-0.5)
			}
		}
		if b.pair >= 0 {
			key, _ = k.at(b.pair)
			i = b.pair
		}
	}
	k.add(s, i, e, key, s.skip, flagsOf(e, k.classes[e.Site]))
}

// flagsOf are the flags of a step that an event makes at a site of a class.
func flagsOf(e *trace.Event, c class) uint8 {
	switch {
	case e.Kind == format.OpaqueBegin, e.Kind == format.OnceBegin:
		return early
	case e.Kind == format.CondWait, e.Kind == format.ChanSend && e.Aux == 0:
		return parks
	case e.Kind.IsAccess() && (c == chanClass || c == wgWaitClass):
		// of the channel itself, before a send; of the semaphore, before a Wait that waits
		return parks
	}
	return 0
}

func (k *walker) add(s *goState, i int64, e *trace.Event, key float64, skip uint64, flags uint8) {
	s.at = len(k.steps)
	clear(s.since)
	k.steps = append(k.steps, step{gate: int(e.G), site: e.Site, flags: flags, skip: skip, nth: s.nth, pair: -1,
		index: i, key: key, kind: e.Kind, eflag: e.Flags, obj: e.Obj, val: e.Val, aux: e.Aux})
}

// mark says that an operation that begins with a step is done.
func (k *walker) mark(s *goState, i int64, e *trace.Event) {
	if key, ok := k.at(i); ok {
		k.add(s, i, e, key, 0, mark)
	}
}

// ends says so of a call of code that was not instrumented, if all that it did belongs to the
// witness.
func (k *walker) ends(s *goState, b *bracket, i int64, e *trace.Event) {
	if !k.relevant(b) || !k.whole(b) {
		return
	}
	key := b.to + 0.5
	if i < k.w.From {
		key = float64(i)
	}
	k.add(s, i, e, key, 0, mark)
}
