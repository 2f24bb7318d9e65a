package window

import (
	"math/rand/v2"
	"slices"
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// TestHandsOver: a run hands over to the next by an unbuffered channel if the one's send is what the other receives.
func TestHandsOver(t *testing.T) {
	send := func(g trace.GoID, c int32, capacity uint64) record {
		return record{obj: c, e: trace.Event{G: g, Kind: format.ChanSend, Aux: capacity}}
	}
	recv := func(g trace.GoID, c int32, capacity uint64) record {
		return record{obj: c, e: trace.Event{G: g, Kind: format.ChanRecv, Aux: capacity}}
	}
	other := record{obj: 1, e: trace.Event{G: 2, Kind: format.SelectCase}}
	write := record{obj: -1, e: trace.Event{G: 3, Kind: format.Write}}
	for name, c := range map[string]struct {
		recs []record
		want bool
	}{
		"send and receive":            {[]record{send(1, 0, 0), recv(2, 0, 0)}, true},
		"something else between":      {[]record{send(1, 0, 0), write, recv(3, 1, 0), recv(2, 0, 0)}, true},
		"by a select":                 {[]record{send(1, 0, 0), other, write, recv(2, 0, 0)}, true},
		"by a select, another's":      {[]record{send(1, 0, 0), other, recv(3, 0, 0), send(4, 0, 0), recv(2, 0, 0)}, false},
		"a select takes another":      {[]record{send(1, 0, 0), other, recv(2, 1, 0)}, false},
		"the receive is of another's": {[]record{send(1, 0, 0), recv(3, 0, 0), send(4, 0, 0), recv(2, 0, 0)}, false},
		"another has sent, too":       {[]record{send(1, 0, 0), send(4, 0, 0), recv(2, 0, 0)}, false},
		"buffered":                    {[]record{send(1, 0, 1), recv(2, 0, 1)}, false},
		"another channel":             {[]record{send(1, 0, 0), recv(2, 1, 0)}, false},
		"the receiver is first":       {[]record{recv(2, 0, 0), send(1, 0, 0)}, false},
		"not of channels":             {[]record{write, write}, false},
	} {
		m := &maker{recs: c.recs}
		first, last := len(c.recs)-1, len(c.recs)-1
		if k := slices.IndexFunc(c.recs, func(r record) bool { return r.e.Kind == format.SelectCase }); k >= 0 {
			first = k
		}
		if got := m.handsOver(run{g: 1, last: 0, own: true}, run{g: c.recs[last].e.G, first: first, last: last, own: true}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNoVersionBehindSend: where a run ends with a send on an unbuffered channel and hands nothing over, the tale ends: a version of the sender's would stand
// before the receive, without which the sender does not go on.
func TestNoVersionBehindSend(t *testing.T) {
	for _, capacity := range []uint64{0, 1} {
		m := newMaker(NewBuilder(BuildOptions{}, nil))
		x := &tale{obj: -1}
		m.recs, m.kept, m.stops = make([]record, 1), make([]bool, 1), map[int][]turn{0: {{x, true}}}
		r := &record{e: trace.Event{G: 1, Kind: format.ChanSend, Aux: capacity}}
		m.closed(0, r, m.thread(1))
		if unbuffered := capacity == 0; x.broken != unbuffered || len(m.w.Events) > 0 == unbuffered {
			t.Errorf("capacity %d: broken %t, %d versions", capacity, x.broken, len(m.w.Events))
		}
	}
}

// TestListens: who listens is the same as by a look at every goroutine of the calls, however calls begin and end in between.
func TestListens(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	heard := map[bool]int{}
	for range 2000 {
		m := &maker{lastRec: make(map[trace.GoID]int), outside: newOutside()}
		for g := trace.GoID(1); g <= 4; g++ {
			m.lastRec[g] = rng.IntN(40)
		}
		x := &telling{m: m, listeners: make(map[touch]*listener)}
		for i := range 40 {
			y, g := touch(1+rng.IntN(2)), trace.GoID(1+rng.IntN(4))
			switch list := m.outside.by[y]; {
			case len(list) == 0 || rng.IntN(6) == 0:
				m.outside.enter(y, g)
			case rng.IntN(6) == 0:
				m.outside.leave(y, list[rng.IntN(len(list))])
			default:
				want := slices.ContainsFunc(list, func(h trace.GoID) bool { return h != g && m.lastRec[h] > i })
				if got := x.listens(y, g, i); got != want {
					t.Fatalf("record %d of goroutine %d, calls of %v, which end at %v: %t", i, g, list, m.lastRec, got)
				}
				heard[want]++
			}
		}
	}
	if heard[true] < 1000 || heard[false] < 1000 {
		t.Errorf("asked too little: %v", heard)
	}
}
