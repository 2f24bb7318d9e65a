package barrier

import (
	"math/rand/v2"
	"strings"
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/trace/raw"
)

// TestErrors: traces whose BarrierPairs are none.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"g1 methodend m", "event 0: methodend of goroutine 1, which is in no missing method"},
		{"g1 methodbegin m\ng2 methodend m", "event 1: methodend of goroutine 2, which is in no missing method"},
		{"g1 methodbegin m\ng1 methodbegin n\ng1 methodend m", "BarrierPairs nest"},
		{"g1 reach x", "event 0: reach of goroutine 1 is not behind a methodbegin of it"},
		{"g1 methodbegin m\ng2 reach x", "event 1: reach of goroutine 2 is not behind a methodbegin of it"},
		{"g1 methodbegin m\ng1 read x\ng1 reachgo g2", "event 2: reachgo of goroutine 1 is not behind a methodbegin of it"},
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
			if s.Hits(Memory(uint64(k), 1)) != a[k] {
				t.Fatalf("%+v hits %d: %v", s, k, !a[k])
			}
		}
		if s.Meets(&d) != meets || d.Meets(&s) != meets {
			t.Fatalf("%+v meets %+v: %v", s, d, !meets)
		}
	}
}
