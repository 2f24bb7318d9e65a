package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// bank is the smallest lock-order-masked race: goroutine 2 writes and then locks,
// goroutine 1 locks and then reads.
//
//	 1 func main() {
//	 2 	go deposit()
//	 3 	mu.Lock()
//	 4 	mu.Unlock()
//	 5 	use(balance)
//	 6 }
//	11 func deposit() {
//	12 	balance = 1
//	13 	mu.Lock()
//	14 	mu.Unlock()
//	15 }
func bank() (*trace.Meta, []trace.Event) {
	at := func(fn trace.FuncID, line, col int32, expr, object string) trace.SiteInfo {
		return trace.SiteInfo{Func: fn, Line: line, Col: col, Expr: expr, Object: object}
	}
	meta := &trace.Meta{
		Source: "presage", Files: []trace.File{{Name: "bank.go"}},
		Funcs: []trace.Func{{Name: "main.main", Pkg: "main", Line: 1}, {Name: "main.deposit", Pkg: "main", Line: 11}},
		Sites: []trace.SiteInfo{{},
			1: at(0, 1, 6, "", ""), 2: at(0, 2, 2, "deposit()", ""), 3: at(0, 3, 9, "mu.Lock()", ""), 4: at(0, 4, 11, "mu.Unlock()", ""),
			5: at(0, 5, 6, "balance", "balance"), 6: at(1, 11, 6, "", ""), 7: at(1, 12, 2, "balance", "balance"),
			8: at(1, 13, 9, "mu.Lock()", ""), 9: at(1, 14, 11, "mu.Unlock()", "")},
		Goroutines: []trace.Goroutine{{}, {Func: "main.main"}, {Func: "main.deposit", Parent: 1, Site: 2}},
	}
	ev := func(k format.Kind, g trace.GoID, s trace.Site, obj trace.Addr, val, aux uint64) trace.Event {
		return trace.Event{Kind: k, G: g, Site: s, Obj: obj, Val: val, Aux: aux}
	}
	return meta, []trace.Event{
		ev(format.Start, 1, 0, 0, 0, 0),
		ev(format.Enter, 1, 1, 0, 0, 1),
		ev(format.Go, 1, 2, 2, 0, 0),
		ev(format.Start, 2, 0, 1, 0, 0),
		ev(format.Enter, 2, 6, 0, 0, 1),
		ev(format.Write, 2, 7, 0x100, 1, 0),
		ev(format.Lock, 2, 8, 0x200, 0, 0),
		ev(format.Unlock, 2, 9, 0x200, 0, 0),
		ev(format.Exit, 2, 6, 0, 0, 1),
		ev(format.End, 2, 0, 0, 0, 0),
		ev(format.Lock, 1, 3, 0x200, 0, 0),
		ev(format.Unlock, 1, 4, 0x200, 0, 0),
		ev(format.Read, 1, 5, 0x100, 1, 0),
		ev(format.Exit, 1, 1, 0, 0, 1),
		ev(format.End, 1, 0, 0, 0, 0),
	}
}

// bankSource is the program above.
func bankSource(file string, line int) string {
	return map[int]string{2: "go deposit()", 3: "mu.Lock()", 4: "mu.Unlock()", 5: "use(balance)", 12: "balance = 1", 13: "mu.Lock()", 14: "mu.Unlock()"}[line]
}

func locate(t *testing.T, meta *trace.Meta, events []trace.Event, s Spec) Race {
	t.Helper()
	l := NewLocator(meta, []Spec{s}, bankSource, Types{})
	for i := range events {
		l.Step(int64(i), &events[i])
	}
	races, err := l.Races()
	if err != nil {
		t.Fatal(err)
	}
	return races[0]
}

func TestLocate(t *testing.T) {
	meta, events := bank()
	r := locate(t, meta, events, Spec{A: 5, B: 12, Tier: Predicted, Semantics: "needed", Order: []int64{0, 2, 3, 10, 11, 5, 12}})

	pos := func(line, col int) Position { return Position{"bank.go", line, col} }
	main := Goroutine{ID: 1, Func: "main.main"}
	child := Goroutine{ID: 2, Func: "main.deposit", Parent: 1, Created: []Frame{{"main.main", pos(2, 2)}}}
	step := func(e int64, g int, p Position, fn, text string) Step {
		return Step{Event: e, Goroutine: g, Position: p, Func: fn, Text: text, Source: bankSource(p.File, p.Line)}
	}
	unlocked := step(11, 1, pos(4, 11), "main.main", "unlocks mu")
	unlocked.Held = []string{"mu"}
	unlock, lock := step(7, 2, pos(14, 11), "main.deposit", "unlocks mu"), step(10, 1, pos(3, 9), "main.main", "locks mu")
	want := Race{
		Tier: Predicted, Object: "balance",
		A:      Access{pos(12, 2), "write", "balance", "main.deposit", child, []Frame{{"main.deposit", pos(12, 2)}}, []Lock{}, 5, "balance = 1", false, 7, ""},
		B:      Access{pos(5, 6), "read", "balance", "main.main", main, []Frame{{"main.main", pos(5, 6)}}, []Lock{}, 12, "use(balance)", false, 5, ""},
		Hidden: Hidden{Ordered: true, Edges: []Edge{{From: unlock, To: lock, Broken: true}}},
		Witness: &Witness{Semantics: "needed", Order: []int64{0, 2, 3, 10, 11, 5, 12}, Steps: []Step{
			step(2, 1, pos(2, 2), "main.main", "starts goroutine 2 (main.deposit)"),
			lock,
			unlocked,
			step(5, 2, pos(12, 2), "main.deposit", "writes balance"),
			step(12, 1, pos(5, 6), "main.main", "reads balance"),
		}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("race (-want +got):\n%s", diff)
	}
}

// TestStack: a frame is left by its Exit, or by the Enter or Exit of an outer one.
func TestStack(t *testing.T) {
	meta, _ := bank()
	in := func(site trace.Site, call, depth uint64) trace.Event {
		return trace.Event{Kind: format.Enter, G: 1, Site: site, Val: call, Aux: depth}
	}
	write := trace.Event{Kind: format.Write, G: 1, Site: 7}
	for _, test := range []struct {
		name   string
		before []trace.Event
		want   []string
	}{
		{"nested", []trace.Event{in(1, 0, 1), in(6, 2, 2)}, []string{"main.deposit bank.go:12:2", "main.main bank.go:2:2"}},
		{"left by exit", []trace.Event{in(1, 0, 1), in(1, 2, 2), {Kind: format.Exit, G: 1, Aux: 2}, in(6, 2, 2)}, []string{"main.deposit bank.go:12:2", "main.main bank.go:2:2"}},
		{"left by a panic", []trace.Event{in(1, 0, 1), in(1, 2, 2), in(1, 2, 3), in(6, 2, 2)}, []string{"main.deposit bank.go:12:2", "main.main bank.go:2:2"}},
		{"called from elsewhere", []trace.Event{in(1, 0, 1), in(6, 0, 2)}, []string{"main.deposit bank.go:12:2", "main.main bank.go:1:6"}},
	} {
		r := locate(t, meta, append(test.before, write, write), Spec{A: int64(len(test.before)), B: int64(len(test.before) + 1), Tier: Observed})
		var got []string
		for _, f := range r.A.Stack {
			got = append(got, f.Func+" "+f.Position.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestLocks: a lock is held until its Unlock in the same mode.
func TestLocks(t *testing.T) {
	meta, _ := bank()
	lock := func(k format.Kind, g trace.GoID, obj trace.Addr, f format.Flags) trace.Event {
		return trace.Event{Kind: k, G: g, Obj: obj, Flags: f, Site: 3}
	}
	write := trace.Event{Kind: format.Write, G: 1, Site: 7}
	for _, test := range []struct {
		name   string
		before []trace.Event
		want   []Lock
	}{
		{"held", []trace.Event{lock(format.Lock, 1, 1, 0), lock(format.Lock, 1, 2, format.FlagRead)}, []Lock{{"mu", "lock", Position{"bank.go", 3, 9}}, {"mu", "rlock", Position{"bank.go", 3, 9}}}},
		{"released", []trace.Event{lock(format.Lock, 1, 1, 0), lock(format.Unlock, 1, 1, 0)}, []Lock{}},
		{"released by another goroutine", []trace.Event{lock(format.Lock, 1, 1, 0), lock(format.Unlock, 2, 1, 0)}, []Lock{}},
		{"another mode", []trace.Event{lock(format.Lock, 1, 1, format.FlagRead), lock(format.Unlock, 1, 1, 0)}, []Lock{{"mu", "rlock", Position{"bank.go", 3, 9}}}},
	} {
		r := locate(t, meta, append(test.before, write, write), Spec{A: int64(len(test.before)), B: int64(len(test.before) + 1), Tier: Observed})
		if diff := cmp.Diff(test.want, r.A.Locks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestHidden follows (RT1): which pairs of events order the accesses before and after them.
func TestHidden(t *testing.T) {
	meta, _ := bank()
	const g, h = trace.GoID(1), trace.GoID(2)
	ev := func(k format.Kind, g trace.GoID, f format.Flags, val, aux uint64) trace.Event {
		return trace.Event{Kind: k, G: g, Flags: f, Obj: 0x300, Val: val, Aux: aux}
	}
	minus := ^uint64(0)
	for _, test := range []struct {
		name    string
		between []trace.Event
		want    bool
	}{
		{"nothing", nil, false},
		{"mutex", []trace.Event{ev(format.Unlock, g, 0, 0, 0), ev(format.Lock, h, 0, 0, 0)}, true},
		{"mutex taken only", []trace.Event{ev(format.Lock, g, 0, 0, 0), ev(format.Lock, h, 0, 0, 0)}, false},
		{"two readers", []trace.Event{ev(format.Unlock, g, format.FlagRead, 0, 0), ev(format.Lock, h, format.FlagRead, 0, 0)}, false},
		{"reader, writer", []trace.Event{ev(format.Unlock, g, format.FlagRead, 0, 0), ev(format.Lock, h, 0, 0, 0)}, true},
		{"writer, reader", []trace.Event{ev(format.Unlock, g, 0, 0, 0), ev(format.Lock, h, format.FlagRead, 0, 0)}, true},
		{"done, wait", []trace.Event{ev(format.WGAdd, g, 0, minus, 0), ev(format.WGWait, h, 0, 0, 0)}, true},
		{"send, receive", []trace.Event{ev(format.ChanSend, g, 0, 1, 0), ev(format.ChanRecv, h, 0, 1, 0)}, true},
		{"send, receive of the next", []trace.Event{ev(format.ChanSend, h, 0, 1, 2), ev(format.ChanSend, g, 0, 2, 2), ev(format.ChanRecv, h, 0, 1, 2)}, false},
		{"receive, send with capacity", []trace.Event{ev(format.ChanSend, h, 0, 1, 1), ev(format.ChanRecv, g, 0, 1, 1), ev(format.ChanSend, h, 0, 2, 1)}, true},
		{"receive, send with room", []trace.Event{ev(format.ChanSend, h, 0, 1, 2), ev(format.ChanRecv, g, 0, 1, 2), ev(format.ChanSend, h, 0, 2, 2)}, false},
		{"receive completes the send", []trace.Event{ev(format.ChanSend, h, 0, 1, 0), ev(format.ChanRecv, g, 0, 1, 0)}, true},
		{"close", []trace.Event{ev(format.ChanClose, g, 0, 0, 0), ev(format.ChanRecv, h, format.FlagClosed, 0, 0)}, true},
		{"once", []trace.Event{ev(format.OnceEnd, g, 0, 0, 0), ev(format.OncePass, h, 0, 0, 0)}, true},
		{"two passes of a once", []trace.Event{ev(format.OncePass, g, 0, 0, 0), ev(format.OncePass, h, 0, 0, 0)}, false},
		{"atomic flag", []trace.Event{ev(format.AtomicWrite, g, 0, 1, 0), ev(format.AtomicRead, h, 0, 1, 0)}, true},
		{"two atomic reads", []trace.Event{ev(format.AtomicRead, g, 0, 1, 0), ev(format.AtomicRead, h, 0, 1, 0)}, false},
		{"go", []trace.Event{{Kind: format.Go, G: g, Obj: trace.Addr(h)}, {Kind: format.Start, G: h, Obj: trace.Addr(g)}}, true},
		{"join", []trace.Event{{Kind: format.End, G: g}, {Kind: format.Join, G: h, Obj: trace.Addr(g)}}, true},
		{"by way of a third", []trace.Event{ev(format.Unlock, g, 0, 0, 0), ev(format.Lock, 3, 0, 0, 0), {Kind: format.End, G: 3}, {Kind: format.Join, G: h, Obj: 3}}, true},
	} {
		events := append([]trace.Event{{Kind: format.Write, G: g, Site: 7}}, test.between...)
		events = append(events, trace.Event{Kind: format.Write, G: h, Site: 5})
		r := locate(t, meta, events, Spec{A: 0, B: int64(len(events) - 1), Tier: Predicted})
		if r.Hidden.Ordered != test.want {
			t.Errorf("%s: ordered %v, want %v", test.name, r.Hidden.Ordered, test.want)
		}
	}
}

// TestInside: what code that was not instrumented does stands at the call.
func TestInside(t *testing.T) {
	meta, _ := bank()
	ev := func(k format.Kind, g trace.GoID, s trace.Site, obj trace.Addr) trace.Event {
		return trace.Event{Kind: k, G: g, Site: s, Obj: obj, Aux: 1}
	}
	events := []trace.Event{
		ev(format.Enter, 1, 1, 0), ev(format.Write, 1, 7, 0),
		ev(format.OpaqueBegin, 1, 2, 0), ev(format.Unlock, 1, 0, 9), ev(format.OpaqueEnd, 1, 2, 0),
		// a panic leaves the call
		ev(format.Enter, 2, 6, 0), ev(format.OpaqueBegin, 2, 8, 0), ev(format.Lock, 2, 0, 9),
		ev(format.Exit, 2, 6, 0), ev(format.Unlock, 2, 0, 9),
		ev(format.Write, 2, 5, 0),
	}
	r := locate(t, meta, events, Spec{A: 1, B: 10, Tier: Predicted})
	var got []string
	for _, e := range r.Hidden.Edges {
		got = append(got, e.From.Text+" at "+e.From.Position.String(), e.To.Text+" at "+e.To.Position.String())
	}
	want := []string{"unlocks something inside deposit() at bank.go:2:2", "locks something inside mu.Lock() at bank.go:13:9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

// TestSteps: a report has up to MaxSteps of the steps of a witness, as long as those of all
// witnesses are not too many, and the text prints the last ones.
func TestSteps(t *testing.T) {
	meta, events := bank()
	const turns = 1500
	order := []int64{}
	for range turns {
		order = append(order, int64(len(events)), int64(len(events)+1))
		events = append(events, trace.Event{Kind: format.Lock, G: 1, Site: 3, Obj: 0x200}, trace.Event{Kind: format.Unlock, G: 1, Site: 4, Obj: 0x200})
	}
	order = append(order, 5, 12)
	specs := make([]Spec, 30)
	for i := range specs {
		specs[i] = Spec{A: 5, B: 12, Tier: Predicted, Order: order}
	}
	l := NewLocator(meta, specs, nil, Types{})
	for i := range events {
		l.Step(int64(i), &events[i])
	}
	races, err := l.Races()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]int{0: MaxSteps, 19: MaxSteps, 20: shownSteps, 29: shownSteps} {
		if w := races[i].Witness; len(w.Steps) != want || w.Omitted != 2*turns+2-want {
			t.Errorf("race %d: %d steps and %d omitted, want %d and %d", i, len(w.Steps), w.Omitted, want, 2*turns+2-want)
		}
	}
	var text strings.Builder
	if err := NewDetails(&text, TextOptions{}).Race(&races[0]); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "… 2962 steps before") {
		t.Errorf("the text does not count the steps that it leaves out:\n%s", text.String())
	}
}
