package runtime

import "unsafe"

// The audit of accesses of outside code (PRESAGE_OUTSIDE=audit): every access is written down with
// the bytes that it reads or writes, so that each read can be compared with its recorded writer.
// Memory that code without hooks has written shows there. No other access of outside code is
// written down.
//
//   - (AU1) A hook runs before its access. A read is written down at once, with what the memory
//     holds.
//   - (AU2) A write is held, and written down with what the memory holds when the goroutine comes
//     to its next hook or operation of synchronisation. Until then no other goroutine can be
//     ordered behind the write.
//   - (AU3) The runtime announces some copies in two steps, the write first. A read that is
//     announced leaves an announced write held, besides writing it down: the copy may still be to
//     come.
//   - (AU4) The runtime announces operations on maps and channels by the address of their header.
//     It changes the header without hooks, so such a write has no value, and such a read is left
//     out.

// auditAnnounced takes an access that the runtime announces. Of an operation on a header, n is 0
// (AU4).
func auditAnnounced(addr unsafe.Pointer, n uintptr, write bool, pc uintptr) {
	gp := getg()
	x := uintptr(addr)
	if gp != gp.m.curg || x-gp.stack.lo < gp.stack.hi-gp.stack.lo || !presage.on || !pgHasCell(x) || n == 0 && !write {
		return
	}
	s := pgState(gp)
	if s == nil || s.off {
		return
	}
	s.outAddr, s.outSize, s.outPC, s.outWrite, s.outAnnounced = x, n, pc, write, true
	systemstack(func() { getg().m.curg.presage.audit() })
}

// audit takes the access that is in the state.
func (s *PresageG) audit() { // (AU1)
	keep := s.outAnnounced && !s.outWrite && s.heldAnnounced // (AU3)
	addr, n, pc := s.outAddr, s.outSize, s.outPC
	if s.heldSize != 0 {
		held := s.heldSize
		s.writeHeld()
		if keep {
			s.heldSize = held
		}
	}
	switch {
	case !s.outWrite:
		s.auditValues(pgRead, addr, n, pc)
	case n == 0:
		s.touch(pgHead(pgWrite, pgFlagOpaque|pgFlagNoValue, 0, 0), addr&^7, 8)
	default:
		s.heldAddr, s.heldSize, s.heldPC, s.heldAnnounced = addr, n, pc, s.outAnnounced
	}
}

// writeHeld writes the held write down (AU2).
func (s *PresageG) writeHeld() {
	n := s.heldSize
	s.heldSize = 0
	if !s.off {
		s.auditValues(pgWrite, s.heldAddr, n, s.heldPC)
	}
}

// pgAuditBytes is how much of an access is one record.
const pgAuditBytes = 2048

// auditValues writes down an access with what the memory holds.
func (s *PresageG) auditValues(kind uint64, addr, n, pc uintptr) {
	at := pgPCEntry(pc)
	s.knowPC(at)
	for n > 0 {
		k := min(8-addr&7, n)
		if k == 8 {
			k = min(n&^7, pgAuditBytes)
		}
		p := s.room(2 + max(1, int(k/8)))
		pgStore(p+8, uint64(addr))
		if k < 8 {
			pgStore(p+16, pgLoad(unsafe.Pointer(addr), k))
		} else {
			memmove(unsafe.Pointer(p+16), unsafe.Pointer(addr), k)
		}
		pgStore(p, pgHead(kind, pgFlagFull|pgFlagOpaque, uint64(k), at|pgOutsidePC))
		s.pos = p + 8*(2+max(1, k/8))
		addr, n = addr+k, n-k
	}
}
