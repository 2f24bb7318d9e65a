package tree

import (
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// latest is (TR7), and (TR10).
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

// own makes t's segment the owner of the word. If that was another one, what was written under it
// is removed.
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

// touch takes an access that is always advanced (TR8).
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
	others := l.taken // acquires so far
	l.taken++
	if r := t.releases.top(); !shared && r != nil && r.lock == l.no && r.others == others && r.after == t.segment {
		t.segment = r.before
		t.releases.pop()
		f.stats.Returned++
	}
}
