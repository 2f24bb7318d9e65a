package excluded

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// BenchmarkOrder: ten goroutines that access ten thousand words, with an excluded call
// every hundred events, each with a D of ten words.
func BenchmarkOrder(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		o := &Order{}
		orders := 0
		step := func(s *Step, i int32) {
			k := o.Before(s)
			orders += len(k.Edges) + len(k.Weak) + len(k.Orders)
			o.After(s, Extent{i, i})
		}
		open := map[trace.GoID]*Pair{}
		for i := range int32(n) {
			g := trace.GoID(1 + r.IntN(10))
			s := &Step{G: g, Index: int64(i)}
			switch p := open[g]; {
			case p != nil && i%100 > 50:
				s.Ends, p.End = p, int64(i)
				delete(open, g)
			case p == nil && i%100 == 0:
				p = &Pair{G: g, Begin: int64(i), End: -1}
				for range 10 {
					p.D.AddMemory(uint64(r.IntN(10_000))*8, 8)
				}
				s.Begins, open[g] = p, p
			default:
				k := []format.Kind{format.Read, format.Write}[r.IntN(2)]
				s.X = TouchOf(&trace.Event{Kind: k, Obj: trace.Addr(r.IntN(10_000) * 8), Size: 8})
				s.Reads = k == format.Read
			}
			step(s, i)
		}
		b.ReportMetric(float64(orders), "orders")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}
