package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// The hooks of emitted code, called through package presagert; docs/recording.md is
// their contract. Their names start with "runtime." also where they are inlined,
// which is how the runtime knows not to preempt there.

// PresageEnter records the entry of a function.
//
//go:noinline
func PresageEnter(h uint64) *PresageG {
	s := getg().presage
	if s == nil || s.left < 2 {
		s = presageEnterSlow()
	}
	s.left -= 2
	s.depth++
	p := s.pos
	pgStore(p+8, uint64(s.site)|uint64(s.depth)<<32)
	s.outside = s.site == 0
	s.site = 0
	if s.target != 0 {
		h |= s.direct(sys.GetCallerPC())
	}
	pgStore(p, h)
	s.pos = p + 16
	return s
}

// direct says, as a flag, whether the function that pc is in is the target of the call under way, or is called by the target, a wrapper that the
// compiler has made: of a method of a value, of a promoted method, of a method value. Called by PresageEnter.
//
//go:noinline
func (s *PresageG) direct(pc uintptr) uint64 {
	t := s.target
	s.target = 0
	f := findfunc(pc)
	if f.valid() && f.entry() == t {
		return pgFlagDirect << 48
	}
	pc = pgReturn2() - 1 // in the call
	f = findfunc(pc)
	if !f.valid() || f.entry() != t || f.funcID != abi.FuncIDWrapper {
		return 0
	}
	if u, at := newInlineUnwinder(f, pc); u.isInlined(at) { // it is called by what is inline in the wrapper
		return 0
	}
	return pgFlagDirect << 48
}

//go:noinline
func presageEnterSlow() *PresageG {
	gp := getg()
	s := gp.presage
	if s == nil {
		s = pgNew(gp, 0, 0, gp.startpc)
	}
	if s.left < 2 {
		s.grow2(2)
	}
	return s
}

// Outside reports whether the last Enter had no call site.
func (s *PresageG) Outside() bool { return s.outside }

// Call remembers the site of the call that follows.
func (s *PresageG) Call(site uint32) { s.site = site }

// Block records the entry of a block and promises room for need words. Its cost is just
// what the compiler inlines.
func (s *PresageG) Block(h uint64, need int) {
	if s.left <= need {
		s.grow(need)
	}
	s.left -= need + 1
	*(*uint64)(unsafe.Pointer(s.pos)) = h
	s.pos += 8
}

// Room promises room for need words.
func (s *PresageG) Room(need int) {
	if s.left < need {
		s.grow(need)
	}
	s.left -= need
}

// W1 writes a header.
func (s *PresageG) W1(h uint64) {
	*(*uint64)(unsafe.Pointer(s.pos)) = h
	s.pos += 8
}

// W2 writes a header and a word.
func (s *PresageG) W2(h, v uint64) {
	p := unsafe.Pointer(s.pos)
	*(*uint64)(unsafe.Add(p, 8)) = v
	*(*uint64)(p) = h
	s.pos = uintptr(p) + 16
}

// W3 writes a header and two words.
func (s *PresageG) W3(h uint64, a unsafe.Pointer, v uint64) {
	p := unsafe.Pointer(s.pos)
	*(*uintptr)(unsafe.Add(p, 8)) = uintptr(a)
	*(*uint64)(unsafe.Add(p, 16)) = v
	*(*uint64)(p) = h
	s.pos = uintptr(p) + 24
}

// W4 writes a header and three words: a wide access of two.
func (s *PresageG) W4(h uint64, a unsafe.Pointer, v, w uint64) {
	p := unsafe.Pointer(s.pos)
	*(*uintptr)(unsafe.Add(p, 8)) = uintptr(a)
	*(*uint64)(unsafe.Add(p, 16)) = v
	*(*uint64)(unsafe.Add(p, 24)) = w
	*(*uint64)(p) = h
	s.pos = uintptr(p) + 32
}

// W5 writes a header and four words: a wide access of three.
func (s *PresageG) W5(h uint64, a unsafe.Pointer, v, w, x uint64) {
	p := unsafe.Pointer(s.pos)
	*(*uintptr)(unsafe.Add(p, 8)) = uintptr(a)
	*(*uint64)(unsafe.Add(p, 16)) = v
	*(*uint64)(unsafe.Add(p, 24)) = w
	*(*uint64)(unsafe.Add(p, 32)) = x
	*(*uint64)(p) = h
	s.pos = uintptr(p) + 40
}

// pgWide is the number of bytes of the widest access that is one record.
const pgWide = 512

// Mem records an access of n bytes at a, whose value is at q: as one record if it
// is made of whole words and not too wide.
func (s *PresageG) Mem(h uint64, a, q unsafe.Pointer, n uintptr) {
	if uintptr(a)&7 == 0 && n&7 == 0 && n > 8 && n <= pgWide {
		p := s.room(2 + int(n/8))
		pgStore(p+8, uint64(uintptr(a)))
		for i := uintptr(0); i < n; i += 8 {
			pgStore(p+16+i, *(*uint64)(add(q, i)))
		}
		pgStore(p, h|uint64(n)<<32)
		s.pos = p + 16 + n
		return
	}
	for n > 0 {
		k := min(8-uintptr(a)&7, n)
		g := h | uint64(k)<<32
		if k < n {
			g |= pgFlagMore << 48
		}
		p := s.room(3)
		pgStore(p+8, uint64(uintptr(a)))
		pgStore(p+16, pgLoad(q, k))
		pgStore(p, g)
		s.pos = p + 24
		a, q, n = add(a, k), add(q, k), n-k
	}
}

// pgLoad returns the n ≤ 8 bytes at q, zero-extended.
func pgLoad(q unsafe.Pointer, n uintptr) (v uint64) {
	switch n {
	case 8:
		return *(*uint64)(q)
	case 4:
		return uint64(*(*uint32)(q))
	case 2:
		return uint64(*(*uint16)(q))
	}
	for i := uintptr(0); i < n; i++ {
		v |= uint64(*(*byte)(add(q, i))) << (8 * i)
	}
	return v
}

// Range records an access of n bytes at a without values.
func (s *PresageG) Range(h uint64, a unsafe.Pointer, n uintptr) {
	if n == 0 {
		return
	}
	p := s.room(3)
	pgStore(p+8, uint64(uintptr(a)))
	pgStore(p+16, uint64(n))
	pgStore(p, h|pgFlagNoValue<<48)
	s.pos = p + 24
}

// Bytes records the n bytes at q as a value.
func (s *PresageG) Bytes(h uint64, q unsafe.Pointer, n uintptr) {
	if n > 0xFFF8 {
		n, h = 0xFFF8, h|pgFlagNoValue<<48 // cut
	}
	words := max(int(n+7)/8, 1)
	p := s.room(1 + words)
	i := uintptr(0)
	for ; i+8 <= n; i += 8 {
		pgStore(p+8+i, *(*uint64)(add(q, i)))
	}
	if i < n {
		pgStore(p+8+i, pgLoad(add(q, i), n-i))
	}
	pgStore(p, h|uint64(n)<<32)
	s.pos = p + uintptr(1+words)*8
}

// Opaque records the beginning of a call that is not known to be instrumented.
func (s *PresageG) Opaque(h uint64) {
	s.site = 0
	p := s.room(1)
	pgStore(p, h)
	s.pos = p + 8
}

// Dynamic records the beginning of a call through a function value or an interface, of the code at target.
func (s *PresageG) Dynamic(h uint64, target uintptr) {
	s.Opaque(h)
	s.target = target
}

// Depth returns the depth of the function that entered last.
func (s *PresageG) Depth() uint32 { return s.depth }

// OpaqueEnd records its end, in a function of the depth given: what was called may have
// recovered a panic that took functions from inside with it.
func (s *PresageG) OpaqueEnd(h uint64, depth uint32) {
	s.depth = depth
	s.Opaque(h)
}

// ChanLen returns the length of the channel c, read and recorded under its lock.
func (s *PresageG) ChanLen(h uint64, p unsafe.Pointer) int {
	c := (*hchan)(p)
	if c == nil {
		return 0
	}
	if c.timer != nil { // pretends to have no buffer
		n := chanlen(c)
		s.put3(nil, h|pgFlagNoValue<<48, uintptr(p), uint64(n), uint64(c.dataqsiz))
		return n
	}
	s.reserve()
	lock(&c.lock)
	n := int(c.qcount)
	s.put3(nil, h, uintptr(p), uint64(n), uint64(c.dataqsiz))
	unlock(&c.lock)
	return n
}

// Exit records the end of a function.
func (s *PresageG) Exit(h uint64) { s.exit(h, s.depth) }

func (s *PresageG) exit(h uint64, depth uint32) {
	p := s.room(2)
	pgStore(p+8, uint64(depth))
	pgStore(p, h)
	s.pos = p + 16
	s.depth = depth - 1
	s.site = 0
}

// A PresageFrame remembers the depth of a function that has defers.
type PresageFrame struct {
	s     *PresageG
	depth uint32
}

// Frame returns the frame of the function that entered last.
func (s *PresageG) Frame() PresageFrame { return PresageFrame{s, s.depth} }

// Exit records the end of the frame's function, however it ends.
func (f PresageFrame) Exit(h uint64) { f.s.exit(h, f.depth) }
