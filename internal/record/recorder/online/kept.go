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

func (k *ftKept) at(addr uintptr) *ftObject {
	key := ftKey(ftLockClass, addr)
	if o := *k.place(key); o != nil && o.key == key {
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
func (t *ftThread) relocks(addr uintptr) (o *ftObject, accesses bool) {
	o, s := t.kept.at(addr), &t.releases
	if o == nil || s.n == 0 || s.last != t.base || o.w.slot != t.slot || t.all != ftLoad32(&ftAll) {
		return nil, false
	}
	place, ok := s.find(o.key)
	if !ok || s.at(place).others != o.taken {
		return nil, false
	}
	t.stats.locks++
	o.back(t, place)
	o.taken++
	o.by = t.slot
	if !t.same(o.seen) {
		o.seen = t.epoch
		return o, true
	}
	t.stats.locksAgain++
	return o, false
}

// reunlocks releases the lock at addr, which t still holds, if it was released by t last, and t has
// acquired nothing since: its clocks have all but t's own component.
func (t *ftThread) reunlocks(addr uintptr) bool {
	o := t.kept.at(addr)
	if o == nil || t.slot == 0 || o.by != t.slot || o.w.slot != t.slot || !t.untold() || o.w.clock < t.since ||
		o.lost() || t.clock >= ftMaxClock-1 || t.all != ftLoad32(&ftAll) {
		return false
	}
	before := t.base
	o.w.clock, o.by = t.clock, 0
	t.tick()
	o.unlocked(t, before)
	return true
}
