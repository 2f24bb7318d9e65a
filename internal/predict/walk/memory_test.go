package walk_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// What lives while a trace is walked and analysed at the highest level. It must not grow with the
// trace: of what is past, the walk keeps what a value rests on, a window what a race may.

const (
	maxPerFrame = 2000 // bytes of a frame deep in a stack; a frame awake has three times that
	maxGrowth   = 1.25 // of what lives, from the second quarter of a loop to the last
	sampling    = 64   // times in a trace that it is looked at
	length      = 2000 // events, of a window: of longer ones there is little else that lives
)

// TestMemory bounds it: by frame of a deep stack, and in a loop by what lives in its second
// quarter, when tables have their size. The effort of prediction is not spent before the end: what
// comes after is not walked.
func TestMemory(t *testing.T) {
	b := buildMemory(t)
	const depth, rounds = 20_000, 160_000
	deep := walkedAlone(b, b.record(t, strconv.Itoa(depth), "0"))
	frame := deep.most / depth
	loop := analysed(t, b, b.record(t, "0", strconv.Itoa(rounds)))
	t.Logf("deep: %d bytes a frame", frame)
	second, last := median(loop.quarters[1]), median(loop.quarters[3])
	t.Logf("loop: %d races, %d bytes at most, %d and %d in the second and last quarter", loop.races, loop.most, second, last)
	if frame > maxPerFrame {
		t.Errorf("a frame takes %d bytes, not %d", frame, maxPerFrame)
	}
	if float64(last) > maxGrowth*float64(second) {
		t.Errorf("%d bytes live in the last quarter, %d in the second (medians)", last, second)
	}
}

// BenchmarkMemory reports what lives, and what is allocated, by million events.
func BenchmarkMemory(b *testing.B) {
	p := buildMemory(b)
	for _, c := range []struct{ name, depth, rounds string }{{"deep", "20000", "0"}, {"loop", "0", "160000"}} {
		events := p.record(b, c.depth, c.rounds)
		million := float64(len(events)) / 1e6
		var m runtime.MemStats
		b.Run(c.name, func(b *testing.B) {
			var last samples
			runtime.ReadMemStats(&m)
			from, n := m.TotalAlloc, 0
			for b.Loop() {
				last = analysed(b, p, events)
				n++
			}
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.TotalAlloc-from)/float64(n)/1e6/million, "allocated-MB/Mevents")
			b.ReportMetric(float64(last.most)/1e6/million, "live-MB/Mevents")
			b.ReportMetric(float64(last.races), "races")
		})
	}
}

func buildMemory(t testing.TB) *built {
	t.Helper()
	src, err := os.ReadFile("testdata/memory/main.go")
	must(t, err)
	return build(t, string(src))
}

// samples are bytes that live, besides the events: at regular intervals, by quarters of the trace,
// and the most at one time.
type samples struct {
	quarters [4][]int64
	most     int64
	races    int
}

// sampled is a source that measures as it is read: at regular intervals, and where the stack is
// deepest.
type sampled struct {
	events []trace.Event
	base   int64
	i      int
	deep   uint64
	samples
}

func newSampled(events []trace.Event) *sampled {
	s := &sampled{events: events, base: living()}
	for _, e := range events {
		if e.Kind == format.Enter {
			s.deep = max(s.deep, e.Aux)
		}
	}
	return s
}

// walkedAlone samples a walk alone.
func walkedAlone(b *built, events []trace.Event) samples {
	s, w := newSampled(events), walk.NewBranching(b.plan)
	var e trace.Event
	for i := int64(0); s.Next(&e) == nil; i++ {
		w.Step(i, &e)
	}
	return s.samples
}

func analysed(t testing.TB, b *built, events []trace.Event) samples {
	t.Helper()
	s := newSampled(events)
	meta := &trace.Meta{Source: "presage", Funcs: b.plan.Funcs, Sites: b.plan.Sites}
	res, err := predict.Run(context.Background(), s, meta, predict.Options{Walker: walk.NewBranching(b.plan), Window: length})
	must(t, err)
	s.races = len(res.Races)
	return s.samples
}

func (s *sampled) Meta() *trace.Meta { return nil }

func (s *sampled) Next(e *trace.Event) error {
	n := len(s.events)
	if s.i == n {
		return io.EOF
	}
	*e = s.events[s.i]
	s.i++
	if s.i%(n/sampling) == 0 || e.Kind == format.Enter && e.Aux == s.deep && s.deep > 100 {
		live := living() - s.base
		s.most = max(s.most, live)
		q := min(4*s.i/n, 3)
		s.quarters[q] = append(s.quarters[q], live)
	}
	return nil
}

func median(s []int64) int64 {
	slices.Sort(s)
	return s[len(s)/2]
}

func living() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
