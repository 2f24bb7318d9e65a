package runtime

// -reach=check: each walk is made twice, by sets and anew.

// checked stops the program if a walk finds what the call under way has not.
func (s *PresageG) checked(walk func(r *pgWalk)) {
	r, c := pgNewWalk(), &s.call
	r.whole = true
	walk(r)
	r.run()
	for i := 0; i < r.parts && !c.all; i++ {
		from, n := r.part[i][0], r.part[i][1]
		for p := from; p < from+n; p += 8 {
			if !s.has(p) {
				println("presage: missed", hex(p), "in", hex(from), n)
				throw("presage: D is not whole")
			}
		}
	}
	if r.all && !r.large && !c.all {
		throw("presage: D is not everything")
	}
	r.release()
}

// has reports whether the call under way has a byte.
func (s *PresageG) has(p uintptr) bool {
	c := &s.call
	in := func(x [2]uintptr) bool { return x[0] <= p && p < x[0]+x[1] }
	for i := range c.own {
		if in(c.part[i]) {
			return true
		}
	}
	for i := 0; c.walk != nil && i < c.walk.parts; i++ {
		if in(c.walk.part[i]) {
			return true
		}
	}
	for i := range c.sets {
		e := &presageReach.slots[c.set[i].slot]
		if e.serial != c.set[i].serial || e.number != c.number[i] && c.number[i] != 0 {
			return true // another goroutine's doing: not known
		}
		for _, x := range e.part.pairs() {
			if in(x) {
				return true
			}
		}
	}
	return false
}
