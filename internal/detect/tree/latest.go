package tree

import (
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// word is what the filter knows of a word of memory. For FastTrack it is what the detector
// remembers of it.
type word struct {
	stamp uint32 // changes when histories of the word do not hold any more

	// the segment in which everything was advanced since the writes and reads below
	owner     uint64
	site      format.Site // of the last write that was advanced, if the owner made it
	mask      uint8       // its bytes; 0: there is none
	readMask  uint8       // bytes of the reads that were advanced since the last write
	readSite  format.Site // their site
	wrote     uint8       // bytes written in this run of the owner
	wroteRead uint8       // and bytes read
}

// latest is (T8), and (T12).
func (f *Filter) latest(t *goroutine, w *word, e *format.Event, mask uint8) bool {
	write := e.Kind == format.Write
	if f.opt.Span && w.owner == t.segment && mask&^w.wrote&^bytesIf(!write, w.wroteRead) == 0 {
		f.stats.Span++
		return true
	}
	k := key{addr: uint64(e.Obj &^ 7), mask: mask, segment: t.segment}
	switch {
	case write && w.owner == t.segment && w.mask == mask && w.site == e.Site:
		f.stats.Same++
		return true
	case write:
		f.own(w, t)
		f.renew(w)
		w.site, w.mask = e.Site, mask
		w.wrote |= mask
		return false
	}
	if w.stamp == 0 || w.readMask != 0 && (w.readMask != mask || w.readSite != e.Site) {
		f.renew(w)
	}
	k.stamp = w.stamp
	if _, known := f.theta.at(e.Site, k); known {
		f.stats.Same++
		return true
	}
	f.own(w, t)
	w.readSite, w.readMask = e.Site, mask
	w.wroteRead |= mask
	return false
}

func bytesIf(b bool, mask uint8) uint8 {
	if b {
		return mask
	}
	return 0
}

// own makes the goroutine's segment the one that has the word, and forgets what another has
// written.
func (f *Filter) own(w *word, t *goroutine) {
	if w.owner != t.segment {
		w.owner, w.site, w.mask, w.wrote, w.wroteRead = t.segment, 0, 0, 0, 0
	}
}

// renew ends the histories of reads of a word.
func (f *Filter) renew(w *word) {
	f.stamp++
	w.stamp, w.readSite, w.readMask = f.stamp, 0, 0
}

// touch is an access that is advanced whatever it is.
func (f *Filter) touch(e *format.Event) {
	if e.Obj == 0 {
		return
	}
	w := f.words.At(e.Obj&^7, 0xff)
	if f.target != FastTrack {
		f.begin(w, f.gs.at(e.G), e, shadow.Mask(e.Obj, e.Size))
		return
	}
	f.renew(w)
	w.owner, w.site, w.mask, w.wrote, w.wroteRead = 0, 0, 0, 0, 0
}

// edge is a lock operation for a detector to which it is a message (T7).
type edge struct {
	no    uint64 // of the lock; memory that is allocated anew is another one
	taken uint64
}

func (f *Filter) edge(e *format.Event) {
	mask := shadow.Mask(e.Obj, 1)
	l := f.edges.At(e.Obj, mask)
	if l == nil {
		f.edges.Each(e.Obj, mask, func(c *edge) { l = c })
	}
	t := f.gs.at(e.G)
	if l.no == 0 {
		f.locked++
		l.no = f.locked
	}
	shared := e.Flags&format.FlagRead != 0
	if e.Kind == format.Unlock {
		r := release{lock: l.no, others: l.taken, before: t.segment}
		f.send(t, e)
		if r.after = t.segment; !shared {
			t.releases.push(r)
		}
		return
	}
	f.receive(t, e)
	others := l.taken // acquires that would know of a release
	l.taken++
	if r := t.releases.top(); !shared && r != nil && r.lock == l.no && r.others == others && r.after == t.segment {
		t.segment = r.before
		t.releases.pop()
		f.stats.Returned++
	}
}

// release is a lock that a goroutine has released, with the contexts around that.
type release struct {
	lock          uint64 // edge.no
	others        uint64
	before, after uint64
}

// releases are the last few of a goroutine, the newest on top.
type releases struct {
	ring [8]release
	n    uint32
}

func (r *releases) push(x release) {
	r.ring[r.n%uint32(len(r.ring))] = x
	r.n++
}

func (r *releases) top() *release {
	if r.n == 0 {
		return nil
	}
	return &r.ring[(r.n-1)%uint32(len(r.ring))]
}

func (r *releases) pop() {
	*r.top() = release{}
	r.n--
}
