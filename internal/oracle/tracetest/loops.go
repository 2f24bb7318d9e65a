package tracetest

import (
	"math/rand/v2"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Loops returns trace number n of a seed, in which goroutines run loops, so sites repeat. Several
// goroutines execute the same few statements, under locks, between messages, and in memory that is
// allocated anew. Equal arguments give equal traces. A Go program could have each of them.
func Loops(seed, n uint64) []trace.Event {
	l := &loops{r: rand.New(rand.NewPCG(seed, n)), used: map[format.Addr]*use{}}
	l.locations, l.locks = 1+l.r.IntN(3), 1+l.r.IntN(3)
	l.sites = 1 + l.r.IntN(3)
	bodies := 1 + l.r.IntN(3)
	l.quiet = l.r.IntN(4) == 0
	for b := range bodies {
		l.bodies = append(l.bodies, l.body(b, 2+l.r.IntN(6)))
	}
	for range 1 + l.r.IntN(2) {
		l.start(0)
	}
	for n := 20 + l.r.IntN(180); len(l.events) < n && l.turn(); {
	}
	return l.events
}

// loops is a run that has not ended.
type loops struct {
	r                       *rand.Rand
	locations, locks, sites int
	quiet                   bool // only the first goroutine sends and receives
	bodies                  [][]statement
	threads                 []*looper
	used                    map[format.Addr]*use
	events                  []trace.Event
}

// statement is a statement of a loop's body. A statement that opens something names the one that
// closes it.
type statement struct {
	kind  format.Kind
	flags format.Flags
	obj   format.Addr
	size  uint16
	site  format.Site
	val   uint64
	cap   uint64
}

// looper is a goroutine.
type looper struct {
	id       format.GoID
	body     int
	at, left int // next statement; rounds
	ended    bool
}

// use is the state of a lock, channel or WaitGroup.
type use struct {
	writer, readers, queued, count int
}

// body makes a body with its locks nested and closed.
func (l *loops) body(b, n int) (out []statement) {
	site := func(k format.Kind) format.Site {
		return format.Site(1 + int(k) + 64*(l.r.IntN(l.sites)+3*l.r.IntN(2)*b))
	}
	var open []statement
	for len(out) < n || len(open) > 0 {
		if len(open) > 0 && (len(out) >= n || l.r.IntN(3) == 0) {
			out = append(out, open[len(open)-1])
			open = open[:len(open)-1]
			continue
		}
		k := l.r.IntN(24)
		if l.quiet && k >= 18 {
			if k = 18; b > 0 {
				k = 0
			}
		}
		switch {
		case k < 13:
			out = append(out, l.access(site))
		case k < 18:
			s := statement{kind: format.Lock, obj: format.Addr(0x9000 + 64*l.r.IntN(l.locks)), site: 1000}
			if l.r.IntN(3) == 0 {
				s.flags = format.FlagRead
			}
			if held(open, s.obj) {
				continue
			}
			out = append(out, s)
			s.kind = format.Unlock
			open = append(open, s)
		default:
			out = append(out, l.message(k))
		}
	}
	return out
}

func held(open []statement, obj format.Addr) bool {
	for _, s := range open {
		if s.obj == obj {
			return true
		}
	}
	return false
}

// FailSwaps makes every second atomic read a CompareAndSwap that has failed. The order is the same.
func FailSwaps(events []format.Event) {
	n := 0
	for i := range events {
		if e := &events[i]; e.Kind == format.AtomicRead {
			if n++; n%2 == 0 {
				e.Flags |= format.FlagTry
			}
		}
	}
}

func (l *loops) access(site func(format.Kind) format.Site) statement {
	atomics := 3
	if l.quiet {
		atomics = 0
	}
	kinds := []format.Kind{format.Read, format.Write, format.Read, format.Write, format.Read, format.Write, format.Read, format.AtomicRead, format.AtomicWrite, format.AtomicRMW}
	k := kinds[l.r.IntN(len(kinds)-3+atomics)]
	s := statement{kind: k, obj: format.Addr(0x1000 + 8*l.r.IntN(l.locations)), size: 8, site: site(k)}
	if l.r.IntN(4) == 0 {
		s.size = 1 << l.r.IntN(3)
		s.obj += format.Addr(s.size) * format.Addr(l.r.IntN(2))
	}
	return s
}

func (l *loops) message(k int) statement {
	channel := uint64(1 + l.r.IntN(2))
	return []statement{
		{kind: format.Go, site: 1001},
		{kind: format.ChanSend, obj: format.Addr(0xa000 + 64*channel), cap: channel, site: 1002},
		{kind: format.ChanRecv, obj: format.Addr(0xa000 + 64*channel), cap: channel, site: 1003},
		{kind: format.WGAdd, obj: 0xb000, val: ^uint64(0), site: 1004},
		{kind: format.WGWait, obj: 0xb000, site: 1005},
		{kind: format.Alloc, obj: format.Addr(0x1000 + 8*l.r.IntN(l.locations)), val: 8, site: 1006},
	}[k-18]
}

const maxLoopers = 9

// start makes a goroutine that runs some rounds of a body.
func (l *loops) start(parent format.GoID) bool {
	if len(l.threads) == maxLoopers {
		return false
	}
	t := &looper{id: format.GoID(len(l.threads) + 1), body: l.r.IntN(len(l.bodies)), left: 1 + l.r.IntN(8)}
	if l.quiet {
		t.body, t.left = min(len(l.threads), len(l.bodies)-1), 1+l.r.IntN(8)
	}
	l.threads = append(l.threads, t)
	if parent != 0 {
		l.emit(trace.Event{Kind: format.Go, G: parent, Obj: format.Addr(t.id), Site: 1001})
		l.emit(trace.Event{Kind: format.Start, G: t.id, Obj: format.Addr(parent)})
	}
	return true
}

func (l *loops) emit(e trace.Event) { l.events = append(l.events, e) }

// turn executes some statements of a goroutine that is not blocked. It returns false if all are
// blocked.
func (l *loops) turn() bool {
	for range 50 {
		t := l.threads[l.r.IntN(len(l.threads))]
		moved := false
		for range 1 + l.r.IntN(8) {
			if t.ended || !l.step(t) {
				break
			}
			moved = true
		}
		if moved {
			return true
		}
	}
	return false
}

// step executes a goroutine's next statement, if it is enabled.
func (l *loops) step(t *looper) bool {
	body := l.bodies[t.body]
	if t.at == len(body) {
		t.at = 0
		if t.left--; t.left == 0 {
			t.ended = true
			l.emit(trace.Event{Kind: format.End, G: t.id})
			return true
		}
	}
	s := body[t.at]
	if !l.enabled(s) {
		return false
	}
	t.at++
	if s.kind == format.Go {
		l.start(t.id)
		return true
	}
	l.emit(trace.Event{Kind: s.kind, Flags: s.flags, Size: s.size, G: t.id, Site: s.site, Obj: s.obj, Val: s.val, Aux: s.cap})
	return true
}

// enabled reports whether a statement is enabled and, if it is, changes the state of its object.
func (l *loops) enabled(s statement) bool {
	u := l.used[s.obj]
	if u == nil {
		u = &use{count: 20}
		l.used[s.obj] = u
	}
	read := s.flags&format.FlagRead != 0
	switch {
	case s.kind == format.Lock && read:
		if u.writer > 0 {
			return false
		}
		u.readers++
	case s.kind == format.Lock:
		if u.writer+u.readers > 0 {
			return false
		}
		u.writer++
	case s.kind == format.Unlock && read:
		u.readers--
	case s.kind == format.Unlock:
		u.writer--
	case s.kind == format.ChanSend:
		if u.queued == int(s.cap) {
			return false
		}
		u.queued++
	case s.kind == format.ChanRecv:
		if u.queued == 0 {
			return false
		}
		u.queued--
	case s.kind == format.WGAdd:
		if u.count == 0 {
			return false
		}
		u.count--
	}
	return true
}
