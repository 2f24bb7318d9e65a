package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestDetour follows (RT2): the main goroutine of bank leaves its path before it reads the balance.
func TestDetour(t *testing.T) {
	step := func(k format.Kind, g trace.GoID, s trace.Site, obj trace.Addr, left int, calls ...Call) DetourStep {
		return DetourStep{Event: trace.Event{Kind: k, G: g, Site: s, Obj: obj}, Left: left, Calls: calls}
	}
	write := func(g trace.GoID, left int, calls ...Call) DetourStep {
		return step(format.Write, g, 7, 0x100, left, calls...)
	}
	deposit := Call{Func: 6, Site: 2}
	for _, test := range []struct {
		name  string
		steps []DetourStep
		want  Access // the last step
	}{
		{"there", []DetourStep{step(format.Write, 1, 5, 0x100, 0)}, Access{Stack: []Frame{{"main.main", Position{"bank.go", 5, 6}}}}},
		{"in a function", []DetourStep{write(1, 0, deposit)}, Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}, {"main.main", Position{"bank.go", 2, 2}}}}},
		{"recursive", []DetourStep{write(1, 0, Call{Func: 6, Site: 9}, deposit)},
			Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}, {"main.deposit", Position{"bank.go", 14, 11}}, {"main.main", Position{"bank.go", 2, 2}}}}},
		{"having returned", []DetourStep{write(1, 1)}, Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}}}},
		{"in the lock", []DetourStep{step(format.Lock, 1, 3, 0x200, 0), write(1, 1)},
			Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}}, Locks: []Lock{{"mu", "lock", Position{"bank.go", 3, 9}}}}},
		{"behind the lock", []DetourStep{step(format.Lock, 1, 3, 0x200, 0), step(format.Unlock, 1, 4, 0x200, 0), write(1, 1)},
			Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}}}},
		{"in a goroutine", []DetourStep{step(format.Lock, 1, 3, 0x200, 0), step(format.Go, 1, 2, 1<<30, 0), write(1<<30, 0, Call{Func: 6})},
			Access{Stack: []Frame{{"main.deposit", Position{"bank.go", 12, 2}}},
				Goroutine: Goroutine{ID: 3, Func: "main.deposit", Parent: 1, Created: []Frame{{"main.main", Position{"bank.go", 2, 2}}}}}},
	} {
		meta, events := bank()
		last := int64(-len(test.steps))
		r := locate(t, meta, events, Spec{A: 5, B: last, Tier: ByPath, Order: []int64{5, last},
			Detours: []Detour{{G: 1, Before: 12, Site: 1, Line: 5, Col: 1, Expr: "balance > 0", Shape: "bool", Was: []uint64{1}, Is: []uint64{0}, Steps: test.steps}}})
		want := test.want
		if want.Goroutine.ID == 0 {
			want.Goroutine = Goroutine{ID: 1, Func: "main.main"}
		}
		if want.Locks == nil {
			want.Locks = []Lock{}
		}
		got := Access{Goroutine: r.B.Goroutine, Stack: r.B.Stack, Locks: r.B.Locks}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if !r.B.OffPath || r.A.OffPath || r.Hidden.Ordered {
			t.Errorf("%s: off the path: %v, %v; ordered: %v", test.name, r.A.OffPath, r.B.OffPath, r.Hidden.Ordered)
		}
		p := r.Paths[0]
		if p.Goroutine != 1 || p.Position != (Position{"bank.go", 5, 1}) || p.Was != "true" || p.Is != "false" || len(p.Steps) != len(test.steps) {
			t.Errorf("%s: path %+v", test.name, p)
		}
	}
}

// TestDetours: both goroutines of bank leave their paths, or go on after the end of the recorded
// run. The second step of each is an access. The first one takes a lock, or starts a goroutine,
// which then makes the access.
func TestDetours(t *testing.T) {
	detour := func(g trace.GoID, before int64, ended bool, site trace.Site, starts trace.GoID) Detour {
		step := func(k format.Kind, g trace.GoID, s trace.Site, obj trace.Addr, calls ...Call) DetourStep {
			return DetourStep{Event: trace.Event{Kind: k, G: g, Site: s, Obj: obj}, Calls: calls}
		}
		d := Detour{G: g, Before: before, Ended: true, Site: site}
		if !ended {
			d = Detour{G: g, Before: before, Site: site, Line: 3, Expr: "b", Shape: "bool", Was: []uint64{1}, Is: []uint64{0}}
		}
		if starts != 0 {
			d.Steps = []DetourStep{step(format.Go, g, 2, trace.Addr(starts)), step(format.Write, starts, 7, 0x100, Call{Func: 6})}
		} else {
			d.Steps = []DetourStep{step(format.Lock, g, 8, 0x300), step(format.Write, g, 7, 0x100)}
		}
		return d
	}
	type access struct { // what differs from case to case
		g     int
		stack string // its functions
		locks int
	}
	for _, test := range []struct {
		name   string
		events int // of bank
		a, b   Detour
		wantA  access
		wantB  access
	}{
		{"both leave their paths", 15, detour(2, 7, false, 6, 0), detour(1, 11, false, 1, 0), access{2, "main.deposit", 2}, access{1, "main.main", 2}},
		{"both start goroutines", 15, detour(2, 7, false, 6, 1<<30), detour(1, 12, false, 1, 1<<30+1), access{3, "main.deposit", 0}, access{4, "main.deposit", 0}},
		{"both go on", 7, detour(2, 7, true, 8, 0), detour(1, 7, true, 3, 0), access{2, "main.deposit", 2}, access{1, "main.main", 1}},
		{"the first one begins", 3, detour(2, 3, true, 6, 0), detour(1, 3, true, 3, 0), access{2, "main.deposit", 1}, access{1, "main.main", 1}},
		{"one goes on", 7, detour(2, 7, true, 8, 0), detour(1, 2, false, 1, 0), access{2, "main.deposit", 2}, access{1, "main.main", 1}},
	} {
		meta, events := bank()
		r := locate(t, meta, events[:test.events], Spec{A: -2, B: -4, Tier: ByPath, Order: []int64{-1, -3, -2, -4}, Detours: []Detour{test.a, test.b}})
		of := func(a *Access) access {
			var stack []string
			for _, f := range a.Stack {
				stack = append(stack, f.Func)
			}
			return access{a.Goroutine.ID, strings.Join(stack, " "), len(a.Locks)}
		}
		if a, b := of(&r.A), of(&r.B); a != test.wantA || b != test.wantB {
			t.Errorf("%s: accesses %v, %v, want %v, %v", test.name, a, b, test.wantA, test.wantB)
		}
		for i, d := range []*Detour{&test.a, &test.b} {
			p := r.Paths[i]
			if p.Goroutine != int(d.G) || p.Ended != d.Ended || p.Before != d.Before || (p.Was == "") != d.Ended || d.Ended && p.Line != int(meta.Sites[d.Site].Line) {
				t.Errorf("%s: path %d: %+v", test.name, i, p)
			}
			for k := range p.Steps {
				if n := int64(-1 - 2*i - k); p.Steps[k].Event != n || r.Step(n) != &p.Steps[k] {
					t.Errorf("%s: path %d, step %d is event %d", test.name, i, k, p.Steps[k].Event)
				}
			}
		}
		if r.Step(-5) != nil || r.Step(0) != nil {
			t.Errorf("%s: steps that the paths do not have", test.name)
		}
	}
}

// TestOutcome: a path that begins with another outcome of an operation.
func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		line  int
		expr  string
		kind  format.Kind
		flags format.Flags
		want  string
		obj   trace.Addr // 0: some object
	}{
		{3, "n.CompareAndSwap(0, 1)", format.AtomicRead, format.FlagTry, "bank.go:3:7, where n.CompareAndSwap(0, 1) has another outcome: it fails\n      mu.Lock()\n", 0},
		{3, "n.CompareAndSwap(0, 1)", format.AtomicRMW, 0, "bank.go:3:7, where n.CompareAndSwap(0, 1) has another outcome: it succeeds\n", 0},
		{3, "mu.TryLock()", format.TryFail, format.FlagTry, "where mu.TryLock() has another outcome: it fails\n", 0},
		{3, "mu.TryLock()", format.Lock, format.FlagTry, "where mu.TryLock() has another outcome: it succeeds\n", 0},
		{3, "<-c", format.ChanRecv, format.FlagClosed, "where <-c has another outcome: it finds the channel closed\n", 0},
		{3, "<-c", format.ChanRecv, 0, "where <-c has another outcome: it receives\n", 0},
		{3, "once.Do(f)", format.OncePass, 0, "where once.Do(f) has another outcome: it finds the function called\n", 0},
		{3, "once.Do(f)", format.OnceBegin, 0, "where once.Do(f) has another outcome: it calls the function\n", 0},
		{0, "", format.SelectDefault, 0, "bank.go:4:11, where the operation has another outcome: it takes the default\n      mu.Unlock()\n", 0},
		{0, "", format.ChanSend, 0, "where the operation has another outcome: it sends\n", 0},
		{3, "m.Load(k)", format.AtomicRead, 0, "where m.Load(k) has another outcome: it finds something else for the key\n", format.MapWords + 8},
		{3, "m.LoadOrStore(k, v)", format.AtomicRMW, 0, "where m.LoadOrStore(k, v) has another outcome: it changes what the map has for the key\n", format.MapWords + 8},
		{3, "p.Get()", format.AtomicRMW, 0, "where p.Get() has another outcome: it takes an object that was put\n", format.PoolWords + 8},
	} {
		meta, events := bank()
		first := DetourStep{Event: trace.Event{Kind: test.kind, Flags: test.flags, G: 1, Site: 3, Obj: max(test.obj, 0x400)}}
		write := DetourStep{Event: trace.Event{Kind: format.Write, G: 1, Site: 7, Obj: 0x100}}
		d := Detour{G: 1, Before: 11, Other: true, Site: 4, Line: test.line, Col: 7, Expr: test.expr, Steps: []DetourStep{first, write}}
		r := locate(t, meta, events, Spec{A: 5, B: -2, Tier: ByPath, Order: []int64{-1, 5, -2}, Detours: []Detour{d}})
		var out strings.Builder
		if err := NewDetails(&out, TextOptions{}).Race(&r); err != nil {
			t.Fatal(err)
		}
		if want := "leaves its recorded path at "; !strings.Contains(out.String(), want) || !strings.Contains(out.String(), test.want) {
			t.Errorf("no %q in\n%s", test.want, out.String())
		}
	}
}

// TestJudgement: a witness keeps all branches until goroutines leave their paths.
func TestJudgement(t *testing.T) {
	for _, test := range []struct {
		left, ended []int
		want        string
	}{
		{[]int{7}, nil, ", until goroutine 7 leaves its path."},
		{[]int{7, 9}, nil, ", until goroutines 7 and 9 leave their paths."},
		{[]int{7, 9, 8}, nil, ", until goroutines 7, 9 and 8 leave their paths."},
		{nil, []int{7, 9}, "."},
		{[]int{7}, []int{9}, ", until goroutine 7 leaves its path."},
	} {
		var paths []*Path
		for _, g := range test.left {
			paths = append(paths, &Path{Goroutine: g})
		}
		for _, g := range test.ended {
			paths = append(paths, &Path{Goroutine: g, Ended: true})
		}
		want := "Reads may see other values; every branch goes as recorded" + test.want
		if got := judgement("evaluated", paths); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestSights: goroutine 1 reads 8 bytes at 0x100, which hold what was there before
// event 4.
func TestSights(t *testing.T) {
	write := func(addr trace.Addr, size uint16) trace.Event {
		return trace.Event{Kind: format.Write, G: 1, Site: 7, Obj: addr, Size: size}
	}
	alloc := func(addr trace.Addr, size uint64) trace.Event {
		return trace.Event{Kind: format.Alloc, G: 1, Obj: addr, Val: size}
	}
	nothing := trace.Event{Kind: format.Start, G: 1}
	for _, test := range []struct {
		name   string
		before [4]trace.Event
		want   int64 // the write, -1: none
	}{
		{"never written", [4]trace.Event{nothing, nothing, nothing, nothing}, -1},
		{"written", [4]trace.Event{write(0x100, 8), nothing, nothing, nothing}, 0},
		{"written twice", [4]trace.Event{write(0x100, 8), nothing, write(0x104, 4), nothing}, 2},
		{"as part of more", [4]trace.Event{nothing, write(0xf0, 64), nothing, nothing}, 1},
		{"beside it", [4]trace.Event{write(0xf8, 8), write(0x108, 8), nothing, nothing}, -1},
		{"allocated since", [4]trace.Event{write(0x100, 8), alloc(0x80, 0x100), nothing, nothing}, -1},
		{"allocated before", [4]trace.Event{alloc(0x80, 0x100), write(0x100, 8), nothing, nothing}, 1},
		{"something else allocated", [4]trace.Event{write(0x100, 8), alloc(0x200, 0x100), nothing, nothing}, 0},
	} {
		meta, _ := bank()
		events := append(test.before[:], write(0x100, 8), trace.Event{Kind: format.Read, G: 1, Site: 5, Obj: 0x100, Size: 8}, write(0x300, 8))
		l := NewLocator(meta, []Spec{{A: 4, B: 6, Tier: ByValue, From: 4, Order: []int64{5, 4, 6},
			Seen: []Seen{{Read: 5, Addr: 0x100, Size: 8, Value: ^uint64(0), Known: true, Recorded: 2, Initial: true}}}}, bankSource,
			Types{Shape: func(trace.Site) string { return "int" }})
		for i := range events {
			l.Step(int64(i), &events[i])
		}
		races, err := l.Races()
		if err != nil {
			t.Fatal(err)
		}
		s := races[0].Witness.Reads[0]
		got := int64(-1)
		if s.From != nil {
			got = s.From.Event
		}
		if got != test.want || s.Value != "-1" || s.Recorded != "2" || s.Expr != "balance" {
			t.Errorf("%s: from %d, want %d; %+v", test.name, got, test.want, s)
		}
	}
}

func TestLiteral(t *testing.T) {
	for _, test := range []struct {
		bits  uint64
		shape string
		size  uint16
		want  string
	}{
		{1, "bool", 1, "true"}, {0, "bool", 1, "false"}, {0xff, "int8", 1, "-1"}, {0xff, "uint8", 1, "255"}, {0xfffe, "int16", 2, "-2"},
		{0xfffffffd, "rune", 4, "-3"}, {1 << 63, "int", 8, "-9223372036854775808"}, {1 << 63, "uint64", 8, "9223372036854775808"},
		{0x3fc00000, "float32", 4, "1.5"}, {0x3ff8000000000000, "float64", 8, "1.5"}, {0, "pointer", 8, "nil"}, {0xc000, "pointer", 8, "0xc000"},
		{7, "", 8, "7"}, {^uint64(6), "", 8, "-7"}, {0xc000012345, "", 8, "0xc000012345"}, {0xffffffff, "", 4, "4294967295"},
	} {
		if got := literal(test.bits, test.shape, test.size); got != test.want {
			t.Errorf("literal(%#x, %q, %d) = %s, want %s", test.bits, test.shape, test.size, got, test.want)
		}
	}
}

// TestLost: reasons are gathered, what came to an end of its own is no loss.
func TestLost(t *testing.T) {
	for _, test := range []struct {
		paths *Paths
		want  string
	}{
		{nil, ""},
		{&Paths{Forks: 3, Ways: 4, Ends: map[string]int{"goroutine-ends": 3, "panic": 1}}, ""},
		{&Paths{Forks: 9, Bounded: 1, Unkept: 1, Ways: 9}, "1 branch followed only in part, because it has many values or paths; 1 execution of branches not followed, because the same branch was executed many times before"},
		{&Paths{Forks: 9, Bounded: 2, Unkept: 3, Ways: 9}, "2 branches followed only in part, because they have many values or paths; 3 executions of branches not followed, because the same branch was executed many times before"},
		{&Paths{Timers: 2}, "2 operations on timers taken to happen as in the run, because the program uses testing/synctest"},
		{&Paths{Forks: 1, Ways: 1, Ends: map[string]int{"opaque-call": 1}}, "followed 1 path of untaken branches; 1 ends early, at code that is not recorded (1)"},
		{&Paths{Forks: 9, Unexplored: 2, Ways: 9, Ends: map[string]int{"panic": 4, "too-deep": 1, "too-long": 1, "of-a-later-version": 3}},
			"followed 9 paths of untaken branches; 5 end early, at operations that presage does not follow (3), a bound (2); 2 of 9 branches that depend on other goroutines not followed, because they are many or alike"},
	} {
		if got := test.paths.lost(); got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.paths, got, test.want)
		}
	}
}
