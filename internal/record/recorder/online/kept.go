package online

// Locks that a goroutine keeps to itself. If nobody else has acquired a lock since t released it,
// it has nothing to tell t, and its clocks are those that t gave it: so taking it again changes its
// counts alone, and releasing it one number. Neither needs the lock's place in the table: who holds
// the lock is the only one to use them, unless somebody else releases it, and then this is for no
// lock of that kind any more.
//
// Nothing is changed here that has to be given back, since where locks are copied or written over,
// two may hold one and the same.

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

// relocks takes the lock at addr, which t holds by now, if t was the last to release it, sent
// nothing but releases of locks since, and nobody else has acquired it (TR6). It returns the lock,
// nil if it is not so. What somebody has released who had not taken it (o.w) is for t to acquire.
//
// The access of the lock is dropped as well where t has its context back, and made it in that: only
// somebody who races with it, or t with a stronger one, can have put another in its place. Else
// accesses says that it is to be made: t may have released another lock meanwhile, and who acquired
// that knows of the one and not of the other.
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
