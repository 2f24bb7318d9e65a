package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

func executionOf(t *testing.T, text string) *execution {
	t.Helper()
	x, err := read(raw.NewReader(strings.NewReader(text)))
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
	ops, ok := x.reversed(flips[0], clocks, 0)
	if !ok {
		t.Fatal("the flip has no schedule")
	}
	got := x.schedule(ops)
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
	ops, _ := x.reversed(flips[0], clocks, 0)
	if h := x.historyOf(ops); h.begins(whole) {
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
