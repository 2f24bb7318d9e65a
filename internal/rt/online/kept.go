package online

// Locks that a goroutine keeps to itself. Where the filter gives a context back, the lock has nothing to tell t, and its clocks are those that t gave it: so taking it again changes its
// counts alone, and releasing it one number. Neither needs the lock's place in the table: who holds the lock is the only one to use them, unless somebody else releases it, and then this
// is for no lock of that kind any more.
//
// Nothing is changed here that has to be given back, since where locks are copied or written over, two may hold one and the same.

// ftKept are the objects of locks that t has taken, by address. One that has the key that is asked for is the lock's own: an object that is forgotten loses its key.
type ftKept [4]*ftObject

func (k *ftKept) place(key uint64) **ftObject { return &k[key>>ftWordShift&3] }

func (g *ftG) keptAt(addr uintptr) *ftObject {
	key := ftKey(ftLockClass, addr)
	if o := *g.kept.place(key); o != nil && o.key == key {
		return o
	}
	return nil
}

// relocks takes the lock at addr, which t holds by now, if that is all of it: it was t's last release, nobody else has acquired it since, and t has a context back (T7). The access of
// the lock is dropped as well: t made it in that context, and only somebody who races with it, or t with a stronger one, can have put another in its place. (In that context: t may have
// released another lock while it had this one.) What somebody has released who had not taken it (o.w) is for t to acquire.
func (g *ftG) relocks(addr uintptr) bool {
	o, s := g.keptAt(addr), &g.releases
	if o == nil || s.n == 0 || s.last != g.base || g.all != ftLoad32(&ftAll) {
		return false
	}
	if r := s.at(s.n - 1); r.lock != o.key || r.others != o.taken || o.w.slot != g.slot || o.seen-r.before >= g.epoch-r.before {
		return false
	}
	g.stats.locks++
	g.stats.locksAgain++
	g.back(o, s.n-1)
	o.taken++
	o.by = g.slot
	return true
}

// reunlocks releases the lock at addr, which t still holds, if it was released by t last and t has been told of nothing since: its clocks have all but t's own component.
func (g *ftG) reunlocks(addr uintptr) bool {
	o := g.keptAt(addr)
	if o == nil || g.slot == 0 || o.by != g.slot || o.w.slot != g.slot || o.w.clock != g.from.clock || g.from.slot != g.slot ||
		o.lost() || g.clock >= ftMaxClock-1 || g.all != ftLoad32(&ftAll) {
		return false
	}
	before := g.base
	o.w.clock, o.by = g.clock, 0
	g.tick()
	g.unlocked(o, before)
	return true
}
