package excluded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestErrors: traces whose BarrierPairs are none.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"g1 methodend m", "event 0: methodend of goroutine 1, which is in no excluded call"},
		{"g1 methodbegin m\ng2 methodend m", "event 1: methodend of goroutine 2, which is in no excluded call"},
		{"g1 methodbegin m\ng1 methodbegin n\ng1 methodend m", "BarrierPairs nest"},
		{"g1 reach x", "event 0: reach of goroutine 1 does not follow its methodbegin"},
		{"g1 methodbegin m\ng2 reach x", "event 1: reach of goroutine 2 does not follow its methodbegin"},
		{"g1 methodbegin m\ng1 read x\ng1 reachgo g2", "event 2: reachgo of goroutine 1 does not follow its methodbegin"},
		{"g1 reachset 0x1 val=1", "event 0: reachset of goroutine 1 does not follow its methodbegin"},
		{"g1 methodbegin m\ng1 reachset 0x1", "event 1: set 1 was not listed before"},
		{"g1 methodbegin m\ng1 reachset 0x1 val=2\ng1 reach x\ng1 methodend m", "event 3: a set lacks its last parts (1)"},
		{"g1 methodbegin m\ng1 reachset 0x1 val=2\ng1 reach x\ng1 reachset 0x1", "event 3: a set lacks its last parts (1)"},
		{"g1 methodbegin m\ng1 reachset 0x1 val=2\ng1 methodbegin m", "event 2: a set lacks its last parts (2)"},
		{"g1 methodbegin m\ng1 reachset 0x2 val=2 aux=1", "event 1: set 1 was not listed before"},
		{"g1 methodbegin m\ng1 reach x gone", "event 1: it removes memory, and no set that was made of another is being listed"},
		{"g1 methodbegin m\ng1 reachset 0x1 val=1\ng1 reach x gone", "event 2: it removes memory, and no set that was made of another is being listed"},
		{"g1 methodbegin m\ng1 reachset 0x1 val=1\ng1 reach x\ng1 reachset 0x2 val=2 aux=1\ng1 reach y\ng1 reach x gone", "event 5: it removes memory, and no set that was made of another is being listed"},
	} {
		events, _, err := raw.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Edges(events, Reachable); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestLimit: a D that is too large to list is everything, and counted.
func TestLimit(t *testing.T) {
	var p Pairs
	x, err := p.Step(0, &trace.Event{Kind: format.MethodBegin, G: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range MaxSpans + 1 {
		if x.D.All != (i > MaxSpans) {
			t.Fatalf("after %d: all is %v", i, x.D.All)
		}
		if _, err := p.Step(int64(i+1), &trace.Event{Kind: format.Reach, G: 1, Obj: trace.Addr(16 * i)}); err != nil {
			t.Fatal(err)
		}
	}
	if !x.D.All || !x.D.Cut || p.All != 1 || !p.Cut() || !x.D.Hits(Memory(8, 1)) {
		t.Errorf("not everything: %+v", p)
	}
}

// TestOfAnother: a set can be listed by its differences from another set, which does not change.
func TestOfAnother(t *testing.T) {
	events, _, err := raw.Parse(`
g1 methodbegin m seen
g1 reachset 0x1 val=3
g1 reach 0x100 val=32
g1 reach 0x200 val=8
g1 reach 0x300 val=16
g1 methodend m
g1 methodbegin m seen
g1 reachset 0x2 val=5 aux=1
g1 reach 0x108 val=8 gone
g1 reach 0x200 val=8 gone
g1 reach 0x308 val=8 gone
g1 reach 0x108 val=4
g1 reach 0x400 val=8
g1 methodend m
g1 methodbegin m seen
g1 reachset 0x1
g1 methodend m
`)
	if err != nil {
		t.Fatal(err)
	}
	var p Pairs
	var of []*Pair
	for i := range events {
		x, err := p.Step(int64(i), &events[i])
		if err != nil {
			t.Fatal(err)
		}
		if events[i].Kind == format.MethodBegin {
			of = append(of, x)
		}
	}
	first, second := "100+20 200+8 300+10", "100+c 110+10 300+8 400+8"
	for i, want := range []string{first, second, first} {
		if got := spansOf(&of[i].D); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}

func spansOf(d *Set) string {
	var list []string
	d.Each(func(from, to uint64) {
		list = append(list, fmt.Sprintf("%x+%x", from, to-from))
	}, func(trace.GoID) {})
	return strings.Join(list, " ")
}

// TestMinus: of each byte by itself.
func TestMinus(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	some := func() (s spans) {
		for range rng.IntN(8) {
			s = s.add(bytes(rng.Uint64N(60), 1+rng.Uint64N(12)))
		}
		return s
	}
	for range 20000 {
		a, b := some(), some()
		m := a.minus(b)
		for i := range uint64(80) {
			x := bytes(i, 1)
			if m.overlaps(x) != (a.overlaps(x) && !b.overlaps(x)) {
				t.Fatalf("%v without %v is %v", a, b, m)
			}
		}
		for i := 1; i < len(m); i++ {
			if m[i-1].to > m[i].from {
				t.Fatalf("%v without %v is %v: not in order", a, b, m)
			}
		}
	}
}

// TestNamed: a D has the sets that it names, and no D or set changes with another.
func TestNamed(t *testing.T) {
	events, _, err := raw.Parse(`g1 methodbegin m
g1 reachset 0x1 val=2
g1 reach 0x100 val=8
g1 reachgo g3
g1 reach 0x200 val=8
g1 methodend m
g2 methodbegin m
g2 reachset 0x1
g2 methodend m
g1 methodbegin m
g1 reachset 0x2 val=1
g1 reach 0x300 val=8
g1 reachset 0x1
g1 reach 0x108 val=8
g1 methodend m
g1 methodbegin m
g1 reachset 0x1
g1 reachset 0x2
g1 methodend m`)
	if err != nil {
		t.Fatal(err)
	}
	var p Pairs
	var got []string
	var list []*Pair
	for i := range events {
		x, err := p.Step(int64(i), &events[i])
		if err != nil {
			t.Fatal(err)
		}
		if x != nil && x.End < 0 {
			list = append(list, x)
		}
	}
	for _, x := range list {
		text := ""
		x.D.Each(func(from, to uint64) {
			text += fmt.Sprintf(" %x-%x", from, to)
		}, func(g trace.GoID) { text += fmt.Sprintf(" g%d", g) })
		got = append(got, text)
	}
	want := []string{" 100-108 200-208 g3", " 100-108 g3", " 100-110 300-308 g3", " 100-108 300-308 g3"}
	if !slices.Equal(got, want) {
		t.Errorf("Ds are %q, want %q", got, want)
	}
}

// TestSet compares sets with bit maps.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (s Set, bits [64]bool) {
		for range r.IntN(6) {
			from, n := r.IntN(50), 1+r.IntN(12)
			s.AddMemory(uint64(from), uint64(n))
			for k := from; k < from+n; k++ {
				bits[k] = true
			}
		}
		return s, bits
	}
	for range 2000 {
		s, a := random()
		d, b := random()
		meets := false
		for k := range a {
			meets = meets || a[k] && b[k]
			if at := uint64(k); s.Hits(Memory(at, 1)) != a[k] || s.Hits(Object(at)) != a[k] {
				t.Fatalf("%+v does not hit %d right", s, k)
			}
		}
		if s.Meets(&d) != meets || d.Meets(&s) != meets {
			t.Fatalf("%+v meets %+v: %v", s, d, !meets)
		}
	}
}
