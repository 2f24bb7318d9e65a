package offpath

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestTakenTwice: the word of an object says when it is in a sync.Pool, unless a Get takes the
// object when the word is 0.
func TestTakenTwice(t *testing.T) {
	const word, other = format.PoolWords + 8, format.PoolWords + 16
	for _, c := range []struct {
		name    string
		initial uint64
		ops     string // p: Put, g: Get; P and G: of another object
		twice   bool
	}{
		{"nothing", 0, "", false},
		{"put", 0, "p", false},
		{"taken", 0, "pg", false},
		{"taken again", 0, "pgpg", false},
		{"put twice", 0, "pp", false},
		{"put twice and taken", 0, "ppg", false},
		{"put twice and taken twice", 0, "ppgg", true},
		{"and put again", 0, "ppggp", true},
		{"put before the window", 1, "g", false},
		{"put twice before the window", 1, "gg", true},
		{"put twice and taken before the window", 0, "g", true},
		{"another object", 0, "PPGGpg", false},
	} {
		w := &built.Window{Window: &model.Window{Init: []model.ObjState{{Val: 7}, {Val: c.initial}}}}
		w.Places = []built.Place{{Addr: 0x9000, Mask: 0xff}, {Addr: uint64(word), Mask: 0xff}}
		for i, op := range c.ops {
			r := &built.Record{Index: int64(i)}
			r.Kind, r.Obj, r.Val = format.AtomicRMW, word, 1
			if op == 'P' || op == 'G' {
				r.Obj = other
			}
			if op == 'p' || op == 'P' {
				r.Kind = format.AtomicWrite
			}
			w.Records = append(w.Records, r)
		}
		if got := (&subject{window: w}).takenTwice(uint64(word)); got != c.twice {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestOtherPool: an object is not in a sync.Pool that was allocated anew or overwritten since, or
// may have been, and its word does not stand for an object or pool that was there before.
func TestOtherPool(t *testing.T) {
	const word, pool, data = uint64(format.PoolWords) + 8, 0x9000, 0xc000
	put := func(g trace.GoID) trace.Event {
		return trace.Event{Kind: format.AtomicWrite, G: g, Obj: trace.Addr(word), Size: 8, Val: 1}
	}
	write := func(g trace.GoID, addr trace.Addr) trace.Event {
		return trace.Event{Kind: format.Write, G: g, Obj: addr, Size: 8}
	}
	alloc := func(addr trace.Addr) trace.Event {
		return trace.Event{Kind: format.Alloc, G: 1, Obj: addr, Val: 64}
	}
	start := func(g, child trace.GoID) trace.Event {
		return trace.Event{Kind: format.Go, G: g, Obj: trace.Addr(child)}
	}
	for _, c := range []struct {
		name   string
		set    bool  // the word has 1 before the window
		at     int64 // the first Put; the window begins at 0
		events []trace.Event
		steps  []trace.Event
		fails  bool
	}{
		{"put in the window", false, 0, []trace.Event{put(1)}, nil, false},
		{"put before", true, -5, nil, nil, false},
		{"put before and taken", false, -5, nil, nil, false},
		{"put in the window, and set before", true, 0, []trace.Event{put(1)}, nil, true},
		{"put in the window, and put before", false, 1, []trace.Event{put(1), put(1)}, nil, true},
		{"pool allocated first", false, 1, []trace.Event{alloc(pool), put(1)}, nil, false},
		{"pool allocated later", false, 0, []trace.Event{put(1), alloc(pool - 16)}, nil, true},
		{"other memory allocated later", false, 0, []trace.Event{put(1), alloc(pool + 8)}, nil, false},
		{"pool allocated, put before the window", true, -5, []trace.Event{alloc(pool)}, nil, true},
		{"object allocated later", false, 0, []trace.Event{put(1), alloc(data)}, nil, true},
		{"overwritten first", false, 1, []trace.Event{write(1, pool), put(1)}, nil, false},
		{"overwritten first, set before", true, -5, []trace.Event{write(1, pool), put(1)}, nil, true},
		{"overwritten later", false, 0, []trace.Event{put(1), write(1, pool)}, nil, true},
		{"New is written later", false, 0, []trace.Event{put(1), write(1, pool+32)}, nil, false},
		{"overwritten by another goroutine", false, 1, []trace.Event{write(2, pool), put(1)}, nil, true},
		{"overwritten by the parent", false, 2, []trace.Event{write(2, pool), start(2, 1), put(1)}, nil, false},
		{"overwritten by a grandparent", false, 3, []trace.Event{write(3, pool), start(3, 2), start(2, 1), put(1)}, nil, false},
		{"overwritten by the parent later", false, 2, []trace.Event{start(2, 1), write(2, pool), put(1)}, nil, true},
		{"overwritten twice", false, 2, []trace.Event{write(1, pool), write(1, pool), put(1)}, nil, false},
		{"overwritten by two", false, 2, []trace.Event{write(2, pool), write(1, pool), put(1)}, nil, true},
		{"overwritten off the path", false, 0, []trace.Event{put(1)}, []trace.Event{write(1, pool)}, true},
		{"New is written off the path", false, 0, []trace.Event{put(1)}, []trace.Event{write(1, pool+32)}, false},
	} {
		w := &built.Window{To: 100, Window: &model.Window{Init: make([]model.ObjState, 1)}}
		w.Places = []built.Place{{Addr: word, Mask: 0xff}}
		if c.set {
			w.Init[0].Val = 1
		}
		for i := range c.events {
			w.Records = append(w.Records, &built.Record{Index: int64(i), Event: c.events[i]})
		}
		way := &built.Way{}
		for i := range c.steps {
			way.Steps = append(way.Steps, flow.Step{Event: c.steps[i]})
		}
		in := &subject{window: w, alt: way}
		x := flow.Pooled{Word: word, Data: data, At: c.at}
		if fails := in.stoodForAnother(pool, x) || in.emptied(pool, x); fails != c.fails {
			t.Errorf("%s: %t", c.name, fails)
		}
	}
}
