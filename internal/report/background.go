package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Background is a pass over a trace behind that of a Locator. It finds where the memory of each
// race was allocated, and which guard the other accesses to that memory have.
//
// # Guards
//
// A guard is a lock, or sync/atomic. A source line has a guard if all accesses there to the memory
// have it. A lock guards a write if it is held for writing. Accesses without a guard do not count
// before a second goroutine comes to the memory: they make the object. A race has a Fix if one
// guard has more lines than each other one, and at least as many as there are lines without it.
type Background struct {
	l       *Locator
	memory  []*memory // by their first addresses
	at      map[trace.Addr][]*memory
	of      []*memory // by spec
	pending map[trace.GoID]*pending
	locks   map[trace.GoID][]held
	holders map[trace.Addr]trace.GoID // the last exclusive holder of a lock
}

// memory is the memory that the two accesses of a race share.
type memory struct {
	from, to uint64
	race     int64      // the later recorded access; an allocation behind it is of other memory
	made     trace.Site // of its allocation; 0: it is not known
	first    trace.GoID // the first goroutine that accessed it; 0: none has
	shared   bool
	lines    map[trace.Site]*use
}

// use is what all accesses of a site have in common.
type use struct {
	atomic, write bool
	locks         []held // that each of them held
}

// pending is an allocation whose instruction may be the next event of its goroutine.
type pending struct {
	addr   trace.Addr
	memory []*memory
}

// Background returns the next pass. The pass of the Locator has to be complete.
func (l *Locator) Background() *Background {
	b := &Background{
		l: l, at: map[trace.Addr][]*memory{}, pending: map[trace.GoID]*pending{},
		locks: map[trace.GoID][]held{}, holders: map[trace.Addr]trace.GoID{},
	}
	for i := range l.specs {
		m := l.memoryOf(&l.specs[i])
		b.of = append(b.of, m)
		if m == nil {
			continue
		}
		b.memory = append(b.memory, m)
		for word := m.from &^ 7; word < m.to; word += 8 {
			b.at[trace.Addr(word)] = append(b.at[trace.Addr(word)], m)
		}
	}
	slices.SortStableFunc(b.memory, func(a, b *memory) int { return cmp.Compare(a.from, b.from) })
	l.background = b
	return b
}

// memoryOf returns the memory that the accesses of a spec share, as far as they were recorded; nil
// if neither was.
func (l *Locator) memoryOf(s *Spec) *memory {
	var m *memory
	for _, i := range []int64{s.A, s.B} {
		p, ok := l.seen[i]
		if !ok || i < 0 || s.Tier == "" {
			continue
		}
		from, to := uint64(p.event.Obj), uint64(p.event.Obj)+max(uint64(p.event.Size), 1)
		switch {
		case m == nil:
			m = &memory{from: from, to: to, race: i, lines: map[trace.Site]*use{}}
		case max(m.from, from) < min(m.to, to):
			m.from, m.to, m.race = max(m.from, from), min(m.to, to), max(m.race, i)
		}
	}
	return m
}

// Wants reports whether there is memory to look for.
func (b *Background) Wants() bool { return len(b.memory) > 0 }

// Step takes the event with number i.
func (b *Background) Step(i int64, e *trace.Event) {
	switch {
	case e.Kind == format.Alloc:
		b.alloc(i, e)
		return
	case e.Kind == format.Value:
		b.value(e)
		return
	case e.Kind == format.Lock, e.Kind == format.Unlock:
		b.lock(e)
	case e.Kind.IsAccess():
		b.access(e)
	}
	delete(b.pending, e.G)
}

// alloc notes memory that lies in an allocation.
func (b *Background) alloc(i int64, e *trace.Event) {
	delete(b.pending, e.G)
	from, to := uint64(e.Obj), uint64(e.Obj)+e.Val
	first, _ := slices.BinarySearchFunc(b.memory, from, func(m *memory, at uint64) int { return cmp.Compare(m.from, at) })
	var p *pending
	for _, m := range b.memory[first:] {
		if m.from >= to {
			break
		}
		if i > m.race {
			continue
		}
		m.made, m.first, m.shared, m.lines = 0, 0, false, map[trace.Site]*use{}
		if p == nil {
			p = &pending{addr: e.Obj}
			b.pending[e.G] = p
		}
		p.memory = append(p.memory, m)
	}
}

// value takes the value of an instruction: if it is the address of what its goroutine has just
// allocated, the instruction is the allocation.
func (b *Background) value(e *trace.Event) {
	p := b.pending[e.G]
	if p == nil {
		return
	}
	if trace.Addr(e.Val) == p.addr {
		for _, m := range p.memory {
			m.made = e.Site
		}
	}
	delete(b.pending, e.G)
}

// lock keeps the locks that goroutines hold.
func (b *Background) lock(e *trace.Event) {
	read := e.Flags&format.FlagRead != 0
	if e.Kind == format.Lock {
		b.locks[e.G] = append(b.locks[e.G], held{e.Obj, read, e.Site, e.Flags})
		b.holders[e.Obj] = e.G
		return
	}
	for _, g := range []trace.GoID{e.G, b.holders[e.Obj]} {
		list := b.locks[g]
		for k := len(list) - 1; k >= 0; k-- {
			if list[k].obj == e.Obj && list[k].read == read {
				b.locks[g] = slices.Delete(list, k, k+1)
				return
			}
		}
	}
}

// access counts an access to memory that goroutines share.
func (b *Background) access(e *trace.Event) {
	if e.Site == 0 || e.IsText() || e.Flags&format.FlagStack != 0 {
		return
	}
	last := uint64(e.Obj) + max(uint64(e.Size), 1) - 1
	for word := uint64(e.Obj) &^ 7; word <= last; word += 8 {
		for _, m := range b.at[trace.Addr(word)] {
			if uint64(e.Obj) >= m.to || last < m.from {
				continue
			}
			if m.first == 0 {
				m.first = e.G
			}
			m.shared = m.shared || m.first != e.G
			if m.shared || e.Kind.IsAtomic() || len(b.locks[e.G]) > 0 {
				m.note(e, b.locks[e.G])
			}
		}
	}
}

// note adds an access to what is known of its site.
func (m *memory) note(e *trace.Event, locks []held) {
	u := m.lines[e.Site]
	if u == nil {
		m.lines[e.Site] = &use{atomic: e.Kind.IsAtomic(), write: e.WriteLike(), locks: slices.Clone(locks)}
		return
	}
	u.write = u.write || e.WriteLike()
	u.locks = slices.DeleteFunc(u.locks, func(h held) bool {
		return !slices.ContainsFunc(locks, func(x held) bool { return x.obj == h.obj && x.read == h.read })
	})
}

// has reports whether an access has a guard: a lock, or without one sync/atomic.
func (u *use) has(lock trace.Addr) bool {
	if lock == 0 {
		return u.atomic
	}
	return slices.ContainsFunc(u.locks, func(h held) bool { return h.obj == lock && !(h.read && u.write) })
}

// Fix is a guard that other accesses to the memory of a race have, and that one of the two accesses
// lacks.
type Fix struct {
	Guard   string     `json:"guard"` // a lock, or sync/atomic
	Held    int        `json:"held"`  // source lines whose accesses have it,
	Uses    int        `json:"uses"`  // of so many
	Missing []Position `json:"missing"`
}

// text is the fix as a sentence.
func (f *Fix) text(short func(Position) string) string {
	var at []string
	for _, p := range f.Missing {
		at = append(at, short(p))
	}
	do, is := "hold "+f.Guard, "held"
	if f.Guard == atomicGuard {
		do, is = "use "+atomicGuard, "used"
	}
	return fmt.Sprintf("Possible fix: %s at %s, too. It is %s at %d of %s with this memory.", do, strings.Join(at, " and "), is, f.Held, plural.Of(f.Uses, "source line"))
}

// atomicGuard is the name of the guard that is no lock.
const atomicGuard = "sync/atomic"

// fix returns the guard that the accesses of a race lack; nil if it is not clear.
func (b *Background) fix(spec int) *Fix {
	m := b.of[spec]
	if m == nil {
		return nil
	}
	s := &b.l.specs[spec]
	racing := []int64{s.A, s.B}
	for _, i := range racing {
		p := b.l.seen[i]
		m.note(&p.event, p.locks)
	}
	lines := b.lines(m)
	guards := map[trace.Addr]held{0: {}}
	for _, uses := range lines {
		for _, u := range uses {
			for _, h := range u.locks {
				if x, ok := guards[h.obj]; !ok || h.site < x.site {
					guards[h.obj] = h
				}
			}
		}
	}
	best, most, clear := trace.Addr(0), 0, false
	for lock := range guards {
		n := 0
		for _, uses := range lines {
			if !slices.ContainsFunc(uses, func(u *use) bool { return !u.has(lock) }) {
				n++
			}
		}
		if n == most {
			clear = false
		} else if n > most {
			best, most, clear = lock, n, true
		}
	}
	name := atomicGuard
	if h := guards[best]; best != 0 {
		name = b.l.name(best, h.site, h.flag)
	}
	if !clear || 2*most < len(lines) || strings.HasPrefix(name, "0x") || strings.HasPrefix(name, unnamedLock) {
		return nil
	}
	f := &Fix{Guard: name, Held: most, Uses: len(lines)}
	for _, i := range racing {
		p := b.l.seen[i]
		u := use{atomic: p.event.Kind.IsAtomic(), write: p.event.WriteLike(), locks: p.locks}
		if pos, ok := written(b.l, &p); ok && !u.has(best) && !slices.Contains(f.Missing, pos) {
			f.Missing = append(f.Missing, pos)
		}
	}
	if len(f.Missing) == 0 {
		return nil
	}
	slices.SortFunc(f.Missing, comparePositions)
	return f
}

// lines are the uses of memory by source line.
func (b *Background) lines(m *memory) map[Position][]*use {
	lines := map[Position][]*use{}
	for site, u := range m.lines {
		at := b.l.position(site)
		at.Col = 0
		lines[at] = append(lines[at], u)
	}
	return lines
}

// made returns the place that allocated the memory of a race; nil if it is not known.
func (b *Background) made(spec int) *Frame {
	if m := b.of[spec]; m != nil && m.made != 0 {
		return &Frame{b.l.function(m.made), b.l.position(m.made)}
	}
	return nil
}
