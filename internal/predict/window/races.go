package window

import (
	"context"
	"io"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Races are the races of the recorded run on words that outside code accesses. WI2 needs them
// before the first window is built, since the second access of a race may come after the window,
// and so may the late record of a read in it.
type Races struct {
	words  map[uint64]struct{} // addresses / 8
	all    bool                // there are too many
	unsure map[trace.GoID][]stretch

	// HB is the happens-before pass over the whole trace, of Events events, that ends with error
	// End: io.EOF, or why no more can be read. HB is nil if the pass was given up.
	HB     *hb.Detector
	Events int64
	End    error
}

// stretch is events of a goroutine, from < event ≤ to, between which a hidden read may have seen
// the write that it races with.
type stretch struct{ from, to int64 }

// pageWords is the number of words of a page of uses.
const pageWords = 512

// maxRaces bounds the memory for the words with a race.
const maxRaces = 1 << 22

// FindRaces reads the trace that open opens, and reads it once more if it finds a race. It calls
// each with the two events of each race, in the order of the second. If the trace ends in an error,
// the windows end there too.
func FindRaces(ctx context.Context, open func() (trace.Source, io.Closer, error), each func(a, b int64)) (*Races, error) {
	raced := make(map[uint64]struct{})
	r := &Races{HB: hb.New()}
	second := int64(-1)
	r.HB.Each(func(a, b int64) {
		second = b
		each(a, b)
	})
	end, err := eachEvent(ctx, open, func(i int64, e *trace.Event) bool {
		if r.HB.Step(i, e); second == i {
			raced[uint64(e.Obj)>>3] = struct{}{}
		}
		r.Events = i + 1
		return len(raced) <= maxRaces
	})
	r.HB.End()
	switch r.End = end; {
	case err != nil || len(raced) > maxRaces:
		r.HB, r.all = nil, len(raced) > maxRaces
		return r, err
	case len(raced) == 0:
		return r, nil
	}
	u := uses{words: make(map[uint64][]use), pages: make(map[uint64][]uint64), late: make(map[uint64][]lateRead), outside: make(map[uint64]struct{}), unsure: make(map[trace.GoID][]stretch)}
	for w := range raced {
		u.words[w] = nil
		u.pages[w/pageWords] = append(u.pages[w/pageWords], w)
	}
	_, err = eachEvent(ctx, open, func(i int64, e *trace.Event) bool { u.step(i, e); return true })
	for w := range raced {
		u.end(w)
	}
	r.words, r.unsure = u.outside, u.unsure
	return r, err
}

// eachEvent calls f with the events of a trace until f returns false or there are no more. end is
// the reason for the latter.
func eachEvent(ctx context.Context, open func() (trace.Source, io.Closer, error), f func(int64, *trace.Event) bool) (end, err error) {
	src, c, err := open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var e trace.Event
	for i := int64(0); ; i++ {
		if end = src.Next(&e); end != nil || !f(i, &e) {
			return end, nil
		}
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// uses are the accesses of the words on which there is a race.
type uses struct {
	words   map[uint64][]use      // by word
	late    map[uint64][]lateRead // not settled yet, by word
	pages   map[uint64][]uint64   // words by page
	outside map[uint64]struct{}   // those that outside code accesses
	synced  []int64               // by goroutine: its last operation of synchronisation
	unsure  map[trace.GoID][]stretch
}

// use is a goroutine that accesses a word, and the earliest event after which its first write may
// have been: its last operation of synchronisation before it, or -1 if it is unknown when the
// goroutine began.
type use struct {
	g      trace.GoID
	writes bool
	since  int64
}

// lateRead is a late record of a read.
type lateRead struct {
	g  trace.GoID
	at int64
}

func (u *uses) step(i int64, e *trace.Event) {
	for int(e.G) >= len(u.synced) {
		u.synced = append(u.synced, -1)
	}
	switch {
	case e.Kind == format.Alloc:
		u.alloc(uint64(e.Obj), e.Val)
	case e.Kind.IsAccess():
		if w := uint64(e.Obj) >> 3; u.raced(w) {
			u.access(i, e, w)
		}
	}
	if synchronises(e.Kind) || e.Kind == format.Start {
		u.synced[e.G] = i
	}
}

func (u *uses) raced(w uint64) bool {
	_, ok := u.words[w]
	return ok
}

func (u *uses) access(i int64, e *trace.Event, w uint64) {
	late := e.Flags&format.FlagLate != 0
	if e.Outside() {
		u.outside[w] = struct{}{}
	}
	list := u.words[w]
	k := 0
	for k < len(list) && list[k].g != e.G {
		k++
	}
	if k == len(list) {
		x := use{g: e.G, since: u.synced[e.G]}
		if late {
			x.since = -1
		}
		list = append(list, x)
		u.words[w] = list
	}
	switch {
	case e.Kind.IsWrite():
		list[k].writes = true
	case late:
		u.late[w] = append(u.late[w], lateRead{e.G, i})
	}
}

// alloc ends the uses of the memory that was at these addresses before.
func (u *uses) alloc(addr, size uint64) {
	if size == 0 {
		return
	}
	first, last := addr>>3, (addr+size-1)>>3
	for p := first / pageWords; p <= last/pageWords; p++ {
		for _, w := range u.pages[p] {
			if first <= w && w <= last && len(u.words[w]) > 0 {
				u.end(w)
				u.words[w] = nil
			}
		}
	}
}

// end finds the stretches in which the late reads of a word may have been.
func (u *uses) end(w uint64) {
	for _, r := range u.late[w] {
		since := r.at
		for _, x := range u.words[w] {
			if x.writes && x.g != r.g {
				since = min(since, x.since)
			}
		}
		if since < r.at {
			u.unsure[r.g] = append(u.unsure[r.g], stretch{since, r.at})
		}
	}
	delete(u.late, w)
}

// Races sets the result of FindRaces, before the first event is added. Without it, Unordered
// reports the races event by event.
func (b *Builder) Races(r *Races) { b.run = r }
