package before_test

import (
	"testing"

	"github.com/presage-race/presage/internal/static/evidence/before"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

var (
	table = path.NewTable()
	one   = table.Root(path.Token, 0, "go 1", "")
	two   = table.Root(path.Token, 0, "go 2", "")
	wg    = table.Of(path.Token, table.Root(path.Global, 0, "w", ""), "wg")
	ch    = table.Alloc("chan#1", "chan", false, 0)
	sent  = table.Of(path.Token, ch, "chan")
	taken = table.Of(path.Recv, ch, "")
	other = table.Of(path.Token, table.Alloc("chan#2", "chan", false, 0), "chan")
	over  = table.OverOf(one, wg)
	both  = table.AnyOf([]*path.Node{sent, other})
)

func sync(acquired, released order.Counts) order.Sync {
	return order.Sync{Acquired: acquired, Released: released}
}

// frame has a goroutine that is done with wg and sends once, started first, and a second one.
func frame(change func(*summary.Function)) *before.Frame {
	f := &summary.Function{
		Spawns: []*summary.Spawn{
			{Token: one, Total: order.Counts{wg: 1, sent: 1}},
			{Token: two, Sync: sync(nil, order.Counts{one: 1})},
		},
		Releases: []summary.Release{
			{Object: wg, Thread: 1, Times: 1, Sync: sync(order.Counts{one: 1}, nil)},
			{Object: sent, Thread: 1, Times: 1, Sync: sync(order.Counts{one: 1}, nil)},
		},
	}
	if change != nil {
		change(f)
	}
	return before.New(f)
}

func TestOrdered(t *testing.T) {
	inside := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1}, nil)}
	second := before.Point{Thread: 2, Sync: sync(order.Counts{two: 1}, nil)}
	started := order.Counts{one: 1}
	// has received from a channel to which nothing in the frame sends
	worker := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1, other: 1}, nil)}
	for _, c := range []struct {
		rule  string
		frame *before.Frame
		a, b  before.Point
		want  bool
	}{
		{"BE1: before the go statement", frame(nil), before.Point{}, inside, true},
		{"BE1: after the go statement", frame(nil), before.Point{Sync: sync(nil, started)}, inside, false},
		{"BE2: after Wait", frame(nil), before.Point{Sync: sync(order.Counts{wg: 1}, started)}, inside, true},
		{"BE2: after Done", frame(nil), before.Point{Sync: sync(order.Counts{wg: 1}, started)},
			before.Point{Thread: 1, Sync: sync(started, order.Counts{wg: 1})}, false},
		{"BE3: after the receive", frame(nil), before.Point{Sync: sync(order.Counts{sent: 1}, started)}, inside, true},
		{"BE3: another may have sent", frame(func(f *summary.Function) {
			f.Spawns[1].Total = order.Counts{sent: 1}
			f.Releases = append(f.Releases, summary.Release{Object: sent, Thread: 2, Times: 1, Sync: sync(order.Counts{two: 1}, nil)})
		}), before.Point{Sync: sync(order.Counts{sent: 1}, started)}, inside, false},
		{"BE3: many of them", frame(func(f *summary.Function) { f.Spawns[0].Many = true }),
			before.Point{Sync: sync(order.Counts{sent: 1}, started)}, inside, false},
		{"BE3: what a sender without buffer waits for", frame(func(f *summary.Function) {
			f.Spawns[0].Total = order.Counts{taken: 1}
			f.Releases = []summary.Release{{Object: taken, Thread: 1, Times: 1, Sync: sync(started, nil)}}
		}), before.Point{Sync: sync(order.Counts{taken: 1}, started)}, inside, true},
		{"BE3: select, when nothing is sent to the other", frame(nil), before.Point{Sync: sync(order.Counts{both: 1}, started)}, inside, true},
		{"BE5: a goroutine elsewhere has the channel later", frame(nil), before.Point{Sync: sync(nil, started)}, worker, true},
		{"BE5: others have it", frame(func(f *summary.Function) { f.Outside = []*path.Node{other.Root()} }), before.Point{Sync: sync(nil, started)}, worker, false},
		{"BE5: a send that was left out of the summary", frame(func(f *summary.Function) { f.Spawns[1].Total = order.Counts{other: 1} }),
			before.Point{Sync: sync(nil, started)}, worker, false},
		{"BE5: of another goroutine", frame(nil), second, worker, false},
		{"BE4: one after the other", frame(nil), inside, second, false},
		{"BE4: on different branches", frame(func(f *summary.Function) { f.Spawns[1].Sync = order.Sync{} }), inside, second, true},
		{"BE4: in several runs of the creator", frame(func(f *summary.Function) {
			f.Spawns = append(f.Spawns, &summary.Spawn{Token: table.Root(path.Token, 0, "go 3", ""), Many: true})
			f.Spawns[0].Parent, f.Spawns[1].Parent, f.Spawns[1].Sync = 3, 3, order.Sync{}
		}), inside, second, false},
	} {
		if got := c.frame.Ordered(c.a, c.b); got != c.want {
			t.Errorf("%s: got %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestOver(t *testing.T) {
	waited := before.Point{Sync: sync(order.Counts{over: 1}, order.Counts{one: 1})}
	inside := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1}, nil)}
	done := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1}, order.Counts{wg: 1})}
	many := frame(func(f *summary.Function) { f.Spawns[0].Many, f.Spawns[0].Loop = true, true })
	for _, c := range []struct {
		rule  string
		frame *before.Frame
		a, b  before.Point
		want  bool
	}{
		{"BE4: of all goroutines", many, waited, inside, true},
		{"BE4: after Done", many, waited, done, false},
		{"BE4: another goroutine that was started later", many, before.Point{Thread: 2, Sync: sync(order.Counts{over: 1, two: 1}, nil)}, inside, false},
		{"BE4: without Done", frame(func(f *summary.Function) { f.Spawns[0].Total = nil }), waited, inside, false},
	} {
		if got := c.frame.Ordered(c.a, c.b); got != c.want {
			t.Errorf("%s: got %v, want %v", c.rule, got, c.want)
		}
	}
	for want, at := range map[bool]order.Sync{true: sync(order.Counts{over: 1}, nil), false: {}} {
		f := frame(func(f *summary.Function) { f.Spawns[0].Loop, f.Spawns[0].Many, f.Spawns[0].Sync = true, true, at })
		if got := f.Apart(inside); got != want {
			t.Errorf("BE4, one after the other: got %v, want %v", got, want)
		}
	}
}

func TestJoined(t *testing.T) {
	inside := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1}, nil)}
	for want, again := range map[bool]order.Sync{true: sync(order.Counts{wg: 1}, order.Counts{one: 1}), false: sync(nil, order.Counts{one: 1})} {
		f := frame(func(f *summary.Function) { f.Spawns[0].Loop, f.Spawns[0].Again = true, &again })
		if got := f.Joined(inside); got != want {
			t.Errorf("BE4: got %v, want %v", got, want)
		}
	}
}

// A search that finds an order counts nothing, whichever path it has tried first.
func TestEnded(t *testing.T) {
	ring := []*path.Node{table.Alloc("chan#3", "chan", false, 0), table.Alloc("chan#4", "chan", false, 0)}
	for i, c := range ring {
		ring[i] = table.Of(path.Token, c, "chan")
	}
	f := frame(func(f *summary.Function) {
		f.Spawns[1].Total = order.Counts{ring[0]: 1, ring[1]: 1}
		for i, o := range ring { // each is released by a goroutine that has acquired the other
			f.Releases = append(f.Releases, summary.Release{Object: o, Thread: 2, Times: 1, Sync: sync(order.Counts{ring[1-i]: 1}, nil)})
		}
	})
	inside := before.Point{Thread: 1, Sync: sync(order.Counts{one: 1}, nil)}
	for range 50 {
		if !f.Ordered(before.Point{Sync: sync(order.Counts{sent: 1, ring[0]: 1}, order.Counts{one: 1})}, inside) || f.Ended != 0 {
			t.Fatalf("%d searches were ended, want an order", f.Ended)
		}
	}
	if f.Ordered(before.Point{Sync: sync(order.Counts{ring[0]: 1}, order.Counts{one: 1})}, inside) || f.Ended == 0 {
		t.Errorf("%d searches were ended, want no order, and some", f.Ended)
	}
}
