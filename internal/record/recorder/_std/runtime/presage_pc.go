package runtime

import (
	"internal/runtime/atomic"
	"internal/stringslite"
)

// Program counters in the entries of outside code. The recording has the source line of each.

// pgPCEntry is a program counter as in an entry; 0 if it is too far from the program's text.
//
//go:nosplit
func pgPCEntry(pc uintptr) uint64 {
	d := uint64(pc-firstmoduledata.text) >> 2
	if d > pgPCMask {
		return 0
	}
	return d
}

// outsideSite is what stands in the place of a site for an access at a program counter of outside
// code, of which the recording then has the place.
func (s *PresageG) outsideSite(callerpc uintptr) uint64 {
	pc := pgPCEntry(pgCallOf(callerpc))
	s.knowPC(pc)
	return pc | pgOutsidePC
}

// pgCallOf returns the return address of the call of package internal/race that is under way. It is
// callerpc where that call is inlined.
func pgCallOf(callerpc uintptr) uintptr {
	if !pgIsRace(callerpc) {
		return callerpc
	}
	var pcs [8]uintptr
	for _, pc := range pcs[:callers(1, pcs[:])] {
		if !pgIsRace(pc) && !stringslite.HasPrefix(funcname(findfunc(pc-1)), "runtime.") {
			return pc
		}
	}
	return callerpc
}

// pgIsRace reports whether a return address is in a function of package internal/race.
func pgIsRace(pc uintptr) bool {
	return stringslite.HasPrefix(funcname(findfunc(pc-1)), "internal/race.")
}

// pgPCs are the program counters of which the recording has the place, by hash.
var pgPCs [1 << 16]uint32

// knowPC writes down which place a program counter of an entry is.
func (s *PresageG) knowPC(pc uint64) {
	h := uint32(pc) * 0x9E3779B1 >> 16
	for range 64 {
		switch x := atomic.Load(&pgPCs[h]); x {
		case uint32(pc) + 1:
			return
		case 0:
			if atomic.Cas(&pgPCs[h], 0, uint32(pc)+1) {
				s.writePC(pc)
				return
			}
			continue
		}
		h = (h + 1) % uint32(len(pgPCs))
	}
	s.writePC(pc)
}

// writePC writes a RawPC. The program counter has lost its last two bits. It is the return address
// of a call of five bytes, so the byte in front of it without them is in the call. What package
// internal/race is inlined in is the place.
func (s *PresageG) writePC(pc uint64) {
	at := firstmoduledata.text + uintptr(pc)<<2 - 1
	name, file, line := "", "", 0
	if f := findfunc(at); f.valid() {
		u, k := newInlineUnwinder(f, at)
		name = u.srcFunc(k).name()
		for stringslite.HasPrefix(name, "internal/race.") && u.next(k).valid() {
			k = u.next(k)
			name = u.srcFunc(k).name()
		}
		file, line = u.fileLine(k)
	}
	name, file = name[:min(len(name), 4000)], file[:min(len(file), 4000)]
	n := uintptr(len(name) + 1 + len(file))
	words := (n + 7) / 8
	p := s.room(2 + int(words))
	pgStore(p+8, uint64(uint32(line)))
	pgText(p+16, name, file)
	pgStore(p, pgHead(pgRawPC, 0, uint64(n), pc))
	s.pos = p + 16 + words*8
}
