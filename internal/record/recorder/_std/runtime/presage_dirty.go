package runtime

import (
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// What outside code reads of what emitted code has written. Happens-before does not need these
// reads: they are of the goroutine that wrote. A prediction does: what a call of outside code does
// depends on the values that it reads.
//
//   - (SC7) Let w be a write of a byte by emitted code of goroutine g, and o a read of the byte by
//     outside code of g after w, with no write of the byte by anybody in between. Then the trace
//     has a record of an outside read of the byte by g, after w and not after o in the order of g.
//     It is an ordinary record: it has its place in the stream. The same for the first write of the
//     byte by outside code of g after w: what emitted code has left there is gone. That emitted
//     code allocates memory counts as a write of its zeros, if the Alloc has FlagFirst.
//
// # Dirty bytes
//
// A byte is *dirty* for reads if emitted code has written to it and no access of outside code has
// been written down since, and for writes if no write has. There are two bits for each byte of
// memory, behind the cells. A read of outside code that finds a dirty byte is written down,
// whatever its cell says, and makes its bytes clean. So there are not more of these records than
// writes.
//
// The bits are set where the records of emitted code are looked at (scan), in granules that outside
// code uses. When outside code begins to use a granule, all of its bytes become dirty that emitted
// code may have written to: all (useCells, pgFill). So a granule of emitted code alone costs
// nothing. The hook of a read looks at the records that have not been looked at (pgCatchUp), so
// that it sees the writes in front of it.
//
// # Several goroutines
//
// The bits are not those of one goroutine. Suppose that g2 makes a byte clean that g1 has written
// to. Then the cell has an entry of g2, and a read of g1 is written down as the first one of a
// turn. If g1 writes once more meanwhile, its bit may be lost, since g2 clears it a moment too
// late. But g1 has marked the word before it set the bit (seen). So the cell has either that mark,
// which is of a shared word, or the entry of g2: the read of g1 is written down either way. Nothing
// of this is about one byte of the word, so two goroutines at different bytes of it are no
// exception.
//
// # Announced reads
//
// The runtime announces reads on behalf of emitted code too (maps, append). Merge leaves them out
// (ME9), so they must not make a byte clean. pgReaderOf tells them by the program counter. Where
// that is not certain, a read is written down and its bytes stay dirty.
//
// Which alternative is wrong: the number of the context in which emitted code last wrote to a
// granule, beside the state of the granule. After each write to a field, reads of the 63 other
// words would be written down too.

// pgDirtyOf returns the bits of the bytes of a word, for reads; those for writes are in the byte
// behind.
//
//go:nosplit
func pgDirtyOf(addr uintptr) *uint8 {
	return (*uint8)(unsafe.Pointer(presageCells.dirty + addr>>3<<1))
}

// pgDirtyWritesOf returns the bits of the bytes of a word, for writes.
//
//go:nosplit
func pgDirtyWritesOf(addr uintptr) *uint8 {
	return (*uint8)(unsafe.Pointer(presageCells.dirty + addr>>3<<1 + 1))
}

// pgIsDirty reports whether one of the bytes m of a word, as in an entry, is dirty for reads.
//
//go:nosplit
func pgIsDirty(addr uintptr, m uint64) bool { return uint64(*pgDirtyOf(addr))<<pgByteShift&m != 0 }

// pgWritesDirty reports whether one of the bytes m of a word is dirty for writes.
//
//go:nosplit
func pgWritesDirty(addr uintptr, m uint64) bool {
	return uint64(*pgDirtyWritesOf(addr))<<pgByteShift&m != 0
}

// pgWrote makes bytes dirty that emitted code has written to, where outside code uses the granule.
func pgWrote(addr, n uintptr) {
	if t := &presageCells; addr >= t.limit || n >= t.limit-addr {
		return
	}
	for end := addr + n; addr < end; {
		next := min(addr&^(pgGranule-1)+pgGranule, end)
		if *pgGranuleOf(addr)&pgCells != 0 {
			pgSoil(addr, next-addr)
		}
		addr = next
	}
}

// pgSoil makes bytes dirty.
func pgSoil(addr, n uintptr) {
	for n > 0 {
		k := min(8-addr&7, n)
		m := uint8(pgBytes(addr&7, k) >> pgByteShift)
		if d := pgDirtyOf(addr); *d&m != m {
			atomic.Or8(d, m)
		}
		if d := pgDirtyWritesOf(addr); *d&m != m {
			atomic.Or8(d, m)
		}
		addr, n = addr+k, n-k
	}
}

// pgSoilGranule makes all bytes of a granule dirty.
func pgSoilGranule(addr uintptr) {
	first := uintptr(unsafe.Pointer(pgDirtyOf(addr &^ (pgGranule - 1))))
	for i := uintptr(0); i < pgGranule/4; i += 8 {
		pgStore(first+i, ^uint64(0))
	}
}

// soilsNew makes memory dirty that emitted code has allocated, as if it had written the zeros. It
// returns false if the code in front of pc is not known to be emitted.
func (s *PresageG) soilsNew(addr, n, pc uintptr) bool {
	t := &presageCells
	if addr >= t.limit || n >= t.limit-addr || !presageVars.over || s.inside == 0 && !s.takeInside() {
		return false
	}
	if at := pgReaderOf(pc); at == pgReaderOutside || at == pgReaderRuntime {
		return false
	}
	mp := acquirem() // as in scan
	s.scanning = true
	s.seen(addr, n)
	pgWrote(addr, n)
	s.scanning = false
	releasem(mp)
	return true
}

// pgUnsoil makes whole words clean: their memory is new.
func pgUnsoil(addr, n uintptr) { memclrNoHeapPointers(unsafe.Pointer(pgDirtyOf(addr)), n/4) }

// pgCatchUp looks at the records of emitted code in front of a read.
//
//go:nosplit
func pgCatchUp(gp *g) {
	if gp.m.curg != gp || !presage.on {
		return
	}
	if gp.throwsplit {
		presageCells.lost.Add(1)
		return
	}
	systemstack(func() { gp.presage.scan() })
}

// takesDirty reports whether (SC7) asks for a record of the access that is under way, of bytes m of
// a word, and makes them clean if that record counts.
func (s *PresageG) takesDirty(addr uintptr, m uint64, write bool) bool {
	if !write && !pgIsDirty(addr, m) || write && !pgWritesDirty(addr, m) {
		return false
	}
	switch pgReaderOf(s.outPC) {
	case pgReaderEmitted:
		return false
	case pgReaderOutside, pgReaderRuntime:
		atomic.And8(pgDirtyOf(addr), ^uint8(m>>pgByteShift))
		if write {
			atomic.And8(pgDirtyWritesOf(addr), ^uint8(m>>pgByteShift))
		}
	}
	return true
}

// readsRest writes down what the kernel reads of dirty bytes of a buffer behind the part that is
// always recorded.
func (s *PresageG) readsRest(h uint64, addr, n uintptr) {
	if s.pos != s.scanned {
		s.scan()
	}
	from, size := addr, uintptr(0)
	for n > 0 && pgHasCell(addr) {
		k := min(8-addr&7, n)
		m := pgBytes(addr&7, k)
		if pgIsDirty(addr, m) {
			atomic.And8(pgDirtyOf(addr), ^uint8(m>>pgByteShift))
			size += k
		} else if size > 0 {
			s.touchKernel(h, from, uint64(size))
			size = 0
		}
		if addr, n = addr+k, n-k; size == 0 {
			from = addr
		}
	}
	if size > 0 {
		s.touchKernel(h, from, uint64(size))
	}
}

// Whose code is at a program counter.
const (
	pgReaderUnknown = iota // emitted code, or a function that was left as written
	pgReaderOutside
	pgReaderEmitted
	pgReaderRuntime // the runtime on its own account: memory that it allocates has no Alloc
)

// pgEmitted is a package with emitted code. It is outside the heap; its strings are data of the
// program.
type pgEmitted struct {
	path, dir string
	whole     bool // none of its functions was left as written
	next      *pgEmitted
}

// presageEmitted are these packages, and what has been found of program counters: four times the
// program counter, and whose code is there.
var presageEmitted struct {
	last  *pgEmitted
	found [1 << 12]uintptr
}

// pgEmits notes that the init function at pc is of a package with emitted code.
func pgEmits(pc uintptr, whole bool) {
	f := findfunc(pc)
	if !f.valid() {
		return
	}
	path, dir := pgPathOf(funcname(f)), pgDir(pc)
	for x := presageEmitted.last; x != nil; x = x.next {
		if x.path == path {
			x.whole = x.whole && whole
			return
		}
	}
	x := (*pgEmitted)(persistentalloc(unsafe.Sizeof(pgEmitted{}), 8, &memstats.other_sys))
	*x = pgEmitted{path, dir, whole, presageEmitted.last}
	pgFence()
	presageEmitted.last = x
}

// pgReaderOf tells whose code is in front of a return address. Until main.main begins, not all
// packages are known.
func pgReaderOf(pc uintptr) int {
	k := &presageEmitted.found[pc*0x9E3779B97F4A7C15>>52]
	if x := atomic.Loaduintptr(k); x>>2 == pc {
		return int(x & 3)
	}
	over := presageVars.over
	pgFence()
	x := pgFindReader(pc)
	if !over && x != pgReaderRuntime {
		return pgReaderUnknown
	}
	atomic.Storeuintptr(k, pc<<2|uintptr(x))
	return x
}

// pgFindReader goes by the package in the name of the innermost function, and by the directory of
// its source. A literal of outside code that is inlined in emitted code has the one of emitted code
// and the other of its own.
func pgFindReader(pc uintptr) int {
	f := findfunc(pc - 1)
	if !f.valid() {
		return pgReaderUnknown
	}
	u, k := newInlineUnwinder(f, pc-1)
	path := pgPathOf(u.srcFunc(k).name())
	if path == "runtime" {
		return pgReaderRuntime
	}
	file, _ := u.fileLine(k)
	at := pgReaderOutside
	for x := presageEmitted.last; x != nil; x = x.next {
		named, there := path == x.path, stringslite.HasPrefix(file, x.dir) && stringslite.IndexByte(file[len(x.dir):], '/') < 0
		switch {
		case named && there && x.whole:
			return pgReaderEmitted
		case named || there:
			at = pgReaderUnknown
		}
	}
	return at
}
