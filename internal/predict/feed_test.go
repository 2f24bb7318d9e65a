package predict

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// longTrace has n events of a few goroutines on few words, some behind locks, and a walker's flows
// for them: every write is computed from the read before it, every tenth event needs it.
func longTrace(n int) ([]trace.Event, []flow.Flow) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []trace.Event{{Kind: format.Alloc, G: 1, Obj: 0x1000, Val: 0x2000}}
	for g := range 3 {
		events = append(events, trace.Event{Kind: format.Go, G: 1, Obj: trace.Addr(g + 2)})
	}
	val := map[trace.Addr]uint64{}
	flows := make([]flow.Flow, 0, n)
	last := make([]int64, 5)
	for len(events) < n {
		g := trace.GoID(1 + r.IntN(4))
		for range 1 + r.IntN(40) {
			e := trace.Event{Kind: format.Read, G: g, Size: 8, Obj: trace.Addr(0x1000 + 8*r.IntN(400)), Site: trace.Site(1 + r.IntN(12))}
			if r.IntN(4) == 0 {
				e.Kind = format.Write
				val[e.Obj] = uint64(r.IntN(3))
			}
			e.Val = val[e.Obj]
			events = append(events, e)
		}
		lock := trace.Addr(0x9000 + 16*r.IntN(3))
		events = append(events, trace.Event{Kind: format.Lock, G: g, Obj: lock}, trace.Event{Kind: format.Unlock, G: g, Obj: lock})
	}
	for i, e := range events {
		f := flow.Flow{Walked: true}
		if x := last[e.G]; x > 0 && e.Kind == format.Write {
			f.From = []int64{x}
		} else if x > 0 && i%10 == 0 {
			f.Needs = []int64{x}
		}
		if e.Kind == format.Read {
			last[e.G] = int64(i)
		}
		flows = append(flows, f)
	}
	return events, flows
}

// listed is a source of events in memory, which ends in err.
type listed struct {
	events []trace.Event
	err    error
}

func (l *listed) Meta() *trace.Meta { return nil }

func (l *listed) Next(e *trace.Event) error {
	if len(l.events) == 0 {
		return l.err
	}
	*e, l.events = l.events[0], l.events[1:]
	return nil
}

// reusing is a walker whose slices are valid until the next call, as the contract says.
type reusing struct {
	reads  [2]int64
	guards [1]flow.Guard
}

func (r *reusing) Step(index int64, e *trace.Event) flow.Flow {
	r.reads, r.guards[0].Want = [2]int64{index, -index}, uint64(index)
	return flow.Flow{Walked: true, Needs: r.reads[:1], From: r.reads[1:], Guards: r.guards[:]}
}

// TestKept: what a walker says of an event is kept until the event is analysed.
func TestKept(t *testing.T) {
	events, _ := longTrace(100)
	b := new(batch)
	newFeed(&listed{events, io.EOF}, new(reusing), new(atomic.Bool), nil).fill(b)
	for i, f := range b.flows {
		if x := int64(i); f.Needs[0] != x || f.From[0] != -x || f.Guards[0].Want != uint64(i) {
			t.Fatalf("event %d: %+v", i, f)
		}
	}
}

// TestBeside: walking beside the rest of the analysis changes nothing.
func TestBeside(t *testing.T) {
	events, flows := longTrace(batchEvents * 3 / 2)
	opt := Options{Walker: tracetest.Walker(flows), Window: 300, Tries: 1, Total: 2}
	alone := newRun(opt, nil)
	alone.ctx = context.Background()
	for i := range events {
		if err := alone.step(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := alone.finish(); err != nil {
		t.Fatal(err)
	}
	want := alone.result()
	broken := errors.New("broken")
	for _, end := range []error{io.EOF, broken} {
		got, err := Run(t.Context(), &listed{events, end}, nil, opt)
		if err != nil != (end == broken) {
			t.Fatalf("error %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-alone +beside):\n%s", diff)
		}
		if len(got.Races) == 0 || got.Counts.Tried == 0 {
			t.Errorf("nothing to compare: %+v", got.Counts)
		}
	}
}

// TestEffort: prediction that has spent its budget ends and says so; the happens-before pass goes
// on.
func TestEffort(t *testing.T) {
	events, flows := longTrace(2 * batchEvents)
	r := newRun(Options{Walker: tracetest.Walker(flows), Window: 300, Tries: 1, Total: 2}, nil)
	all, err := Run(t.Context(), &listed{events, io.EOF}, nil, r.opt)
	if err != nil {
		t.Fatal(err)
	}
	r.spent.budget = 5_000
	if err := r.read(t.Context(), &listed{events, io.EOF}); err != nil {
		t.Fatal(err)
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	got := r.result()
	c := &got.Counts
	if c.Stopped == 0 || c.Events != int64(len(events)) || c.Unsearched != c.Events-c.Stopped || c.Windows >= all.Counts.Windows {
		t.Errorf("counts %+v", c)
	}
	if diff := cmp.Diff(all.HB, got.HB); diff != "" {
		t.Errorf("hb (-all +stopped):\n%s", diff)
	}
	if len(got.Races) == 0 || len(got.Races) >= len(all.Races) {
		t.Errorf("%d races with a small budget, %d without", len(got.Races), len(all.Races))
	}
	found := false
	for _, w := range got.Warnings {
		found = found || w.Code == "prediction-stopped" && int64(w.Count) == c.Unsearched
	}
	if !found {
		t.Errorf("warnings %+v", got.Warnings)
	}
}

// TestEnough: where a pass over the whole trace comes first, a prediction that has spent its
// budget ends the reading, and the result is that of one that reads on.
func TestEnough(t *testing.T) {
	events, flows := longTrace(8 * batchEvents)
	run := func(walked bool, open func() (trace.Source, io.Closer, error), end error) (*Result, int, error) {
		opt := Options{Window: 300, Tries: 1, Total: 2, Open: open}
		if walked {
			opt.Walker = tracetest.Walker(flows)
		}
		r := newRun(opt, nil)
		r.spent.budget = 5_000
		src := &listed{events, end}
		err := r.read(t.Context(), src)
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		return r.result(), len(src.events), err
	}
	broken := errors.New("broken")
	for _, walked := range []bool{false, true} {
		for _, end := range []error{io.EOF, broken} {
			open := func() (trace.Source, io.Closer, error) { return &listed{events, end}, io.NopCloser(nil), nil }
			want, left, wantErr := run(walked, nil, end)
			if want.Counts.Stopped == 0 || left > 0 {
				t.Fatalf("stopped at event %d, %d not read", want.Counts.Stopped, left)
			}
			got, left, err := run(walked, open, end)
			if err != wantErr || left == 0 {
				t.Errorf("walked %v: error %v, not %v; %d events not read", walked, err, wantErr, left)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("walked %v (-read whole +ended):\n%s", walked, diff)
			}
		}
	}
}

// TestInterrupted: what was found before the context ended is the result.
func TestInterrupted(t *testing.T) {
	events, flows := longTrace(1 << 17)
	ctx, cancel := context.WithCancel(t.Context())
	opt := Options{Walker: tracetest.Walker(flows), Window: 300, Tries: 1, Total: 2, Progress: func(int64, int) { cancel() }}
	res, err := Run(ctx, &listed{events, io.EOF}, nil, opt)
	if !errors.Is(err, context.Canceled) || res.Counts.Events == 0 || res.Counts.Events >= int64(len(events)) || len(res.Races) == 0 {
		t.Errorf("error %v, %d events of %d, %d races", err, res.Counts.Events, len(events), len(res.Races))
	}
}
