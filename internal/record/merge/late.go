package merge

import (
	"math/bits"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The entry of a cell in a late record (recorder, presage_cell.go).
const (
	entryPCBits   = 25
	entryContext  = 35
	entryAllBytes = 0xff << entryPCBits
)

// lateAccess is an access of a late record (ME8).
type lateAccess struct {
	word   uint64
	entry  uint64
	at     uint64 // stamp at which the record was written
	kind   format.Kind
	placed bool
}

// contexts places the accesses of late records (ME8).
type contexts struct {
	recorded map[uint64][]*lateAccess // by context
	pending  map[uint64][]pendingLate // those of open contexts, by page
	used     bool                     // the recording has contexts
	ignore   bool                     // Options.Full: no late record is placed
	placed   int64
	sites    *siteTable
	gos      *goroutines
	recent   *recent
	// of which late writes make the contents unknown
	variables *variables
}

// pendingLate is a late access whose context is open.
type pendingLate struct {
	*lateAccess
	s *stream
}

const osPageShift = 12 // of the pages by which late accesses are found

// begin begins a context of s.
func (k *contexts) begin(s *stream, id uint64) {
	k.used = true
	list := k.recorded[id]
	delete(k.recorded, id)
	for _, x := range list {
		page := x.word >> osPageShift
		if k.pending == nil {
			k.pending = make(map[uint64][]pendingLate)
		}
		k.pending[page] = append(k.pending[page], pendingLate{x, s})
	}
	s.late = list
}

// end ends the context of s, and places its late accesses.
func (k *contexts) end(s *stream) {
	for _, x := range s.late {
		k.place(s, x)
		page := x.word >> osPageShift
		list := k.pending[page]
		n := 0
		for _, p := range list {
			if p.lateAccess != x {
				list[n] = p
				n++
			}
		}
		if n == 0 {
			delete(k.pending, page)
		} else {
			k.pending[page] = list[:n]
		}
	}
	s.late = s.late[:0]
}

// reused places the late accesses of the n bytes at x, which are allocated at stamp t.
func (k *contexts) reused(x, n, t uint64) {
	if len(k.pending) == 0 || n == 0 {
		return
	}
	first, last := x>>osPageShift, (x+n-1)>>osPageShift
	if last-first >= uint64(len(k.pending)) {
		for page, list := range k.pending {
			if first <= page && page <= last {
				k.reusedPage(list, x, n, t)
			}
		}
		return
	}
	for page := first; page <= last; page++ {
		k.reusedPage(k.pending[page], x, n, t)
	}
}

func (k *contexts) reusedPage(list []pendingLate, x, n, t uint64) {
	for _, p := range list {
		if !p.placed && p.at < t && p.word < x+n && x < p.word+8 {
			k.place(p.s, p.lateAccess)
		}
	}
}

// place places a late access, as one event for each run of bytes.
func (k *contexts) place(s *stream, x *lateAccess) {
	if x.kind == format.Write && !x.placed {
		k.variables.wrote(s.g, x.word, x.at)
	}
	if x.placed || k.ignore {
		return
	}
	x.placed = true
	site := k.sites.site(uint32(x.entry & (1<<entryPCBits - 1)))
	if site == 0 {
		return
	}
	flags := format.FlagOpaque | format.FlagNoValue | format.FlagLate
	p := placed{e: trace.Event{Kind: x.kind, Flags: flags, G: k.gos.owner(s), Site: site}, s: s.index, from: s.from, to: s.stamp}
	for b := uint8((x.entry & entryAllBytes) >> entryPCBits); b != 0; {
		at := bits.TrailingZeros8(b)
		n := bits.TrailingZeros8(^(b >> at))
		p.e.Obj, p.e.Size = trace.Addr(x.word+uint64(at)), uint16(n)
		k.recent.place(p)
		b &^= uint8(1<<n-1) << at
	}
	k.placed++
}

// endsContext reports whether a record of this kind ends the context of its goroutine: operations
// of synchronisation do, and observations of a state. The recorder has the same list.
func endsContext(k format.Kind) bool {
	switch k {
	case format.Lock, format.Unlock, format.TryFail, format.WGAdd, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast, format.Acquire, format.Release, format.ReleaseMerge, format.Observe,
		format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase, format.Go, format.End,
		format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		return true
	}
	return false
}

// outside places the accesses that outside code recorded in its stream.
type outside struct {
	full   bool // Options.Full
	placed int64
	sites  *siteTable
	recent *recent
}

// place places an access of outside code.
func (o *outside) place(r *record, p placed) {
	if full := p.e.Flags&format.FlagFull != 0; full != o.full {
		return
	}
	p.e.Flags &^= format.FlagFull
	if isAudited(r) {
		o.audited(r, p)
		return
	}
	if p.e.Site = o.sites.site(r.site &^ format.OutsidePC); p.e.Site != 0 {
		o.placed++
		o.recent.bytes(r, p)
	}
}

// audited places an access of an audit. The writes of emitted code are kept, unlike its reads
// (ME9): its own records of copies have no values.
func (o *outside) audited(r *record, p placed) {
	pc := r.site &^ format.OutsidePC
	p.e.Obj, p.e.Size, p.e.Val = trace.Addr(r.word(0)), r.size, r.word(1)
	if p.e.Site = o.sites.site(pc); p.e.Site == 0 {
		if r.kind == format.Read {
			return
		}
		p.e.Site = o.sites.announcedOf(pc)
	}
	o.placed++
	o.recent.place(p)
}
