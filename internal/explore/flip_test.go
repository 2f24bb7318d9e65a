package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

func executionOf(t *testing.T, text string) *execution {
	t.Helper()
	x, err := read(raw.NewReader(strings.NewReader(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Two goroutines take a lock after one another, and send: a WaitGroup's Wait comes last in any
// case.
const locks = `
g0 go g1
g1 start g0
g1 wgadd 0x50 val=2 aux=2
g1 go g2
g2 start g1
g1 go g3
g3 start g1
g2 lock 0x10
g2 unlock 0x10
g2 wgadd 0x50 val=-1 aux=1
g3 lock 0x10
g3 unlock 0x10
g3 wgadd 0x50 val=-1
g1 wgwait 0x50
`

func TestFlips(t *testing.T) {
	x := executionOf(t, locks)
	flips, clocks := x.flips()
	if len(flips) != 1 {
		t.Fatalf("%d flips: %v", len(flips), flips)
	}
	if a, b := x.ops[flips[0].first], x.ops[flips[0].second]; a.kind != format.Lock || b.kind != format.Lock || a.g != 2 || b.g != 3 {
		t.Errorf("the flip is %v and %v", a, b)
	}
	main := steer.Child(steer.Runtime, 1)
	second, third := steer.Child(main, 1), steer.Child(main, 2)
	e := &exploration{clocked: x, clocks: clocks}
	a, ok := e.make(&waiting{x: x, kind: flipping, flip: flips[0]})
	if !ok {
		t.Fatal("the flip has no schedule")
	}
	got := a.parts
	// g1 starts both, then g3 has the lock; g2 has not begun
	want := []steer.Part{{Goroutine: main, Until: 3}, {Goroutine: third, Until: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schedule (-want +got):\n%s", diff)
	}
	if whole := x.schedule(x.all()); whole[1].Goroutine != second || whole[len(whole)-1] != (steer.Part{Goroutine: main, Until: 4}) {
		t.Errorf("the whole schedule is %v", whole)
	}
}

// A history begins with that of each of its beginnings, and with no other order.
func TestHistory(t *testing.T) {
	x := executionOf(t, locks)
	whole := x.historyOf(x.all())
	for n := range x.all() {
		if !x.historyOf(x.all()[:n]).begins(whole) {
			t.Errorf("the history of %d operations does not begin that of all", n)
		}
	}
	flips, clocks := x.flips()
	e := &exploration{clocked: x, clocks: clocks}
	if a, _ := e.make(&waiting{x: x, kind: flipping, flip: flips[0]}); a.history.begins(whole) {
		t.Error("the other order of the locks begins the history")
	}
	// the two Done commute
	swapped := executionOf(t, strings.Replace(locks, "g2 wgadd 0x50 val=-1 aux=1\ng3 lock 0x10\ng3 unlock 0x10\ng3 wgadd 0x50 val=-1\n",
		"g3 lock 0x10\ng3 unlock 0x10\ng3 wgadd 0x50 val=-1 aux=1\ng2 wgadd 0x50 val=-1\n", 1))
	if h := swapped.historyOf(swapped.all()); !h.begins(whole) || !whole.begins(h) {
		t.Error("the order of two Done makes another history")
	}
}

func TestChoices(t *testing.T) {
	for text, want := range map[string]int{
		"g1 send 0x10 val=1 aux=1\ng1 case 0x20 aux=1\ng1 recv 0x10 val=1 aux=1\n":                               0,
		"g1 send 0x10 val=1 aux=1\ng1 send 0x20 val=1 aux=1\ng1 case 0x20 aux=1\ng1 recv 0x10 val=1 aux=1\n":     1,
		"g1 send 0x10 val=1 aux=1\ng1 close 0x20 aux=1\ng1 case 0x20 aux=1\ng1 recv 0x10 val=1 aux=1\n":          1,
		"g1 send 0x20 val=1 aux=1\ng1 recv 0x20 val=1 aux=1\ng1 case 0x20 aux=1\ng1 case 0x10 aux=1\ng1 default": 0,
	} {
		if got := executionOf(t, text).choices; len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// What lets an operation go on comes before it in any case; what it does not need, need not.
func TestReversible(t *testing.T) {
	const begin = "g0 go g1\ng1 start g0\ng1 go g2\ng2 start g1\n"
	for text, want := range map[string]bool{
		// the locks
		"g1 lock 0x10\ng1 unlock 0x10\ng2 lock 0x10": true,
		// and the try after the unlock
		"g1 lock 0x10\ng2 tryfail 0x10\ng1 unlock 0x10": true,
		// the counter is zero before
		"g1 wgadd 0x10 val=1 aux=1\ng2 wgwait 0x10": true,
		// it is zero only then
		"g1 wgadd 0x10 val=-1\ng2 wgwait 0x10":               false,
		"g1 send 0x10 val=1 aux=1\ng2 recv 0x10 val=1 aux=1": false,
		// it takes the default
		"g1 send 0x10 val=1 aux=1\ng2 recv 0x10 val=1 aux=1 nonblocking": true,
		"g1 close 0x10 aux=1\ng2 recv 0x10 aux=1 closed":                 false,
		"g1 close 0x10 aux=1\ng2 recv 0x10 aux=1 closed nonblocking":     true,
		"g1 len 0x10 val=1 aux=1\ng2 recv 0x10 val=1 aux=1":              true,
		// the element was there before
		"g2 send 0x10 val=1 aux=2\ng1 close 0x10 aux=2\ng2 recv 0x10 val=1 aux=2":      true,
		"g2 send 0x10 val=1 aux=2\ng1 send 0x10 val=2 aux=2\ng2 recv 0x10 val=1 aux=2": true,
		// and room for another one, or not
		"g1 send 0x10 val=1 aux=2\ng1 recv 0x10 val=1 aux=2\ng2 send 0x10 val=1 aux=2": true,
		// it cannot pass before
		"g1 oncebegin 0x10\ng1 onceend 0x10\ng2 oncepass 0x10": true,
		// the signal is lost
		"g1 signal 0x10\ng2 condwait 0x10": true,
		// they have no order
		"g1 aread 0x10 val=1\ng2 aread 0x10 val=1":             false,
		"g1 wgadd 0x10 val=1 aux=1\ng2 wgadd 0x10 val=1 aux=2": false,
		"g1 lock 0x10 read\ng2 lock 0x10 read":                 false} {
		if flips, _ := executionOf(t, begin+text+"\n").flips(); len(flips) > 0 != want {
			t.Errorf("%s: %d flips", text, len(flips))
		}
	}
}

// A goroutine that waits at the end could have been first, if what it waits for lets it.
func TestBlocked(t *testing.T) {
	const begin = "g0 go g1\ng1 start g0\ng1 go g2\ng2 start g1\n"
	waits := steer.Child(steer.Child(steer.Runtime, 1), 1)
	for _, c := range []struct {
		text string
		kind steer.Wait
		want int
	}{
		{"g1 lock 0x10", steer.Lock, 1},
		{"g1 lock 0x10\ng1 unlock 0x10\ng1 lock 0x10", steer.Lock, 2},
		{"g1 lock 0x20", steer.Lock, 0},
		{"g1 recv 0x10 val=1 aux=1", steer.Receive, 1},
		{"g1 send 0x10 val=1 aux=1", steer.Receive, 0},
		{"g1 case 0x10 write\ng1 default", steer.Receive, 1},
		{"g1 wgadd 0x10 val=1 aux=1", steer.WGWait, 1},
		{"g1 wgadd 0x10 val=-1 aux=1", steer.WGWait, 0},
	} {
		x := executionOf(t, begin+c.text+"\n")
		x.blocked([]steer.Blocked{{Goroutine: waits, Object: 0x10, Kind: c.kind}})
		flips, clocks := x.flips()
		if len(flips) != c.want {
			t.Errorf("%s: %d flips, not %d", c.text, len(flips), c.want)
		}
		for _, f := range flips {
			e := &exploration{clocked: x, clocks: clocks}
			w, ok := e.make(&waiting{x: x, kind: flipping, flip: f})
			if n := len(w.parts); !ok || w.once == 0 || n < 2 || w.parts[n-2] != (steer.Part{Goroutine: waits, Until: 1 | steer.OrWaits}) {
				t.Errorf("%s: %v", c.text, w.parts)
			}
		}
	}
}

// Where two goroutines meet, one waits for the other: not the one that does not wait.
func TestMeeting(t *testing.T) {
	const begin = "g0 go g1\ng1 start g0\ng1 go g2\ng2 start g1\n"
	main := steer.Child(steer.Runtime, 1)
	second := steer.Child(main, 1)
	for text, want := range map[string][]steer.Part{
		"g1 send 0x10 val=1\ng2 recv 0x10 val=1\n":             {{Goroutine: main, Until: 2 | steer.OrWaits}, {Goroutine: second, Until: 1}},
		"g1 send 0x10 val=1 nonblocking\ng2 recv 0x10 val=1\n": {{Goroutine: main, Until: 1}, {Goroutine: second, Until: 1 | steer.OrWaits}, {Goroutine: main, Until: 2}, {Goroutine: second, Until: 1}},
	} {
		x := executionOf(t, begin+text)
		if diff := cmp.Diff(want, x.schedule(x.all())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// An access at a point is an operation on each of its words, and counts as a record.
func TestPoints(t *testing.T) {
	const text = "g0 go g1\ng1 start g0\ng1 go g2\ng2 start g1\n"
	points := []steer.Point{
		{Event: 4, Goroutine: 1, Address: 0x104, Size: 4, Write: true},
		{Event: 4, Goroutine: 2, Address: 0x100, Size: 16},
	}
	x, err := read(raw.NewReader(strings.NewReader(text)), points)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(x.ops); n != 5 {
		t.Fatalf("%d operations", n)
	}
	flips, clocks := x.flips()
	if len(flips) != 1 {
		t.Fatalf("%d flips", len(flips))
	}
	e := &exploration{clocked: x, clocks: clocks}
	a, _ := e.make(&waiting{x: x, kind: flipping, flip: flips[0]})
	main := steer.Child(steer.Runtime, 1)
	want := []steer.Part{{Goroutine: main, Until: 1}, {Goroutine: steer.Child(main, 1), Until: 1}}
	if diff := cmp.Diff(want, a.parts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A history has what an operation does: two cases of one select on one channel are two histories. A
// schedule for the other case has been shown by a run that has it.
func TestCases(t *testing.T) {
	const text = "g0 go g1\ng1 start g0\ng1 send 0x10 val=1 aux=1\ng1 case 0x10 aux=1 val=131073\ng1 recv 0x10 val=1 aux=1\n"
	one := executionOf(t, text)
	two := executionOf(t, strings.Replace(text, "val=131073", "val=65538", 1))
	h, other := one.historyOf(one.all()), two.historyOf(two.all())
	if h.begins(other) || !h.begins(one.historyOf(one.all())) {
		t.Error("the cases have one history")
	}
	e := &exploration{}
	a, ok := e.make(&waiting{x: one, kind: choosing})
	if !ok || len(a.choices) != 1 || a.choices[0] != (steer.Choice{Goroutine: steer.Child(steer.Runtime, 1), Records: 1, Case: 1}) {
		t.Fatalf("the choice is %v", a.choices)
	}
	if !a.shown(other, &record.SteeredRun{}) || a.shown(h, &record.SteeredRun{}) {
		t.Error("the choice is shown by the wrong run")
	}
}

// The order of Adds matters where the counter could go below zero.
func TestUnderflows(t *testing.T) {
	const begin = "g0 go g1\ng1 start g0\n"
	for text, want := range map[string]bool{
		"g1 go g2\ng2 start g1\ng1 wgadd 0x10 val=1 aux=1\ng2 wgadd 0x10 val=-1":                                                        true,
		"g1 wgadd 0x10 val=1 aux=1\ng1 go g2\ng2 start g1\ng2 wgadd 0x10 val=-1":                                                        false,
		"g1 wgadd 0x10 val=2 aux=2\ng1 go g2\ng2 start g1\ng2 wgadd 0x10 val=-1 aux=1\ng1 wgadd 0x10 val=-1":                            false,
		"g1 wgadd 0x10 val=1 aux=1\ng1 go g2\ng2 start g1\ng1 wgadd 0x10 val=1 aux=2\ng2 wgadd 0x10 val=-1 aux=1\ng1 wgadd 0x10 val=-1": false,
		"g1 wgadd 0x10 val=1 aux=1\ng1 go g2\ng2 start g1\ng2 wgadd 0x10 val=-1\ng1 wgadd 0x10 val=-1":                                  true,
	} {
		x := executionOf(t, begin+text+"\n")
		_, clocks := x.flips()
		if got := x.underflows(clocks); got != want {
			t.Errorf("%s: %t", text, got)
		}
		x.takesTurns()
		if flips, _ := x.flips(); want && len(flips) == 0 {
			t.Errorf("%s: no flip", text)
		}
	}
}

// Whether a goroutine has waited is not in the history: the run says it.
func TestWaited(t *testing.T) {
	const begin = "g0 go g1\ng1 start g0\ng1 go g2\ng2 start g1\n"
	x := executionOf(t, begin+"g1 case 0x10 write\ng1 default\ng2 recv 0x10 val=1\n")
	flips, clocks := x.flips()
	if len(flips) != 1 {
		t.Fatalf("%d flips", len(flips))
	}
	e := &exploration{clocked: x, clocks: clocks}
	a, _ := e.make(&waiting{x: x, kind: flipping, flip: flips[0]})
	h := x.historyOf(x.all())
	n := len(a.parts)
	const did, waited = steer.Over | steer.Chosen, steer.Over | steer.Waited
	for _, c := range []struct {
		second, first steer.End
		want          bool
	}{{waited, did, true}, {did, did, false}, {waited, steer.Over, false}, {waited, did | steer.Missed, false}, {0, did, false}} {
		ends := make([]steer.End, n)
		ends[n-2], ends[n-1] = c.second, c.first
		r := &record.SteeredRun{Result: steer.Result{Ends: ends}}
		if got := a.shown(h, r); got != c.want {
			t.Errorf("%x, %x: %t", c.second, c.first, got)
		}
	}
}
