package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/sys"
	"unsafe"
)

// The log: where the records of large streams go, so that the memory they are written to is used
// again. A page of a mapped file costs the kernel more, at its first touch, than all the records on
// it cost the program.
//
// A box is a chunk of the largest size. One that is full is written to the log as it is, by the
// kernel and while the program goes on (Linux AIO, O_DIRECT; plain writes where there is neither),
// and is then void and handed out again. Up to that moment the records are in the segment, from
// then on in the log, so a killed process leaves them in one place or both: a box in a segment that
// is not void stands for its copy in the log, whatever state that is in.
//
// No file stays open: each write opens the log and closes it. All this is done with presage.mu
// held, which costs a goroutine some microseconds for a box; only if pgFlying boxes are on their
// way does it wait for the disk.

const (
	pgBoxSize = pgRawBoxWords * 8
	pgFlying  = 16 // boxes
)

// A pgBox is a chunk whose memory is used again.
type pgBox struct {
	_     sys.NotInHeap
	addr  uintptr
	pos   uintptr // of a rest: where the next chunk starts
	clean uintptr // and up to where it is zero
	log   uint64  // on its way: number of the log's file
	off   uintptr // and place in it
	next  *pgBox
	iocb  pgIocb
}

// pgIocb is struct iocb of the kernel, pgEvent struct io_event.
type pgIocb struct {
	data  *pgBox
	_     uint64
	op    uint16
	_     uint16
	fd    uint32
	buf   uintptr
	n     uint64
	off   uint64
	_, __ uint64
}

type pgEvent struct {
	data   *pgBox
	_      uint64
	result int64
	_      uint64
}

// presageLog is guarded by presage.mu.
var presageLog struct {
	rests    *pgBox // their goroutines ended and left room
	ready    *pgBox // void
	flying   int
	files    uint64
	off      uintptr // in the last file
	size     uintptr
	aio      uintptr // the kernel's context
	asked    bool    // for it
	buffered bool    // no O_DIRECT here
	events   [pgFlying]pgEvent
}

// pgBoxOf returns a box with room for need bytes. If there is none that can be used again, it waits
// for one if that is asked for and enough are on their way; else more is true.
func pgBoxOf(need uintptr, wait bool) (b *pgBox, more bool) {
	l := &presageLog
	for b = l.rests; b != nil; b = l.rests {
		l.rests = b.next
		if b.addr+pgBoxSize-b.pos >= need {
			return b, false
		}
		if !pgWriteBox(b) {
			return nil, false
		}
	}
	if l.ready == nil && l.flying > 0 {
		if wait && l.flying == pgFlying {
			pgReap(1)
		} else {
			pgReap(0)
		}
	}
	if b = l.ready; b != nil {
		l.ready = b.next
		b.pos, b.clean = b.addr, b.addr
	}
	return b, b == nil
}

// pgNewBox makes a box of a chunk.
func pgNewBox(addr uintptr) *pgBox {
	b := (*pgBox)(persistentalloc(unsafe.Sizeof(pgBox{}), 64, &memstats.other_sys))
	b.addr, b.pos, b.clean = addr, addr, addr+pgBoxSize
	return b
}

// pgWriteBox starts to write b to the log. If that is not possible, recording stops.
func pgWriteBox(b *pgBox) bool {
	l := &presageLog
	if l.off == l.size && !pgNextLog() {
		return false
	}
	b.log, b.off = l.files-1, l.off
	l.off += pgBoxSize
	if pgBeyond(b.off + pgBoxSize) {
		pgStop(pgStopNoDisk)
		return false
	}
	fd, e := pgOpenLog(b.log)
	if e != 0 {
		pgStop(pgStopNoFile)
		return false
	}
	if !l.asked {
		l.asked = true
		pgsys.Syscall6(pgSysIoSetup, pgFlying, uintptr(unsafe.Pointer(&l.aio)), 0, 0, 0, 0)
	}
	if l.aio != 0 {
		if l.flying == pgFlying {
			pgReap(1)
		}
		b.iocb = pgIocb{data: b, op: 1 /* IOCB_CMD_PWRITE */, fd: uint32(fd), buf: b.addr, n: pgBoxSize, off: uint64(b.off)}
		list := [1]*pgIocb{&b.iocb}
		n, _, _ := pgsys.Syscall6(pgSysIoSubmit, l.aio, 1, uintptr(unsafe.Pointer(&list)), 0, 0, 0)
		if n == 1 {
			l.flying++
			closefd(int32(fd))
			return true
		}
	}
	ok := pgPwrite(fd, b.addr, pgBoxSize, b.off)
	closefd(int32(fd))
	return pgWritten(b, ok)
}

// pgWritten makes b void if it is in the log. What the kernel did not write at the first try (no
// O_DIRECT after all, a write cut short) is written again.
func pgWritten(b *pgBox, ok bool) bool {
	l := &presageLog
	if !ok {
		l.buffered = true
		fd, e := pgOpenLog(b.log)
		if e != 0 {
			pgStop(pgStopNoFile)
			return false
		}
		ok = pgPwrite(fd, b.addr, pgBoxSize, b.off)
		closefd(int32(fd))
		if !ok {
			pgStop(pgStopNoDisk)
			return false
		}
	}
	pgStore(b.addr+16, 0)
	b.next = l.ready
	l.ready = b
	return true
}

// pgReap takes note of the boxes that were written; it waits for at least so many.
func pgReap(atLeast uintptr) {
	l := &presageLog
	for {
		var now [2]uint64
		timeout := unsafe.Pointer(&now)
		if atLeast > 0 {
			timeout = nil
		}
		n, _, e := pgsys.Syscall6(pgSysIoGetevents, l.aio, atLeast, pgFlying, uintptr(unsafe.Pointer(&l.events)), uintptr(timeout), 0)
		if e == pgEINTR {
			continue
		}
		if e != 0 { // what is on its way stays in its boxes
			pgStop(pgStopNoDisk)
			return
		}
		for i := range l.events[:n] {
			l.flying--
			pgWritten(l.events[i].data, l.events[i].result == pgBoxSize)
		}
		return
	}
}
