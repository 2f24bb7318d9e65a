package online

// Locks that stay with one goroutine. If no other goroutine has acquired a lock since t released
// it, its clocks are t's own: taking it again changes its counts only, and releasing it one
// component. Neither needs a lookup in the table. Only the holder uses the object meanwhile; after
// a release by another goroutine (given), the lock is handled the general way.
//
// Nothing is changed here that has to be freed: if locks are copied or overwritten, two goroutines
// may hold the same one.

// ftKept are the objects of locks that t has taken, by address. One that has the key that is asked
// for is the lock's own: an object that is forgotten loses its key.
type ftKept [16]*ftObject

func (k *ftKept) place(key uint64) **ftObject { return &k[key>>ftWordShift%uint64(len(k))] }

func (g *ftG) keptAt(addr uintptr) *ftObject {
	key := ftKey(ftLockClass, addr)
	if o := *g.kept.place(key); o != nil && o.key == key {
		return o
	}
	return nil
}

// relocks takes the lock at addr, which t holds by now, if t released it last, has sent no other
// message than releases of locks since, and no other goroutine has acquired it (TR6). Otherwise it
// returns nil. A release by a goroutine that had not taken the lock (o.w) remains to be acquired
// by t.
//
// The access of the lock itself is dropped too if t has made it in the context that it gets back.
// Only a racing access, or a stronger one of t's, can have replaced it. Otherwise accesses is
// true, and the caller makes it: t may have released another lock meanwhile, and a goroutine that
// acquired that one knows of the earlier access and not of this one.
func (g *ftG) relocks(addr uintptr) (o *ftObject, accesses bool) {
	o, s := g.keptAt(addr), &g.releases
	if o == nil || s.n == 0 || s.last != g.base || o.w.slot != g.slot || g.all != ftLoad32(&ftAll) {
		return nil, false
	}
	place, ok := s.find(o.key)
	if !ok || s.at(place).others != o.taken {
		return nil, false
	}
	g.stats.locks++
	g.back(o, place)
	o.taken++
	o.by = g.slot
	if !g.same(o.seen) {
		o.seen = g.epoch
		return o, true
	}
	g.stats.locksAgain++
	return o, false
}

// reunlocks releases the lock at addr, which t still holds, if it was released by t last, and t has
// acquired nothing since: its clocks have all but t's own component.
func (g *ftG) reunlocks(addr uintptr) bool {
	o := g.keptAt(addr)
	if o == nil || g.slot == 0 || o.by != g.slot || o.w.slot != g.slot || !g.untold() || o.w.clock < g.since ||
		o.lost() || g.clock >= ftMaxClock-1 || g.all != ftLoad32(&ftAll) {
		return false
	}
	before := g.base
	o.w.clock, o.by = g.clock, 0
	g.tick()
	g.unlocked(o, before)
	return true
}
