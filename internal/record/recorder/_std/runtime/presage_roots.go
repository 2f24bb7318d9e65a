package runtime

import "internal/runtime/atomic"

// Where the walks of a call begin. Each beginning adds its set to the call (presage_sets.go). If it
// has no set, it adds what a walk finds.

// root adds what a beginning leads to.
func (s *PresageG) root(k pgKey) {
	switch {
	case k.addr == 0 && k.kind != pgVariables || s.call.all:
		return
	case k.kind == pgClosure:
		if kind, _, _, _ := pgRegion(k.addr); kind != pgHeap || pgTraced(pgWord(k.addr)) {
			return
		}
		if pgPulls(pgWord(k.addr)) {
			s.call.all = true
			return
		}
	}
	s.begun(k)
	if presageReach.full {
		s.alone(k, true)
		return
	}
	s.begin(k)
	for c := &s.call; c.due > 0 && !c.all; {
		c.due--
		d := c.queue[c.due]
		e := &presageReach.slots[d.slot]
		if !e.take() {
			s.without(e, d)
			continue
		}
		if e.serial != d.serial { // given up this moment
			c.all = true
			e.drop()
			return
		}
		s.use(e, d)
	}
}

// alone adds what a beginning leads to, without a set of its own.
func (s *PresageG) alone(k pgKey, whole bool) {
	r := s.walking()
	r.whole = whole || presageReach.full
	was := r.deps
	if m := s.call.made; m != nil && m.cycle == pgCycle() {
		r.made = m
	}
	r.from(k)
	r.made = nil
	s.call.all = s.call.all || r.all
	for i := was; i < r.deps; i++ {
		s.depend(r.dep[i])
	}
}

// without adds what a set has that another goroutine has taken.
func (s *PresageG) without(e *pgSet, d pgDep) {
	k := e.key // it is what it was as long as the serial is
	pgFence()
	if atomic.Load(&e.serial) != d.serial {
		s.call.all = true
		return
	}
	s.alone(k, true)
}

// begun notes a beginning, if it is to be noted.
func (s *PresageG) begun(k pgKey) {
	if c := &s.call; c.notes {
		if c.late == nil {
			c.late = pgNewMissing()
		}
		c.late.begins(k)
	}
}

// begin adds the set of a beginning, if it has one.
func (s *PresageG) begin(k pgKey) {
	slot, tag := k.slot()
	if !s.call.looks && !pgSeen(&presageReach.seen[slot], tag) {
		s.alone(k, false)
		return
	}
	e := &presageReach.slots[slot]
	switch {
	case !e.take():
	case e.key.is(&k) && (e.number != 0 || !s.call.looks):
		s.use(e, pgDep{slot, e.serial})
		return
	case s.call.looks: // it asks for what was there without a set
		e.drop()
	default:
		e.gives(k, slot)
		s.use(e, pgDep{slot, e.serial})
		return
	}
	s.alone(k, false)
}

// pgSeen reports whether a beginning was given to a call before, not long ago, and notes that it is
// now.
func pgSeen(at *uint32, tag uint32) bool {
	x := *at
	credit := x & (1<<pgSeenBits - 1)
	switch {
	case x&^(1<<pgSeenBits-1) == tag:
		*at = tag | min(credit+1, pgCredit)
		return true
	case credit > 0:
		*at = x - 1
	default:
		*at = tag
	}
	return false
}

// depend queues a set that another one depends on.
func (s *PresageG) depend(d pgDep) {
	c := &s.call
	for i := range c.due {
		if c.queue[i] == d {
			return
		}
	}
	if c.due < pgQueue {
		c.queue[c.due] = d
		c.due++
	} else {
		c.all = true
	}
}

// use adds a set, which it has taken, with those that it depends on, and drops it.
func (s *PresageG) use(e *pgSet, d pgDep) {
	c := &s.call
	for i := range c.sets {
		if c.set[i] == d {
			e.drop()
			return
		}
	}
	switch {
	case e.skip > 0:
		e.skip--
		c.all = true
	case c.sets == pgCallSets:
		k := e.key
		e.drop()
		s.alone(k, true)
		return
	case !e.holds():
		if r := e.make(s); r != nil { // it makes no set
			e.drop()
			s.adopt(r)
			return
		}
		fallthrough
	default:
		c.set[c.sets], c.number[c.sets] = d, e.number
		if e.part.n == 0 {
			c.number[c.sets] = 0
		}
		c.sets++
		for _, d := range e.dep.deps() {
			s.depend(d)
		}
	}
	e.drop()
}

// adopt makes a walk one of the call's own.
func (s *PresageG) adopt(r *pgWalk) {
	c := &s.call
	for i := range r.deps {
		s.depend(r.dep[i])
	}
	if c.all = c.all || r.all; c.walk == nil {
		c.walk = r
		return
	}
	for i := 0; i < r.parts; i++ {
		c.walk.note(r.part[i][0], r.part[i][1])
	}
	c.all = c.all || c.walk.all
	r.release()
}
