package runtime

import "unsafe"

// Where records go: a stream is a list of chunks, in segments, which are mapped files, or in boxes
// (presage_log.go).

// A pgSpan is memory for a chunk, zero up to clean.
type pgSpan struct {
	addr, end, clean uintptr
	box              *pgBox
}

// room makes room for n words, now, and keeps what is promised.
func (s *PresageG) room(n int) uintptr {
	if s.left < n {
		s.grow2(n)
	}
	s.left -= n
	return s.pos
}

// reserve makes room for the records of an operation, before others have to wait for it.
func (s *PresageG) reserve() {
	if s.heldSize != 0 {
		s.writeHeld()
	}
	if s.left < pgReserved {
		s.grow2(pgReserved)
	}
}

// grow2 is the slow path of room. Blocks and Rooms before the last may have promised more than
// was used: that is reclaimed. In a loop in which a channel operation always comes first to the
// slow path, nothing else would.
//
//go:noinline
func (s *PresageG) grow2(n int) {
	s.due()
	if s.left >= n {
		return
	}
	promised := min(s.avail()-s.left, pgPromised)
	s.grow(promised + n)
	s.left -= promised
}

// grow is the slow path of Block and Room: n+1 words are free then, and promises forgotten.
//
//go:noinline
func (s *PresageG) grow(n int) {
	s.due()
	if s.avail() <= n {
		if need := uintptr(n+3) * 8; s.off || s.pos+need > s.hard {
			s.newChunk(need)
		} else {
			s.stampAlone()
			s.limit(need)
		}
	}
	s.left = s.avail()
}

func (s *PresageG) avail() int { return int(s.end-s.pos) / 8 }

// due writes the stamp that is due since a garbage collection, if there is room. The goroutine may
// be preempted where it calls, and the next collection may be over when it goes on: then one is due
// again.
func (s *PresageG) due() {
	for s.left < -pgDue/2 {
		s.left += pgDue
		if s.left >= 2 {
			s.left -= 2
			s.stampAlone()
		}
	}
}

// stampAlone writes a RawStamp; the caller knows that there is room.
func (s *PresageG) stampAlone() {
	pgStore(s.pos+8, s.tick())
	pgStore(s.pos, pgHead(pgRawStamp, 0, 0, 0))
	s.pos += 16
}

// limit says where the next stamp is due, with n bytes before it, and makes what lies before it
// zero, and the stamp (grow writes it before the next limit), and the word after: a box that is
// used again has old records there, and a reader of what a killed process left takes them for new
// ones.
func (s *PresageG) limit(n uintptr) {
	s.end = min(s.pos+max(n, pgSoft), s.hard)
	if clean := min(s.end+3*8, s.hard); clean > s.clean {
		memclrNoHeapPointers(unsafe.Pointer(s.clean), clean-s.clean)
		s.clean = clean
	}
	s.left = s.avail()
}

// newChunk goes on in a new chunk, with room for n bytes.
func (s *PresageG) newChunk(n uintptr) {
	s.scan()
	need := n + (pgChunkHeaderWords+2)*8
	var c pgSpan
	if presage.on && !s.off {
		c = s.chunk(need)
	}
	if c.addr == 0 {
		s.scratch(need)
		return
	}
	s.box, s.hard = c.box, c.end
	s.pos = c.addr + pgChunkHeaderWords*8
	s.scanned = s.pos
	s.clean = max(c.clean, s.pos)
	s.limit(n + 2*8)
	pgStore(c.addr+8, s.goid)
	pgStore(c.addr+16, s.stream<<32|uint64(s.seq)) // a box is not void any more
	pgStore(c.addr, pgRawChunk<<56|pgRawVersion<<48|uint64((c.end-c.addr)/8))
	s.seq++
	if s.seq > 2 {
		s.stampAlone()
		s.left = s.avail()
	}
}

// scratch points s into memory that is never read.
func (s *PresageG) scratch(need uintptr) {
	if need > pgScratchSize {
		throw("presage: block of records too large")
	}
	if presage.scratch == 0 {
		lock(&presage.mu)
		if presage.scratch == 0 {
			presage.scratch = pgMapScratch(pgScratchSize)
		}
		unlock(&presage.mu)
	}
	s.off = true
	s.box = nil
	s.pos = presage.scratch
	if w := uintptr(s.stream) % 64 * 4096; w+max(need, 4096) <= pgScratchSize {
		s.pos += w
	}
	s.scanned = s.pos
	s.hard = s.pos + max(need, 4096)
	s.end = s.hard
	s.left = s.avail()
}

// chunk hands out memory for the next chunk of s, with room for need bytes: a box that can be used
// again, or, for a first chunk, the rest of a chunk that its goroutine did not need; or new memory,
// the more the longer the stream is.
func (s *PresageG) chunk(need uintptr) (c pgSpan) {
	lock(&presage.mu)
	c = s.chunkLocked(need)
	unlock(&presage.mu)
	if c.addr != 0 && c.clean == c.end && c.end-c.addr >= pgPopulated && c.end-c.addr <= pgBoxSize {
		pgPopulate(c.addr&^(physPageSize-1), c.end-c.addr)
	}
	return c
}

func (s *PresageG) chunkLocked(need uintptr) (c pgSpan) {
	if s.box != nil && !pgWriteBox(s.box) {
		return c
	}
	size := uintptr(pgRawBlockWords*8) << (2 * min(s.seq, 4))
	for size < need {
		size *= 2
	}
	if size <= pgBoxSize {
		b, more := pgBoxOf(need, size == pgBoxSize)
		if b != nil {
			return pgSpan{b.pos, b.addr + pgBoxSize, b.clean, b}
		}
		if !more {
			return c
		}
	}
	if s.seq == 0 && presage.spares > 0 {
		presage.spares--
		c = presage.spare[presage.spares]
		if c.end-c.addr >= need {
			return c
		}
		c = pgSpan{}
	}
	align := uintptr(pgRawBlockWords * 8)
	if size == pgBoxSize {
		align = 4096 // for the direct write
	}
	off := alignUp(presage.off, align)
	if off+size > presage.size {
		if !pgNextSegment(size + 4096) {
			return c
		}
		off = alignUp(presage.off, align)
	}
	presage.off = off + size
	c = pgSpan{presage.base + off, presage.base + off + size, presage.base + off + size, nil}
	if size == pgBoxSize {
		c.box = pgNewBox(c.addr)
	}
	return c
}

// pgNextSegment maps the next segment, with room for a chunk of size bytes.
// presage.mu is held.
func pgNextSegment(size uintptr) bool {
	if !presage.on && presage.segment > 0 {
		return false
	}
	n := uintptr(1<<20) << min(presage.segment, 5)
	for n < size+pgRawBlockWords*8 {
		n *= 2
	}
	base, reason := pgMapSegment(presage.segment, n)
	if reason != 0 {
		pgStop(reason)
		return false
	}
	pgStore(base+8, pgRawVersion)
	pgStore(base+16, presage.pid)
	pgStore(base+24, presage.segment)
	pgStore(base+32, uint64(n/8))
	if presage.head == 0 {
		presage.head = base
		sec, nsec, _ := time_now()
		pgStore(base+48, uint64(sec)*1e9+uint64(nsec))
		pgStore(base+56, pgTicks())
	}
	pgStore(base, pgSegMagic)
	presage.base, presage.off, presage.size = base, pgRawBlockWords*8, n
	presage.segment++
	return true
}

// pgStop ends the recording; the program goes on.
func pgStop(reason uint64) {
	if presage.head != 0 { // before others see it: what they leave out has no stamp up to this one
		pgStore(presage.head+64, pgTicks())
		pgStore(presage.head+40, reason)
	} else if presage.limit != nil { // no file says it
		presage.limit[pgLimitUnrecorded+reason].Add(1)
	}
	presage.on = false
}
