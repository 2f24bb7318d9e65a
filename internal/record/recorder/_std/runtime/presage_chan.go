package runtime

import "unsafe"

// Records of channels. All but presageChanBegin are called with the locks of the channels held, so
// their stamps are in the order of the operations.

// presageChanBegin starts an operation on c. As the race detector has it, a send
// reads the channel and a close writes it.
func presageChanBegin(c *hchan, send, block bool) {
	s := pgAt(uintptr(unsafe.Pointer(c)))
	if s == nil {
		return
	}
	s.nonblock = !block
	if send {
		s.chanAccess(pgRead, c)
	}
	s.reserve()
}

func (s *PresageG) chanAccess(kind uint64, c *hchan) {
	s.touch(s.keep(kind, pgFlagNoValue, 0), uintptr(unsafe.Pointer(c)), 1)
}

// touch writes the record h of an access of n bytes at p without a value.
func (s *PresageG) touch(h uint64, p uintptr, n uint64) {
	q := s.room(3)
	pgStore(q+8, uint64(p))
	pgStore(q+16, n)
	pgStore(q, h)
	s.pos = q + 24
}

// chanOp writes the record of an operation on c with the element at elem.
func (s *PresageG) chanOp(kind, flags uint64, c *hchan, elem unsafe.Pointer) {
	var v uint64
	if elem == nil || c.elemsize == 0 || c.elemsize > 8 {
		flags |= pgFlagNoValue
	} else {
		v = pgLoad(elem, uintptr(c.elemsize))
	}
	if s.nonblock {
		flags |= pgFlagNonBlocking
	}
	s.put3(nil, s.take(kind, flags, 0), uintptr(unsafe.Pointer(c)), v, uint64(c.dataqsiz))
}

// presageChanOp records a send or receive of the running goroutine.
func presageChanOp(kind uint64, c *hchan, elem unsafe.Pointer) {
	if s := pgHere(); s != nil {
		s.chanOp(kind, 0, c, elem)
	}
}

// presageChanClosed records a receive from a closed channel.
func presageChanClosed(c *hchan) {
	if s := pgHere(); s != nil {
		s.chanOp(pgChanRecv, pgFlagClosed, c, nil)
	}
}

// presageChanSend records a send of the running goroutine to the waiting receiver sg.
func presageChanSend(c *hchan, sg *sudog, ep unsafe.Pointer) {
	if s := pgHere(); s != nil {
		s.chanOp(pgChanSend, 0, c, ep)
		r := pgPartner(sg)
		r.chanOp(pgChanRecv, 0, c, ep)
	}
}

// presageChanRecv records a receive of the running goroutine while sg waits to send. If the
// channel has a buffer, it receives the element at head, and sg's goes to the end of the queue.
func presageChanRecv(c *hchan, sg *sudog, elem, head unsafe.Pointer) {
	r := pgHere()
	if r == nil {
		return
	}
	s := pgPartner(sg)
	if c.dataqsiz == 0 {
		s.chanOp(pgChanSend, 0, c, elem)
		r.chanOp(pgChanRecv, 0, c, elem)
		return
	}
	r.chanOp(pgChanRecv, 0, c, head)
	s.chanOp(pgChanSend, 0, c, elem)
}

// presageChanClose records a close.
func presageChanClose(c *hchan) {
	if s := pgHere(); s != nil {
		s.chanAccess(pgWrite, c)
		s.nonblock = false
		s.chanOp(pgChanClose, 0, c, nil)
	}
}

// presageChanWoken records that the goroutine of sg, which waited for c, receives because of a
// close; a sender will panic.
func presageChanWoken(c *hchan, sg *sudog, send bool) {
	if !presage.on {
		return
	}
	s := pgPartner(sg)
	if send {
		s.chanPanics(c)
		return
	}
	s.chanOp(pgChanRecv, pgFlagClosed, c, nil)
}

// presageChanPanics records that a send on c, or a close, panics, because c is closed.
func presageChanPanics(c *hchan) {
	pgTake()
	if s := pgHere(); s != nil {
		s.chanPanics(c)
	}
}

// chanPanics writes a look at c by code without records: that c is closed orders nothing, but is
// why there is a panic, so the close stays before it in prediction (package window, hard edges).
func (s *PresageG) chanPanics(c *hchan) {
	s.site = 0
	s.put3(nil, s.take(pgChanLen, 0, 0), uintptr(unsafe.Pointer(c)), uint64(c.qcount), uint64(c.dataqsiz))
}

// pgPartner returns the state of the goroutine that waits with sg. If it waits in a
// select, the cases that were not chosen are written first.
func pgPartner(sg *sudog) *PresageG {
	s := pgState(sg.g)
	if s.cases == 0 {
		return s
	}
	i := 0
	for w := sg.g.waiting; w != sg; w = w.waitlink {
		i++
	}
	n, chosen := s.cases, s.parked(i).number()
	s.cases = 0
	for j := 0; j < n; j++ {
		c := s.parked(j)
		pgStore(s.list+uintptr(j)*8, 0)
		if j != i {
			s.selectCase(c.channel(), c&1 != 0, c.number(), chosen)
		}
	}
	return s
}

// A pgParked is a case of a select that waits: the channel, with bit 0 of a send, and above it the
// number of the case, from 1 on.
type pgParked uint64

const pgParkedShift = 48

func (s *PresageG) parked(j int) pgParked {
	return *(*pgParked)(unsafe.Pointer(s.list + uintptr(j)*8))
}

func (c pgParked) number() uint64 { return uint64(c >> pgParkedShift) }

func (c pgParked) channel() *hchan {
	return (*hchan)(unsafe.Pointer(uintptr(c & (1<<pgParkedShift - 1) &^ 1)))
}

// presageChanDefault records that a select with one case and a default takes the default.
func presageChanDefault(c *hchan, send bool) {
	if s := pgHere(); s != nil {
		s.selectCase(c, send, 0, 0)
		s.selectDefault()
		pgBump(uintptr(unsafe.Pointer(c)), s.last)
	}
}

// selectCase writes a case that was not chosen. The trace of a steered run has its number, and that
// of the chosen one, from 1 on, as a value: the order of the records is that of the addresses.
func (s *PresageG) selectCase(c *hchan, send bool, number, chosen uint64) {
	flags, value := uint64(pgFlagNoValue), uint64(0)
	if send {
		flags |= pgFlagWrite
	}
	if presageSteer.on {
		value = number | chosen<<16
	}
	s.put3(nil, s.keep(pgSelectCase, flags, 0), uintptr(unsafe.Pointer(c)), value, uint64(c.dataqsiz))
}

func (s *PresageG) selectDefault() {
	s.records++ // as package explore counts
	p := s.room(2)
	pgStore(p+8, s.tick())
	pgStore(p, s.take(pgSelectDefault, 0, 0))
	s.pos = p + 16
}

// presageNilDefault records the default of a select whose only channel is nil.
func presageNilDefault() {
	if s := pgHere(); s != nil {
		s.selectDefault()
	}
}

// presageSelect begins a select. Its cases are in the order of order, the first nsends of scases
// are sends.
func presageSelect(scases []scase, order []uint16, nsends int, block bool) {
	s := pgHere()
	if s == nil {
		return
	}
	s.nonblock = !block
	for _, i := range order {
		if int(i) < nsends {
			s.chanAccess(pgRead, scases[i].c)
		}
	}
}

// presageCases records the cases of a select that are not chosen.
func presageCases(scases []scase, order []uint16, nsends, chosen int) {
	s := pgHere()
	if s == nil {
		return
	}
	for _, i := range order {
		if int(i) != chosen {
			s.selectCase(scases[i].c, int(i) < nsends, uint64(i)+1, uint64(chosen+1))
		}
	}
}

// presageSelectPark leaves a list of the cases for the goroutine that will choose one. It stands in
// the stream, behind what that goroutine will write: a reader stops at the zero word before.
func presageSelectPark(scases []scase, order []uint16, nsends int) {
	s := pgHere()
	if s == nil || s.off || len(order) < 2 {
		return
	}
	n := len(order)
	k := 5*n + 16
	s.list = s.room(k+n) + uintptr(k)*8
	s.left += k + n
	s.cases = n
	for j, i := range order {
		c := uint64(uintptr(unsafe.Pointer(scases[i].c))) | (uint64(i)+1)<<pgParkedShift
		if int(i) < nsends {
			c |= 1
		}
		pgStore(s.list+uintptr(j)*8, c)
	}
}

// presageSelectDefault records that no case was ready.
func presageSelectDefault(scases []scase, order []uint16, nsends int) {
	s := pgHere()
	if s == nil {
		return
	}
	presageCases(scases, order, nsends, -1)
	s.selectDefault()
	for _, i := range order {
		pgBump(uintptr(unsafe.Pointer(scases[i].c)), s.last)
	}
}

// presageChanLen records and returns the length of c.
func presageChanLen(c *hchan) (n int, ok bool) {
	s := pgAt(uintptr(unsafe.Pointer(c)))
	if s == nil {
		return 0, false
	}
	lock(&c.lock)
	n = int(c.qcount)
	s.put3(nil, s.take(pgChanLen, 0, 0), uintptr(unsafe.Pointer(c)), uint64(n), uint64(c.dataqsiz))
	unlock(&c.lock)
	return n, true
}
