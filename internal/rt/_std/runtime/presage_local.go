package runtime

// What each P keeps for the calls of its goroutines that leave traced code, so that most of them take no lock that others take: memory for a walk, and for calls under way. What was
// used last is used next, while it is in the processor's cache.

const (
	pgPs    = 256 // Ps that keep anything
	pgWalks = 2   // how many of walks,
	pgLates = 8   // and of calls
)

type pgLocal struct {
	walk  *pgWalk
	late  *pgMissing
	walks int
	lates int
	_     [32]byte // a line of the cache
}

var pgLocals [pgPs]pgLocal

// pgMine returns what the running P keeps, or nil. The caller has called acquirem, so nobody else is at it.
func pgMine() *pgLocal {
	if p := getg().m.p.ptr(); p != nil && p.id < pgPs {
		return &pgLocals[p.id]
	}
	return nil
}

// pgTakeWalk returns memory for a walk.
func pgTakeWalk() (r *pgWalk) {
	mp := acquirem()
	if l := pgMine(); l != nil && l.walk != nil {
		r = l.walk
		l.walk = r.next
		l.walks--
	}
	releasem(mp)
	if r != nil {
		return r
	}
	lock(&presage.mu)
	if r = presageOutside.free; r != nil {
		presageOutside.free = r.next
	}
	unlock(&presage.mu)
	return r
}

func (r *pgWalk) release() {
	mp := acquirem()
	l := pgMine()
	kept := l != nil && l.walks < pgWalks
	if kept {
		r.next = l.walk
		l.walk = r
		l.walks++
	}
	releasem(mp)
	if kept {
		return
	}
	lock(&presage.mu)
	r.next = presageOutside.free
	presageOutside.free = r
	unlock(&presage.mu)
}

// pgTakeMissing returns memory for a call under way.
func pgTakeMissing() (o *pgMissing) {
	mp := acquirem()
	if l := pgMine(); l != nil && l.late != nil {
		o = l.late
		l.late = o.next
		l.lates--
	}
	releasem(mp)
	if o != nil {
		return o
	}
	lock(&presage.mu)
	if o = pgFreeMissing; o != nil {
		pgFreeMissing = o.next
	}
	unlock(&presage.mu)
	return o
}

func (o *pgMissing) release() {
	mp := acquirem()
	l := pgMine()
	kept := l != nil && l.lates < pgLates
	if kept {
		o.next = l.late
		l.late = o
		l.lates++
	}
	releasem(mp)
	if kept {
		return
	}
	lock(&presage.mu)
	o.next = pgFreeMissing
	pgFreeMissing = o
	unlock(&presage.mu)
}
