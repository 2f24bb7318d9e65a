package offpath

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// expect takes the next step, which must be the event that the program has now (D5). Where at is
// nil, its Obj is the alternative's own choice.
func (m *machine) expect(k format.Kind, flags format.Flags, site trace.Site, at *uint64, size int) *step {
	list := m.todo[m.g]
	if len(list) == 0 {
		throw("an event too many")
	}
	s := &m.steps[list[0]]
	e := &s.Event
	switch {
	case e.Kind != k || e.Flags != flags || e.Site != site || e.Size != uint16(size):
		reject("D5", "the step is %s, but the program has %v at site %d", m.expected(), k, site)
	case at != nil && uint64(e.Obj) != *at:
		reject("D5", "the step is %s, but the program is at %#x", m.expected(), *at)
	}
	m.todo[m.g] = list[1:]
	return s
}

// expected describes the next step.
func (m *machine) expected() string {
	list := m.todo[m.g]
	if len(list) == 0 {
		return "none"
	}
	e := &m.steps[list[0]].Event
	return fmt.Sprintf("%v at site %d of %#x", e.Kind, e.Site, uint64(e.Obj))
}

// ahead is the next step, if it is at the site at hand.
func (m *machine) ahead(site trace.Site) *step {
	if list := m.todo[m.g]; len(list) > 0 && m.steps[list[0]].Event.Site == site {
		return &m.steps[list[0]]
	}
	reject("D5", "the step is %s, but the program is at site %d", m.expected(), site)
	return nil
}

// seen is what a read of the alternative saw in the witness (D3).
func (m *machine) seen(s *step, size int) value {
	v := unknown(size)
	for _, i := range s.events {
		w, ok := m.x.Seen(i)
		if !ok || !m.x.Done(i) {
			continue
		}
		word := m.pointed(w)
		if !s.Event.Kind.IsAccess() {
			v = m.named(word).part(0, size)
			continue
		}
		if size == 8 && m.places[m.w.Events[i].Obj].Mask == 0xff {
			v = m.named(word)
			continue
		}
		eachByte(s, m.places[m.w.Events[i].Obj].Mask, func(in, at int) { v = v.with(at, word.part(in, 1)) })
	}
	return v
}

// pointed is a word that was read, as the program sees it. It is not known if it may be a pointer
// to what stood at its address before an allocation of the window, where now something else is
// (D9): the window has another value for a pointer to the new object.
func (c *checker) pointed(w uint64) value {
	word := c.b.Names.Plain(w)
	times := 0
	c.w.Names.Allocated(func(addr, size uint64) {
		if word-addr < size && word >= 4096 && word < notProgram {
			times++
		}
	})
	if times > 1 || times == 1 && word == w {
		return unknown(8)
	}
	return number(word, 8)
}

// eachByte calls f for each byte of an atom: its number in the word of the atom's event, and in the
// access.
func eachByte(s *step, mask uint8, f func(in, at int)) {
	low := -1
	for i := range 8 {
		if mask>>i&1 == 0 {
			continue
		}
		if low < 0 {
			low = i
		}
		f(i-low, i-int(s.Event.Obj&7))
	}
}

// named is a word that was read, with an address of what the alternative has allocated as it is
// here.
func (m *machine) named(v value) value {
	x, ok := v.bits()
	if !ok {
		return v
	}
	if base, ok := m.mine[x>>freshShift]; ok && x >= notProgram {
		return number(base+x&(freshSize-1), 8)
	}
	return v
}

// written checks that what a step left in the witness is what the program computes (D6).
func (m *machine) written(s *step, v value) {
	for _, i := range s.events {
		w, ok := m.x.Wrote(i)
		if !m.x.Done(i) || !ok { // what is not known to the witness, nothing rests on
			continue
		}
		word := number(m.b.Names.Plain(w), 8)
		if !s.Event.Kind.IsAccess() {
			m.agree(word.part(0, len(v.img)), v)
			continue
		}
		mask := m.places[m.w.Events[i].Obj].Mask
		if mask == 0xff && len(v.img) == 8 {
			m.agree(word, v)
			continue
		}
		eachByte(s, mask, func(in, at int) { m.agree(word.part(in, 1), v.part(at, 1)) })
	}
}

// agree compares what is in the witness with what the program computes.
func (m *machine) agree(witness, computed value) {
	w, _ := witness.bits()
	v, ok := computed.bits()
	switch {
	case !ok:
		reject("D6", "what is written is not known, but %#x in the witness", w)
	case len(computed.img) == 8 && v >= freshBase && v < freshBase+uint64(len(m.objects))<<freshShift:
		m.alias(w, v)
	case v != w:
		reject("D6", "%#x is written, but %#x in the witness", v, w)
	}
}

// alias checks that one address of the alternative stands for one here.
func (m *machine) alias(w, v uint64) {
	a, b := w>>freshShift, v>>freshShift
	base, ok := m.mine[a]
	back, ok2 := m.theirs[b]
	switch {
	case w < notProgram || w&(freshSize-1) != v&(freshSize-1) || ok && base != b<<freshShift || ok2 && back != a:
		reject("D6", "another address, %#x, is written than %#x", v, w)
	}
	m.mine[a], m.theirs[b] = b<<freshShift, a
}

// sync is an operation on an object: a lock, a WaitGroup, the closing of a channel.
func (m *machine) sync(k format.Kind, flags format.Flags, p value, site trace.Site) *step {
	addr := m.pointer(p)
	if addr >= freshBase {
		m.ownLock(k, flags, addr)
		return nil
	}
	return m.expect(k, flags, site, &addr, 0)
}

// ownLock locks or unlocks a mutex that nobody else has (D8): that is no step.
func (m *machine) ownLock(k format.Kind, flags format.Flags, addr uint64) {
	o, at := m.object(addr, 8, true)
	if o.variable || flags != 0 || k != format.Lock && k != format.Unlock || o.held[at] == (k == format.Lock) {
		throw("%v of an object of the alternative's own", k)
	}
	if o.held == nil {
		o.held = map[int]bool{}
	}
	o.held[at] = k == format.Lock
}

// typed executes a call of package sync or sync/atomic.
func (m *machine) typed(call *ssa.CallCommon, callee *ssa.Function, args []value, site trace.Site) value {
	if o := callee.Origin(); o != nil {
		callee = o
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		throw("%v is not modelled", callee)
	}
	if fn.Pkg().Path() == "sync/atomic" {
		return m.atomic(call, fn, args, site)
	}
	switch fn.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock":
		m.sync(format.Lock, 0, args[0], site)
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
		m.sync(format.Unlock, 0, args[0], site)
	case "(*sync.RWMutex).RLock":
		m.sync(format.Lock, format.FlagRead, args[0], site)
	case "(*sync.RWMutex).RUnlock":
		m.sync(format.Unlock, format.FlagRead, args[0], site)
	case "(*sync.WaitGroup).Wait":
		m.sync(format.WGWait, 0, args[0], site)
	case "(*sync.WaitGroup).Done":
		m.adds(m.sync(format.WGAdd, 0, args[0], site), -1)
	case "(*sync.WaitGroup).Add":
		n, ok := args[1].bits()
		if !ok {
			throw("a number that is not known")
		}
		m.adds(m.sync(format.WGAdd, 0, args[0], site), int64(n))
	default:
		throw("%v is not modelled", fn)
	}
	return value{}
}

func (m *machine) adds(s *step, delta int64) {
	if s == nil || int64(s.Event.Val) != delta {
		reject("D5", "the step does not add %d", delta)
	}
}

// cell is what an operation of sync/atomic works on.
func (m *machine) cell(fn *types.Func, call *ssa.CallCommon, p value) (addr uint64, size int, boolean bool) {
	addr = m.pointer(p)
	var t types.Type
	if fn.Signature().Recv() == nil {
		t = pointee(call.Args[0].Type())
	} else { // the last field of Int32, Pointer[T], …
		named, ok := types.Unalias(pointee(call.Args[0].Type())).(*types.Named)
		if !ok {
			throw("%v is not modelled", fn)
		}
		switch name := named.Obj().Name(); name {
		case "Bool":
			t, boolean = types.Typ[types.Uint32], true
		case "Int32", "Uint32":
			t = types.Typ[types.Uint32]
		case "Int64", "Uint64", "Uintptr", "Pointer":
			t = types.Typ[types.Uint64]
		default:
			throw("%s is not modelled", name)
		}
	}
	size = sizeof(t)
	if size != 4 && size != 8 || addr >= freshBase || addr%uint64(size) != 0 {
		throw("an atomic operation on %d bytes at %#x", size, addr)
	}
	return addr, size, boolean
}

// atomic executes an operation of sync/atomic.
func (m *machine) atomic(call *ssa.CallCommon, fn *types.Func, args []value, site trace.Site) value {
	addr, size, boolean := m.cell(fn, call, args[0])
	word := func(i int) value {
		if boolean {
			b, ok := args[i].bits()
			if !ok {
				return unknown(size)
			}
			return number(b&1, size)
		}
		return args[i]
	}
	result := func(v value) value {
		if boolean {
			if b, ok := v.bits(); ok {
				return truth(b != 0)
			}
			return unknown(1)
		}
		return v
	}
	name := fn.Name()
	switch {
	case strings.HasPrefix(name, "Load"):
		return result(m.seen(m.expect(format.AtomicRead, 0, site, &addr, size), size))
	case strings.HasPrefix(name, "Store"):
		m.written(m.expect(format.AtomicWrite, 0, site, &addr, size), word(1))
		return value{}
	case strings.HasPrefix(name, "Swap"):
		s := m.expect(format.AtomicRMW, 0, site, &addr, size)
		m.written(s, word(1))
		return result(m.seen(s, size))
	case strings.HasPrefix(name, "Add"), strings.HasPrefix(name, "And"), strings.HasPrefix(name, "Or"):
		s := m.expect(format.AtomicRMW, 0, site, &addr, size)
		old := m.seen(s, size)
		now := updated(name, old, word(1))
		m.written(s, now)
		if name[:2] == "Ad" {
			return result(now)
		}
		return result(old)
	case strings.HasPrefix(name, "CompareAndSwap"):
		return m.compareAndSwap(addr, size, word(1), word(2), site)
	}
	throw("%v is not modelled", fn)
	return value{}
}

func updated(name string, old, arg value) value {
	x, ok := old.bits()
	y, ok2 := arg.bits()
	switch n := len(old.img); {
	case !ok || !ok2:
		return unknown(n)
	case strings.HasPrefix(name, "Add"):
		return number(x+y, n)
	case strings.HasPrefix(name, "And"):
		return number(x&y, n)
	default:
		return number(x|y, n)
	}
}

// compareAndSwap is an update if it finds old, else a read that has to find something else.
func (m *machine) compareAndSwap(addr uint64, size int, old, now value, site trace.Site) value {
	want, ok := old.bits()
	if !ok {
		throw("a comparison with what is not known")
	}
	kind, flags := format.AtomicRMW, format.Flags(0)
	if m.ahead(site).Event.Kind == format.AtomicRead {
		kind, flags = format.AtomicRead, format.FlagTry
	}
	s := m.expect(kind, flags, site, &addr, size)
	if s.racing && !s.any {
		if kind == format.AtomicRMW && s.Event.Val != want {
			reject("D5", "an update of %#x, the program compares with %#x", s.Event.Val, want)
		}
		if kind == format.AtomicRMW {
			m.finds(s, old)
		}
		return unknown(1)
	}
	found, ok := m.seen(s, size).bits()
	if !ok || (found == want) != (kind == format.AtomicRMW) {
		reject("D5", "the program compares with %#x, and finds %#x", want, found)
	}
	if kind == format.AtomicRMW {
		m.written(s, now)
	}
	return truth(kind == format.AtomicRMW)
}

// finds checks that the events of an update that is next, and not executed, are those of one that
// finds old: no other value makes it a write.
func (m *machine) finds(s *step, old value) {
	for _, i := range s.events {
		e := &m.w.Events[i]
		word := number(m.b.Names.Plain(e.Val), 8)
		mask := m.places[e.Obj].Mask
		if mask == 0xff && len(old.img) == 8 {
			m.agree(word, old)
			continue
		}
		eachByte(s, mask, func(in, at int) { m.agree(word.part(in, 1), old.part(at, 1)) })
	}
}

// send is c <- x.
func (m *machine) send(in *ssa.Send) {
	ch, x := m.val(in.Chan), m.val(in.X)
	if n := len(x.img); n == 0 || n > 8 {
		throw("an element of %d bytes", n)
	}
	addr := m.pointer(ch)
	m.written(m.expect(format.ChanSend, 0, m.frame.site(), &addr, 0), x)
}

// receive is <-c: of an element, or of the zero value of a channel that is closed.
func (m *machine) receive(in *ssa.UnOp) value {
	addr := m.pointer(m.val(in.X))
	elem := sizeof(in.X.Type().Underlying().(*types.Chan).Elem())
	if elem == 0 || elem > 8 {
		throw("an element of %d bytes", elem)
	}
	closed := m.ahead(m.frame.site()).Event.Flags & format.FlagClosed
	s := m.expect(format.ChanRecv, closed, m.frame.site(), &addr, 0)
	v := zero(elem)
	if closed == 0 {
		v = m.seen(s, elem)
	}
	if in.CommaOk {
		return value{tuple: []value{v, truth(closed == 0)}}
	}
	return v
}
