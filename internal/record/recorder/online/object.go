package online

import "unsafe"

// ftRel is the clock released to an object: vc, and the component of the one goroutine that
// has released to it, apart from it, so that a release needs no memory. slot 0: several have, and
// theirs are in vc.
type ftRel struct {
	_     ftOff
	slot  uint32
	clock uint32
	vc    ftVC
}

// release sets r to C(t) and counts t up.
func (r *ftRel) release(t *ftThread) {
	r.put(t)
	t.tick()
}

// put is release without counting up, which t has to do before it goes on.
func (r *ftRel) put(t *ftThread) {
	t.beforeRelease()
	if r.slot == 0 || r.slot != t.slot || r.clock != t.from.clock || r.slot != t.from.slot {
		// else it was t's last, and has all
		r.vc.share(&t.vc)
	}
	r.slot, r.clock = t.slot, t.clock
	if t.slot == 0 {
		r.slot, r.clock = t.from.slot, t.from.clock
	}
}

// swap is release, and acquire of what r was before. The references go along: where nothing else
// has them, no memory is needed.
func (r *ftRel) swap(t *ftThread) {
	if r.swapFew(t) {
		return
	}
	e := ftComponent{r.slot, r.clock}
	if r.empty() || e.slot != 0 && ftUnbroken(e, t.at(e.slot)) {
		r.release(t)
		return
	}
	t.beforeRelease()
	all := t.vc.empty() || r.has(t.from)
	r.vc.swap(&t.vc)
	mine := t.slot
	r.slot, r.clock = mine, t.clock
	if mine == 0 {
		r.slot, r.clock = t.from.slot, t.from.clock
	}
	t.tick()
	if !all {
		t.vc.join(&r.vc)
	}
	if t.from = e; !all || t.slot != mine {
		// after a move, t knows of its former slot, which e need not include
		t.from = ftComponent{}
	}
	t.told(e)
}

// told raises a component of C(t) that is not t's own.
func (t *ftThread) told(e ftComponent) {
	if e.slot != 0 && e.slot != t.slot {
		t.vc.set(e.slot, e.clock)
		t.learn(e.slot, e.clock)
	}
}

// merge joins C(t) into r and counts t up.
func (r *ftRel) merge(t *ftThread) {
	if r.empty() || r.slot != 0 && ftUnbroken(ftComponent{r.slot, r.clock}, t.at(r.slot)) {
		r.release(t)
		return
	}
	t.beforeRelease()
	if r.slot != 0 {
		r.vc.set(r.slot, r.clock)
		r.slot = 0
	}
	if !r.has(t.from) {
		r.vc.join(&t.vc)
	}
	if t.slot != 0 {
		r.vc.set(t.slot, t.clock)
	}
	t.tick()
}

// acquire joins r into C(t), which may be the one or the other (ON4).
func (r *ftRel) acquire(t *ftThread) {
	e := ftComponent{r.slot, r.clock}
	if e.slot != 0 && ftUnbroken(e, t.at(e.slot)) {
		return
	}
	if n := t.vc.few(&r.vc); n == 0 && (t.vc.empty() || r.has(t.from)) {
		t.vc.share(&r.vc)
		t.from = e
	} else {
		t.vc.join(&r.vc)
		t.from = ftComponent{}
	}
	t.told(e)
}

// has reports whether r has all that was released with c.
func (r *ftRel) has(c ftComponent) bool {
	if c.slot == 0 {
		return false
	}
	k := r.vc.get(c.slot)
	if r.slot == c.slot {
		k = max(k, r.clock)
	}
	return ftUnbroken(c, k)
}

// ftUnbroken reports whether the clock k of c's slot includes all that was released with c
// (ON4).
func ftUnbroken(c ftComponent, k uint32) bool {
	return k == c.clock || k > c.clock && c.clock >= ftLoad32(&ftSlots.list.list[c.slot].whole)
}

func (r *ftRel) empty() bool { return r.slot == 0 && r.vc.empty() }

func (r *ftRel) clear() {
	r.vc.clear()
	r.slot = 0
}

// ftObject is the clocks of one synchronisation object. It is used under the lock of its stripe.
//
// Its first fields are those that a ftSpare has: key is 0 while it is one.
type ftObject struct {
	_    ftOff
	next *ftObject
	ring *ftRing
	key  uint64
	size uint64 // of ring
	w    ftRel  // w(l), or the only clock
	r    ftRel  // r(l): readers of an RWMutex; of an unbuffered channel the sender's
	send uint64 // where in the buffer the next send and receive are
	recv uint64
	sent uint64    // the word of the last send, which reads the channel
	from *ftThread // unbuffered channel: the sender that waits
	// a lock: how often it was acquired; it begins behind those that were there before
	taken uint32
	// a lock: an epoch at which the goroutine that took it last had accessed it, or one before that
	// in the same context
	seen  uint64
	by    uint32 // a lock: the slot of its holder (not for reading), 0 once it is released
	given bool   // a lock: a goroutine other than its holder has released it
	// passed is how often a lock was released since it gave a context back (ON5).
	passed uint32
}

type ftRing struct {
	_    ftOff
	list [1 << 40]ftRel
}

// Classes of the objects that share an address.
const (
	ftLockClass = iota
	ftMergeClass
	ftChanClass
	ftHiddenClass
	ftAtomicClass

	ftWordShift = 6 // from a key to the word: 3 of the class, 3 of the address
)

func ftKey(class int, addr uintptr) uint64 { return uint64(addr)<<3 | uint64(class) }

// ftTable is the objects of one stripe, by key.
type ftTable struct {
	_    ftOff
	n    uint32
	size uint32
	list *ftBuckets
	last *ftObject // the one that was asked for last
	past uint32    // more than taken of those that are there no more
}

type ftBuckets struct {
	_    ftOff
	list [1 << 20]*ftObject
}

// place returns the list of the objects of a word, of all classes.
func (t *ftTable) place(key uint64) **ftObject {
	return &t.list.list[uint32((key>>ftWordShift*0x9E3779B97F4A7C15)>>40)&(t.size-1)]
}

// at returns the object of a class at addr, making it.
func (t *ftTable) at(class int, addr uintptr) *ftObject {
	key := ftKey(class, addr)
	if o := t.last; o != nil && o.key == key {
		return o
	}
	return t.search(key, addr)
}

// there returns the object of a class at addr, nil if there is none: an Acquire does not make it.
func (t *ftTable) there(class int, addr uintptr) *ftObject {
	key := ftKey(class, addr)
	if o := t.last; o != nil && o.key == key {
		return o
	}
	return t.find(key)
}

func (t *ftTable) find(key uint64) *ftObject {
	if t.size != 0 {
		for o := *t.place(key); o != nil; o = o.next {
			if o.key == key {
				t.last = o
				return o
			}
		}
	}
	return nil
}

func (t *ftTable) search(key uint64, addr uintptr) *ftObject {
	if o := t.find(key); o != nil {
		return o
	}
	if t.n >= t.size {
		t.grow()
	}
	o := (*ftObject)(ftTakeOf(ftObjectClass, unsafe.Sizeof(ftObject{})))
	o.key, o.taken = key, t.past
	p := t.place(key)
	o.next = *p
	*p = o
	t.n++
	ftMark(addr)
	return o
}

func (t *ftTable) grow() {
	old, size := t.list, t.size
	t.size = max(8, 2*size)
	t.list = (*ftBuckets)(ftAlloc(uintptr(t.size) * 8))
	for i := uint32(0); i < size; i++ {
		for o := old.list[i]; o != nil; {
			next := o.next
			p := t.place(o.key)
			o.next = *p
			*p = o
			o = next
		}
	}
	if size != 0 {
		ftFree(unsafe.Pointer(old), uintptr(size)*8)
	}
}

// forget removes the objects of a word that are in [addr, addr+n).
func (t *ftTable) forget(word, addr, n uintptr) {
	if t.size == 0 {
		return
	}
	for p := t.place(uint64(word) << 3); *p != nil; {
		o := *p
		if at := uintptr(o.key >> 3); at&^7 != word || at-addr >= n {
			p = &o.next
			continue
		}
		*p = o.next
		t.n--
		t.past = max(t.past, o.taken+1)
		if t.last == o {
			t.last = nil
		}
		o.free()
	}
}

func (o *ftObject) free() {
	o.w.clear()
	o.r.clear()
	if o.size != 0 {
		for i := uint64(0); i < o.size; i++ {
			o.ring.list[i].clear()
		}
		ftFree(unsafe.Pointer(o.ring), uintptr(o.size)*unsafe.Sizeof(ftRel{}))
	}
	o.key = 0
	ftGiveTo(ftObjectClass, unsafe.Sizeof(ftObject{}), unsafe.Pointer(o))
}

// lock is (CL2): Lock, Unlock, RLock, RUnlock.
func (o *ftObject) lock(t *ftThread, acquire, read bool) {
	if !acquire {
		t.beforeRelease()
		before := t.base
		if !read {
			o.given, o.by = o.given || o.by != t.slot, 0
		}
		if read {
			o.r.merge(t)
		} else {
			o.w.release(t)
		}
		if !read {
			o.unlocked(t, before)
		}
		return
	}
	o.w.acquire(t)
	if !read && !o.r.empty() {
		o.r.acquire(t)
	}
	if !read {
		o.locked(t)
	}
	o.taken++
}

// buffer is (CL4): the k-th operation of a side swaps with entry k of the buffer. at is where the
// side is.
func (o *ftObject) buffer(t *ftThread, at *uint64, n uint64) {
	k := *at
	if k >= o.size {
		o.lengthen(k+1, n)
	}
	o.ring.list[k].swap(t)
	if k++; k == n {
		k = 0
	}
	*at = k
}

// sends takes the read of the channel by a send, and reports whether it needs no access to the
// cell. The channel is open.
func (o *ftObject) sends(t *ftThread, site uint64) bool {
	if t.slot == 0 || o.sent != 0 && !t.recalls(o.sent) {
		return false
	}
	t.acted = t.clock
	t.stats.readExclusive++
	o.sent = t.epoch | site
	return true
}

// closes checks the write of the channel by a close against the last send that sends has kept.
func (o *ftObject) closes(g *ftG, a *ftAccess) { g.check(o.sent, ftReads, a) }

// lengthen makes the buffer's entries as they are used: a capacity may be in the millions.
func (o *ftObject) lengthen(need, n uint64) {
	size := max(o.size, 4)
	for size < need {
		size *= 2
	}
	ring := (*ftRing)(ftAlloc(uintptr(size) * unsafe.Sizeof(ftRel{})))
	for i := uint64(0); i < o.size; i++ {
		ring.list[i] = o.ring.list[i]
	}
	if o.size != 0 {
		ftFree(unsafe.Pointer(o.ring), uintptr(o.size)*unsafe.Sizeof(ftRel{}))
	}
	o.ring, o.size = ring, size
}

// meet is (CL5) for the two sides of an unbuffered channel: each acquires the other's clock. The
// send comes first.
func (o *ftObject) meet(t *ftThread, send bool) {
	if send {
		o.r.release(t)
		o.from = t
		return
	}
	if o.from == nil {
		return
	}
	back := &t.spare
	back.release(t)
	o.r.acquire(t)
	back.acquire(o.from)
	back.clear()
	o.from = nil
}
