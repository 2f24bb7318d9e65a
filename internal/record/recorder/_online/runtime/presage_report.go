package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// A race is printed at once on standard error, and written into the file from which the final
// report is made (internal/online): lines of fields between tabs,
//
//	race  kind  kind of the earlier access  address  goroutine  goroutine of the earlier access
//	at    function  line  file              frames of the access, the innermost first
//	old   function  line  file              the frame of the earlier one, with what is inlined there
//	go    function  line  file              where the goroutine was started; started goroutine's creator first
//	oldgo function  line  file
//	end
//	begin  parent's process       of a program; one that executes another has two
//	count  name  number           at the end of the process: what each rule did,
//	blind  name  number           and what the detector has no hooks in
//	exit                          behind the counts

// ftOpen opens the file of this process in dir.
func ftOpen(dir string) {
	if dir == "" || len(dir) > len(presage.dir)-64 {
		return
	}
	n := copy(presage.dir[:], dir)
	presage.dir[n] = '/'
	n++
	pid, _, _ := pgsys.Syscall6(39, 0, 0, 0, 0, 0, 0)
	n += ftDecimal(presage.dir[n:], uint64(pid))
	n += copy(presage.dir[n:], ".races\x00")
	presage.dirLen = n - 1
	const flags = 0o1 | 0o100 | 0o2000 | 0o2000000 // O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC
	fd, _, e := pgsys.Syscall6(257, ^uintptr(99), uintptr(unsafe.Pointer(&presage.dir)), flags, 0o600, 0, 0)
	if e == 0 {
		presage.fd = int32(fd)
		l := &ftOut.lines
		ppid, _, _ := pgsys.Syscall6(110, 0, 0, 0, 0, 0, 0)
		l.str("begin\t").num(uint64(ppid)).str("\n")
		write(fd, unsafe.Pointer(&l.buf), int32(l.n))
	}
}

func ftDecimal(b []byte, v uint64) int {
	n := 1
	for w := v; w > 9; w /= 10 {
		n++
	}
	for i := n - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return n
}

// ftText is a text in the making, outside the heap. What is too long is cut, but for how it ends.
type ftText struct {
	n   int
	buf [32 << 10]byte
}

const ftTextEnd = 64 // bytes left for how a text ends

func (t *ftText) str(s string) *ftText {
	if room := len(t.buf) - ftTextEnd - t.n; room > 0 {
		t.n += copy(t.buf[t.n:t.n+room], s)
	}
	return t
}

func (t *ftText) end(s string) {
	if t.n > 0 && t.buf[t.n-1] != '\n' {
		t.n += copy(t.buf[t.n:], "\n")
	}
	t.n += copy(t.buf[t.n:], s)
}

func (t *ftText) num(v uint64) *ftText {
	if len(t.buf)-ftTextEnd-t.n > 20 {
		t.n += ftDecimal(t.buf[t.n:], v)
	}
	return t
}

func (t *ftText) hex(v uintptr) *ftText {
	t.str("0x")
	for s := 44; s >= 0; s -= 4 {
		if d := v >> s & 15; (v>>s != 0 || s == 0) && t.n < len(t.buf)-ftTextEnd {
			t.buf[t.n] = "0123456789abcdef"[d]
			t.n++
		}
	}
	return t
}

var ftOut struct {
	mu    mutex
	human ftText
	lines ftText
	pcs   [64]uintptr
	seen  [1 << 12]uint64 // pairs of sites that have been reported
	many  int64           // times that this was full
	total ftStats
}

var ftKindNames = [...]string{"read", "atomic read", "atomic write", "write"}

// report tells what goroutine gp has found. The frames on its stack must still be those of the
// access.
func (s *PresageG) report(gp *g) {
	if s.ft.n == 0 {
		return
	}
	mp := acquirem()
	systemstack(func() {
		lock(&ftOut.mu)
		for i := 0; i < s.ft.n; i++ {
			s.tell(gp, &s.ft.found[i])
		}
		s.ft.n = 0
		unlock(&ftOut.mu)
	})
	releasem(mp)
}

// ftFresh reports whether a pair of sites has not been reported yet, and notes it.
func ftFresh(a, b uint64) bool {
	if a > b {
		a, b = b, a
	}
	key := (a<<ftSiteBits|b)<<1 | 1
	for i, k := 0, key*0x9E3779B97F4A7C15>>52; i < len(ftOut.seen); i, k = i+1, (k+1)%uint64(len(ftOut.seen)) {
		switch ftOut.seen[k] {
		case key:
			return false
		case 0:
			ftOut.seen[k] = key
			return true
		}
	}
	ftOut.many++
	return false
}

func (s *PresageG) tell(gp *g, f *ftFound) {
	if !ftFresh(ftSite(f.pc)<<2|uint64(f.kind), f.old&ftSiteMask<<2|uint64(f.oldKind)) {
		return
	}
	presage.races.Add(1)
	who, me := ftWhose(f.old), ftWhose(f.oldEpoch)
	h, l := &ftOut.human, &ftOut.lines
	h.n, l.n = 0, 0
	h.str("==================\nDATA RACE (observed, presage -online)\n")
	l.str("race\t").str(ftKindNames[f.kind]).str("\t").str(ftKindNames[f.oldKind]).str("\t").hex(f.addr).str("\t").num(s.ft.goid).str("\t").num(who.goid).str("\n")
	l.str("from\t").num(uint64(me.from)).str("\t").num(uint64(who.from)).str("\n")
	h.str(ftKindNames[f.kind]).str(" at ").hex(f.addr).str(" by goroutine ").num(s.ft.goid).str("\n")
	n := 0
	if s.sp != 0 {
		var u unwinder
		u.initAt(s.pc, s.sp, 0, gp, unwindSilentErrors)
		n = tracebackPCs(&u, 0, ftOut.pcs[:])
	}
	if n == 0 {
		ftOut.pcs[0] = f.pc
		n = 1
	}
	for i := 0; i < n; i++ {
		ftFrames("at", ftOut.pcs[i]-1, i == 0 && s.sp == 0)
	}
	h.str("earlier ").str(ftKindNames[f.oldKind]).str(" by goroutine ").num(who.goid).str("\n")
	ftFrames("old", ftPC(f.old), true)
	ftStarted("go", s.ft.goid, me)
	ftStarted("oldgo", who.goid, who)
	h.end("==================\n")
	l.end("end\n")
	write(2, unsafe.Pointer(&h.buf), int32(h.n))
	if presage.fd >= 0 {
		write(uintptr(presage.fd), unsafe.Pointer(&l.buf), int32(l.n))
	}
	if presage.halt {
		exit(66)
	}
}

// ftFrames writes the frames of a pc inside a call: of tracebackPCs each inlined function has a pc
// of its own, so only the innermost is meant, unless all is set.
func ftFrames(tag string, pc uintptr, all bool) {
	f := findfunc(pc)
	if !f.valid() {
		return
	}
	iu, uf := newInlineUnwinder(f, pc)
	for ; uf.valid(); uf = iu.next(uf) {
		file, line := iu.fileLine(uf)
		name := iu.srcFunc(uf).name()
		if stringslite.HasPrefix(name, "internal/race.") {
			if all {
				continue // through which the standard library says what a system call touches
			}
			return
		}
		ftOut.human.str("  ").str(name).str("()\n      ").str(file).str(":").num(uint64(line)).str("\n")
		ftOut.lines.str(tag).str("\t").str(name).str("\t").num(uint64(line)).str("\t").str(file).str("\n")
		if !all {
			return
		}
	}
}

// ftStarted writes which goroutine started a goroutine, and where.
func ftStarted(tag string, goid uint64, who ftWho) {
	if who.by == 0 || goid == 1 {
		return
	}
	h := &ftOut.human
	h.str("goroutine ").num(goid).str(" was started ")
	if who.from != 0 {
		h.str("by goroutine ").num(uint64(who.from)).str(" ")
	}
	h.str("at\n")
	ftFrames(tag, who.by-1, true)
}

// presageEnds is for the recorder.
func presageEnds() {}

// presageExit tells what the rules did. Goroutines that still run may count on meanwhile.
func presageExit() {
	if presage.fd < 0 {
		return
	}
	calls := NumCgoCall()
	systemstack(func() {
		lock(&ftOut.mu)
		t := &ftOut.total
		t.add(&ftTotal)
		for s := presage.all; s != nil; s = s.all {
			t.add(&s.ft.stats)
		}
		l := &ftOut.lines
		l.n = 0
		for _, c := range [...]struct {
			name string
			n    int64
		}{
			{"ReadSameEpoch", t.readSameEpoch}, {"ReadShared", t.readShared}, {"ReadExclusive", t.readExclusive}, {"ReadShare", t.readShare},
			{"WriteSameEpoch", t.writeSameEpoch}, {"WriteExclusive", t.writeExclusive}, {"WriteShared", t.writeShared},
			{"Atomic", t.atomic}, {"ChecksFailed", t.checksFailed},
			{"Slots", int64(ftSlots.n) - 1}, {"SlotsAgain", t.slotsAgain}, {"SlotsMoved", t.moves},
			{"SlotsEarly", t.slotsEarly}, {"Unseen", t.unseen}, {"ReadsForgotten", t.readsForgotten}, {"PairsUntold", ftOut.many},
			{"TreeTaken", t.locks}, {"TreeReturned", t.returned}, {"TreeLocks", t.locksAgain},
		} {
			if !ftFilter && c.name[0] == 'T' {
				continue
			}
			l.str("count\t").str(c.name).str("\t").num(uint64(c.n)).str("\n")
		}
		ftBlind(l, calls)
		l.end("exit\n")
		write(uintptr(presage.fd), unsafe.Pointer(&l.buf), int32(l.n))
		presage.fd = -1
		unlock(&ftOut.mu)
	})
}

// ftForks counts the processes that were started.
var ftForks uint32

//go:nosplit
func presageForked() { atomic.Xadd(&ftForks, 1) }

// ftBlind tells what was done where the detector has no hooks. calls: of C.
func ftBlind(l *ftText, calls int64) {
	if iscgo {
		calls-- // the runtime has said that it is ready
	}
	plugins := 0
	for m := firstmoduledata.next; m != nil; m = m.next {
		plugins++
	}
	for _, c := range [...]struct {
		name string
		n    int64
	}{{"Started", int64(atomic.Load(&ftForks))}, {"IntoC", calls}, {"Foreign", int64(ftForeign)}, {"Plugins", int64(plugins)}} {
		if c.n > 0 {
			l.str("blind\t").str(c.name).str("\t").num(uint64(c.n)).str("\n")
		}
	}
}

// ftWhose returns the goroutine that an epoch belongs to; goid 0 if that is forgotten.
func ftWhose(w uint64) ftWho {
	s, c := ftSlotOf(w), ftClockOf(w)
	if s == 0 || s >= ftMaxSlots {
		return ftWho{}
	}
	ftLock(&ftSlots.lock)
	defer ftUnlock(&ftSlots.lock)
	r := &ftSlots.list.list[s]
	for i := uint32(1); i <= uint32(len(r.who)) && i <= r.next; i++ {
		if who := r.who[(r.next-i)%uint32(len(r.who))]; who.first <= c {
			return who
		}
	}
	return ftWho{}
}
