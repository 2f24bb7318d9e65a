package online

// The filter of package tree in the cells (ON5). The context of a goroutine is a run of its epochs
// of which each other goroutine knows all or none. An access is dropped if the one in the cell is
// of the same context, instead of the same epoch. Without the filter a context is one epoch.

// ftFilter: contexts are given back (TR6).
var ftFilter bool

// ftReleased is a release of a lock.
type ftReleased struct {
	lock   uint64
	before uint64 // the context around it
	others uint32 // how often it was acquired until then
	back   bool   // it was taken again, and by no other goroutine before
}

// ftReleases are the last few of a goroutine, the oldest first, between which it sent nothing.
type ftReleases struct {
	list [16]ftReleased // a ring
	low  uint32
	n    uint32
	done uint32 // the oldest, that are back
	last uint64 // the context behind them; if it is not t's, something else was sent
}

func (s *ftReleases) at(i uint32) *ftReleased { return &s.list[(s.low+i)%uint32(len(s.list))] }

func (s *ftReleases) push(r ftReleased) {
	if s.n == uint32(len(s.list)) {
		s.low++
		s.done = max(s.done, 1) - 1
	} else {
		s.n++
	}
	*s.at(s.n - 1) = r
}

// find returns the place of the release of a lock that is not back, if it is the newest or one of
// the oldest few: locks are taken in the order in which they are released, or in the other.
func (s *ftReleases) find(lock uint64) (place uint32, ok bool) {
	for i, k := s.n-1, s.done; ; i, k = k, k+1 {
		if r := s.at(i); r.lock == lock && !r.back {
			return i, true
		}
		if k >= s.n || k > s.done+3 {
			return 0, false
		}
	}
}

// forget takes the n oldest away.
func (s *ftReleases) forget(n uint32) {
	s.low, s.n, s.done = s.low+n, s.n-n, 0
}

// same reports whether w is of t's context. It is the one question of the rules of the same epoch:
// assembly asks it too.
//
//go:nosplit
func (t *ftThread) same(w uint64) bool { return w-t.base < t.width }

// begin makes the present epoch the first of a context.
//
//go:nosplit
func (t *ftThread) begin() { t.base, t.width = t.epoch, 1<<ftEpochShift }

// A lock that gave no context back the last ftLost times is passed on by its goroutines: of its
// releases one in ftLost is noted from there on, until one of them gives a context back. What is
// not noted costs speed, and no race: the context stays away, as after any other message.
const ftLost = 16

// lost reports whether o is such a lock.
func (o *ftObject) lost() bool { return o.passed >= ftLost }

// unlocked notes the release of a lock, which t held in the context before.
func (o *ftObject) unlocked(t *ftThread, before uint64) {
	if !ftFilter || ftSlotOf(before) != t.slot {
		return
	}
	if o.given {
		// A release by a goroutine that has not taken the lock may come before taken counts the
		// other one's Lock, so the count proves nothing.
		return
	}
	if o.passed++; o.lost() && o.passed%ftLost != 0 {
		return
	}
	s := &t.releases
	if s.last != before {
		s.n, s.done = 0, 0
	}
	s.push(ftReleased{lock: o.key, before: before, others: o.taken})
	s.last = t.base
}

// locked is (TR6). If no other goroutine has acquired the lock that t released as its last message,
// none can know of t's events before the release and not of those after it, so t gets its context
// back. Of several locks, the context around the first of them is back when all are. A read lock
// gives no context back: another goroutine may release it, and a writer that acquires that release
// knows of t's first release and not of t's later events.
func (o *ftObject) locked(t *ftThread) {
	if !ftFilter {
		return
	}
	*t.kept.place(o.key) = o
	if t.slot == 0 {
		t.arrive()
	}
	o.by = t.slot
	t.stats.locks++
	s := &t.releases
	if s.n == 0 || s.last != t.base || t.all != ftLoad32(&ftAll) {
		return
	}
	place, ok := s.find(o.key)
	if !ok {
		return
	}
	if s.at(place).others != o.taken { // another goroutine knows: no earlier context comes back
		s.forget(place + 1)
		return
	}
	o.back(t, place)
}

// back notes that the lock of a release was taken again, and gives t the context around those that
// are all back.
func (o *ftObject) back(t *ftThread, place uint32) {
	s := &t.releases
	o.passed = 0
	for s.at(place).back = true; s.done < s.n && s.at(s.done).back; s.done++ {
	}
	if !s.at(s.n - 1).back {
		return
	}
	for s.n > 0 && s.at(s.n-1).back {
		s.n--
		t.base = s.at(s.n).before
		t.stats.returned++
	}
	s.done = min(s.done, s.n)
	s.last = t.base
	if t.width = t.epoch - t.base + 1<<ftEpochShift; t.all != ftLoad32(&ftAll) { // meanwhile
		t.begin()
	}
}

// cut reduces t's context to the present epoch, after an Acquire of everything: the acquiring
// goroutine knows of that epoch, but its later accesses need not be ordered with t's earlier
// epochs. Other goroutines call it, so it only sets width to 0, and no access of t is dropped
// until t begins a new context (uncut).
func (t *ftThread) cut() {
	if ftLoad64(&t.width) > 1<<ftEpochShift {
		ftStore64(&t.width, 0)
	}
}

//go:nosplit
func (t *ftThread) uncut() {
	if t.width == 0 {
		t.begin()
	}
}

// again reports whether t has made an atomic access of this kind at addr, where lock o is, in its
// context, which stands for another. Within one context a lock is taken twice only if it gave the
// context back.
func (o *ftObject) again(t *ftThread, addr uintptr, kind uint8) bool {
	if !ftFilter || t.slot == 0 || o.lost() {
		return false
	}
	c := ftCellAt(addr &^ 7)
	if c == nil {
		return false
	}
	if addr&7 != 0 {
		p := ftGroupsOf(addr).of(ftLocOf(addr))
		if p == 0 || p == ftOwnCell {
			return false
		}
		c = ftGroupCell(addr&^7, p)
	}
	if d := ftHistoryOf(ftLoad64(&c.r)); d == nil || !d.find(t, kind) {
		return false
	}
	t.stats.locksAgain++
	return true
}

// find is has, for atomic accesses.
func (c *ftHistory) find(t *ftThread, kind uint8) bool {
	for i := uint32(0); i < 8 && i < c.n; i++ {
		if w := c.list[i]; t.same(w) && uint8(w>>ftKindShift&3) == kind {
			return true
		}
	}
	return false
}
