package online

// Atomic operations: (R10) and (F2). One takes effect, and its object's clocks are used, under the lock of its cell, whose crowd knows the object. So what is locked
// is one thing, which the access needs anyway. Where there is no cell (memory that is not the program's), it is under the lock of the object's table.

// A ftOperation is an atomic operation in the making.
type ftOperation struct {
	_ ftOff
	c *ftCell   // locked; nil: the table is
	w uint64    // of c
	o *ftObject // nil: there is none, and nothing to acquire
}

// ftNoObject is what the crowd of a location knows that nobody has released to.
var ftNoObject ftObject

// opens begins an operation at a.addr. makes: it may release.
func (g *ftG) opens(a *ftAccess, makes bool) {
	if c := ftCellAt(a.addr); c != nil && g.slot != 0 {
		w := ftLoad64(&c.w)
		if w&ftLockBit != 0 || !ftCas64(&c.w, w, w|ftLockBit) {
			w = c.hold()
		}
		if d := ftCrowdOf(c.r); d != nil && d.o != nil {
			switch {
			case d.o != &ftNoObject:
				g.op.c, g.op.w, g.op.o = c, w, d.o
				return
			case !makes:
				g.op.c, g.op.w, g.op.o = c, w, nil
				return
			}
		}
		ftStore64(&c.w, w)
	}
	g.opensFirst(a, makes)
}

// opensFirst is opens where the object must be looked for. It is noted under both locks, so that who has found none is told of one that is made.
func (g *ftG) opensFirst(a *ftAccess, makes bool) {
	if g.slot == 0 {
		g.arrive()
	}
	c := ftCellOf(a.addr)
	t := ftLockTable(a.addr)
	var o *ftObject
	if makes {
		o = t.at(ftAtomicClass, a.addr)
	} else {
		o = t.there(ftAtomicClass, a.addr)
	}
	g.op.c, g.op.w, g.op.o = c, 0, o
	if c == nil {
		return
	}
	g.op.w = c.hold()
	if d := ftCrowdOf(c.r); d != nil {
		d.knows(o)
	}
	ftUnlockTable(a.addr)
}

// knows notes the object of a location.
func (c *ftCrowd) knows(o *ftObject) {
	if c.o = o; o == nil {
		c.o = &ftNoObject
	}
}

// completes ends an operation that has taken effect.
func (g *ftG) completes(a *ftAccess, acquires bool) {
	o, c, w := g.op.o, g.op.c, g.op.w
	if acquires && o != nil && !o.w.own(g) {
		o.w.acquire(g)
	}
	if c != nil && g.slot != 0 {
		g.acted = g.clock
		g.stats.atomic++
		d := ftCrowdOf(c.r)
		if d == nil || a.site&ftFull != 0 || w != 0 && !g.recalls(w) ||
			!d.quick(g, a.kind, g.epoch|uint64(a.kind)<<ftKindShift|a.site&ftSiteMask) {
			g.atomically(a)
		}
	}
	if a.kind == ftAtomicWrites {
		o.w.release(g)
	}
	if c == nil {
		ftUnlockTable(a.addr)
		return
	}
	ftStore64(&c.w, w)
	if a.addr&7 != 0 && g.slot != 0 && !g.quickAgainst(ftCellAt(a.addr&^7), a.kind) {
		g.against(a)
	}
}

// own reports whether t released to r last. It has not been told of anything by r since.
func (r *ftRel) own(g *ftG) bool { return r.slot != 0 && r.slot == g.slot && r.clock >= g.who.first }

// atomically takes the access by the rule, in the cell that is held. Cells inside a word are locked after the word's, never before.
func (g *ftG) atomically(a *ftAccess) {
	c := g.op.c
	l := ftLineOf(a.addr)
	if plane := uint8(1) << (a.addr & 7); l.planes&plane == 0 {
		ftOr8(&l.planes, plane)
	}
	before := c.before()
	r := g.atomic(g.op.w, c.r, a, l)
	ftCrowdOf(r).knows(g.op.o)
	ftStore64(&c.r, r)
	if l.planes&^1 != 0 && a.addr&7 == 0 {
		g.spread(a, before, l.planes)
	}
}
