package merge

import (
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// reachSets places the Ds of excluded calls: what each call can reach.
//
// Each D is encoded as shortly as possible. A set that the recorder has numbered is listed once. A
// new set is encoded as a difference to the last set that begins at the same address, since what
// an object reaches mostly changes little. Parts without a number become a set when they occur a
// second time.
type reachSets struct {
	recording  *recording
	recent     *recent
	names      map[uint32]uint64 // in the trace, by number in the recording; equal sets share one
	latest     []latestSet       // by a hash of the address
	unnumbered uint64            // sets that have a number in the trace alone
	lost       int               // sets without a record
}

// latestSet is the last set of those that begin at an address.
type latestSet struct {
	at     trace.Addr
	number uint64 // 0: its parts were placed one by one
	set    *excluded.Set
}

const (
	latestSlots = 1 << 12
	fewParts    = 4 // fewer parts never become a set
)

// last returns the entry of an address. It replaces the entry of another address in the same slot.
func (d *reachSets) last(at trace.Addr) *latestSet {
	if d.latest == nil {
		d.latest = make([]latestSet, latestSlots)
	}
	was := &d.latest[uint64(at)*0x9E3779B97F4A7C15>>52]
	if was.at != at {
		*was = latestSet{at: at}
	}
	return was
}

// place places the D of the MethodBegin p right after it, before another stream continues. What D
// grows by is placed without the parts that D has.
func (d *reachSets) place(s *stream, p placed) {
	c := s.cursor()
	var r record
	var own []trace.Event
	var grown []span
	var has excluded.Set
	for c.read(d.recording, s, &r) && (r.kind == format.RawStamp || r.kind == format.RawGC || r.kind == format.Reach || r.kind == format.ReachSet) {
		switch {
		case r.kind == format.RawStamp: // of a new chunk
		case r.kind == format.Reach:
			n := uint64(r.size)
			if n == 0 {
				n = r.word(1)
			}
			own = append(own, trace.Event{Kind: format.Reach, Obj: trace.Addr(r.word(0)), Val: n})
		case r.flags&format.FlagMore != 0:
			grown = d.recording.grown[r.site]
		default:
			if d.numbered(r.site, p); len(grown) > 0 {
				has.Add(excluded.SetOf(d.recorded(r.site)))
			}
		}
	}
	d.parts(own, p)
	for _, x := range grown {
		parts := d.recording.spans(x)
		if set := excluded.SetOf(parts); !set.All {
			has.Add(excluded.SetOf(own))
			own = appendParts(nil, set.Minus(&has), 0)
			parts = own
		}
		d.parts(parts, p)
	}
}

// placeAll places parts one by one.
func (d *reachSets) placeAll(parts []trace.Event, p placed) {
	g, site := p.e.G, p.e.Site
	for _, e := range parts {
		e.G, e.Site = g, site
		p.e = e
		d.recent.place(p)
	}
}

// numbered places a set that the recorder has numbered.
func (d *reachSets) numbered(number uint32, p placed) {
	name, ok := d.names[number]
	if ok {
		d.placeSet(name, 0, nil, p)
		return
	}
	if d.names == nil {
		d.names = make(map[uint32]uint64)
	}
	name = uint64(number)
	parts := d.recorded(number)
	set := excluded.SetOf(parts)
	if set.All || len(parts) == 0 {
		d.names[number] = name
		d.placeSet(name, 0, parts, p)
		return
	}
	was := d.last(parts[0].Obj)
	of := uint64(0)
	if was.number != 0 {
		switch change := difference(was.set, set); {
		case len(change) == 0:
			name, parts = was.number, nil
		case len(change) < len(parts):
			of, parts = was.number, change
		}
	}
	d.names[number] = name
	was.number, was.set = name, set
	d.placeSet(name, of, parts, p)
}

// parts places parts that belong to no numbered set.
func (d *reachSets) parts(parts []trace.Event, p placed) {
	if len(parts) < fewParts {
		d.placeAll(parts, p)
		return
	}
	set := excluded.SetOf(parts)
	if set.All {
		d.placeAll(parts, p)
		return
	}
	was := d.last(parts[0].Obj)
	of := was.number
	var change []trace.Event
	if was.set != nil {
		change = difference(was.set, set)
	}
	switch {
	case was.set == nil || len(change) > len(parts)/2:
		was.number, was.set = 0, set
		d.placeAll(parts, p)
		return
	case of == 0: // its parts are listed a second time, now as a set
	case len(change) == 0:
		d.placeSet(of, 0, nil, p)
		return
	default:
		parts = change
	}
	d.unnumbered++
	was.number, was.set = 1<<32+d.unnumbered, set
	d.placeSet(was.number, of, parts, p)
}

// placeSet places a ReachSet: the parts that turn the set of into this one. Without parts, it
// refers to a set that the trace has.
func (d *reachSets) placeSet(number, of uint64, parts []trace.Event, p placed) {
	g, site := p.e.G, p.e.Site
	p.e = trace.Event{Kind: format.ReachSet, G: g, Site: site, Obj: trace.Addr(number), Val: uint64(len(parts)), Aux: of}
	d.recent.place(p)
	p.e.G, p.e.Site = g, site
	d.placeAll(parts, p)
}

// difference lists the parts that turn the set from into the set to.
func difference(from, to *excluded.Set) []trace.Event {
	return appendParts(appendParts(nil, from.Minus(to), format.FlagGone), to.Minus(from), 0)
}

// appendParts appends the Reach events of a set.
func appendParts(list []trace.Event, s *excluded.Set, flags format.Flags) []trace.Event {
	s.Each(func(from, to uint64) {
		list = append(list, trace.Event{Kind: format.Reach, Flags: flags, Obj: trace.Addr(from), Val: to - from})
	}, func(trace.GoID) {})
	return list
}

// growsEndless reports whether the D of the call that s has just begun grows to all of memory.
func (d *reachSets) growsEndless(s *stream) bool {
	if len(d.recording.endless) == 0 {
		return false
	}
	c := s.cursor()
	var r record
	for c.read(d.recording, s, &r) {
		switch r.kind {
		case format.RawStamp, format.Reach:
		case format.ReachSet:
			if r.flags&format.FlagMore != 0 && d.recording.endless[r.site] {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// recorded returns the parts of a set. A set whose record is lost counts as all of memory.
func (d *reachSets) recorded(number uint32) (list []trace.Event) {
	x, ok := d.recording.sets[number]
	if !ok {
		d.lost++
		return []trace.Event{{Kind: format.Reach, Obj: 1, Val: 1 << 63}, {Kind: format.Reach, Obj: 1 << 63, Val: 1 << 63}}
	}
	return d.recording.spans(x)
}

// spans returns the spans of memory of the RawSet at x.
func (r *recording) spans(x span) (list []trace.Event) {
	add := func(addr, n uint64) {
		list = append(list, trace.Event{Kind: format.Reach, Obj: trace.Addr(addr), Val: n})
	}
	b := r.maps[x.seg]
	for i := x.start; i < x.end; i += 8 {
		w := word(b, i)
		if n := w & (1<<16 - 1); n != 0 || i+8 == x.end {
			add(w>>16, n)
			continue
		}
		i += 8
		add(w>>16, word(b, i))
	}
	return list
}
