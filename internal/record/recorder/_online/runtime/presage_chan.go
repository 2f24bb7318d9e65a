package runtime

import "unsafe"

// Channels. All is called with the locks of the channels held, so nothing is preempted, but
// presageChanSentLate. A goroutine that waits for a channel has its part done by the one that
// completes the operation.

// presageChanSending: a send reads the channel, as the race detector has it. The channel is open.
func presageChanSending(c *hchan, callerpc uintptr) {
	if s := pgHere(); s != nil {
		if ftInside(callerpc) || !presageChan(c).sends(&s.ft.ftThread, ftSite(callerpc)) {
			s.touch(pgHead(pgRead, 0, 0, 0), uintptr(c.raceaddr()), 1)
		}
	}
}

// presageChanSentLate: the channel is closed.
func presageChanSentLate(c *hchan) {
	if s := pgHere(); s != nil {
		s.touch(pgHead(pgRead, 0, 0, 0), uintptr(c.raceaddr()), 1)
	}
}

// presageChan returns the clocks of a channel, which is locked. They are found by its memory's
// address when that is used anew.
func presageChan(c *hchan) *ftObject {
	if o := c.presage; o != nil {
		return o
	}
	return presageChanFirst(c)
}

func presageChanFirst(c *hchan) *ftObject {
	st := pgLockStripe(uintptr(unsafe.Pointer(c)))
	c.presage = st.objects.at(ftChanClass, uintptr(unsafe.Pointer(c)))
	pgUnlockStripe(st)
	return c.presage
}

// chanOp is CL4 to CL6.
func (s *PresageG) chanOp(kind, flags uint64, c *hchan) {
	mp := acquirem()
	o := presageChan(c)
	switch {
	case kind == pgChanClose:
		o.w.merge(&s.ft.ftThread)
	case flags&pgFlagClosed != 0:
		o.w.acquire(&s.ft.ftThread)
	case c.dataqsiz == 0:
		o.meet(&s.ft.ftThread, kind == pgChanSend)
	case kind == pgChanSend:
		o.buffer(&s.ft.ftThread, &o.send, uint64(c.dataqsiz))
	default:
		o.buffer(&s.ft.ftThread, &o.recv, uint64(c.dataqsiz))
	}
	releasem(mp)
}

// presageChanOp is of the buffer, for which most need no look at anything else.
func presageChanOp(kind uint64, c *hchan, elem unsafe.Pointer) {
	s := pgHere()
	if s == nil {
		return
	}
	o, at := presageChan(c), (*uint64)(nil)
	if at = &o.recv; kind == pgChanSend {
		at = &o.send
	}
	o.buffer(&s.ft.ftThread, at, uint64(c.dataqsiz))
}

func presageChanClosed(c *hchan) {
	if s := pgHere(); s != nil {
		s.chanOp(pgChanRecv, pgFlagClosed, c)
	}
}

// presageChanSend: the running goroutine sends to the waiting receiver sg.
func presageChanSend(c *hchan, sg *sudog, ep unsafe.Pointer) {
	if s := pgHere(); s != nil {
		s.chanOp(pgChanSend, 0, c)
		pgState(sg.g).chanOp(pgChanRecv, 0, c)
	}
}

// presageChanRecv: the running goroutine receives while sg waits to send.
func presageChanRecv(c *hchan, sg *sudog, elem, head unsafe.Pointer) {
	r := pgHere()
	if r == nil {
		return
	}
	s := pgState(sg.g)
	if c.dataqsiz == 0 {
		s.chanOp(pgChanSend, 0, c)
		r.chanOp(pgChanRecv, 0, c)
		return
	}
	r.chanOp(pgChanRecv, 0, c)
	s.chanOp(pgChanSend, 0, c)
}

// presageChanClose: a close writes the channel.
func presageChanClose(c *hchan) {
	if s := pgHere(); s != nil {
		a := ftAccess{addr: uintptr(c.raceaddr()), kind: ftWrites}
		getg().m.locks++
		s.caller(&a)
		presageChan(c).closes(&s.ft, &a)
		s.ft.access(&a)
		getg().m.locks--
		s.report(getg())
		s.chanOp(pgChanClose, 0, c)
	}
}

func presageChanWoken(c *hchan, sg *sudog, send bool) {
	if presage.on && !send {
		pgState(sg.g).chanOp(pgChanRecv, pgFlagClosed, c)
	}
}

// presageSelect: the cases that send read their channels.
func presageSelect(scases []scase, order []uint16, nsends int, block bool) {
	s := pgHere()
	if s == nil || nsends == 0 {
		return
	}
	var a ftAccess
	s.caller(&a)
	for _, i := range order {
		if c := scases[i].c; int(i) < nsends && (c.closed != 0 || !presageChan(c).sends(&s.ft.ftThread, a.site)) {
			s.touch(pgHead(pgRead, 0, 0, 0), uintptr(c.raceaddr()), 1)
		}
	}
}

// What the recorder notes besides makes no order.

func presageChanDefault(c *hchan, send bool)                          {}
func presageNilDefault()                                              {}
func presageCases(scases []scase, order []uint16, nsends, chosen int) {}
func presageSelectPark(scases []scase, order []uint16, nsends int)    {}
func presageSelectDefault(scases []scase, order []uint16, nsends int) {}
func presageChanLen(c *hchan) (n int, ok bool)                        { return 0, false }
func presageReceived(c *hchan, elem unsafe.Pointer)                   {}
func presageChanPanics(c *hchan)                                      { pgTake() }

// What missing code gets, neither.

func (s *PresageG) woken()                  {}
func (s *PresageG) loaded(p unsafe.Pointer) {}
