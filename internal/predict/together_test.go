package predict

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/walk"
)

// TestChoice compares, in windows of random programs, the window in which two alternatives may be
// taken with the variant in which both are: the same pairs of their accesses race. A witness of the
// one is a witness of the other.
func TestChoice(t *testing.T) {
	n := uint64(150)
	if testing.Short() {
		n = 40
	}
	loader := progtest.NewLoader()
	c := &choices{t: t}
	for seed := range n {
		p, err := loader.Load(progtest.Generate(7000+seed, progtest.Knobs{}))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Record(seed)
		if err != nil {
			continue
		}
		w := walk.NewBranching(p.Plan)
		w.Read(run.Meta)
		r := newRun(Options{Walker: w}, run.Meta)
		c.r, c.seed = r, 7000+seed
		r.only = c.window
		err = r.read(context.Background(), run.Source())
		if err == nil {
			err = r.finish()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		c.broken += r.builder.Counts().Ends[alternative.Broken]
	}
	if c.broken > 0 {
		t.Errorf("%d paths end at an error of presage", c.broken)
	}
	t.Logf("%d pairs of accesses, %d of them race", c.pairs, c.races)
	if c.races < 20 || c.races > c.pairs-20 {
		t.Error("too few to tell anything")
	}
}

type choices struct {
	t            *testing.T
	r            *run
	seed         uint64
	pairs, races int
	broken       int64
}

// maxTogether bounds the pairs of alternatives of a window.
const maxTogether = 40

func (c *choices) window(b *built.Window) error {
	x := newTogether(c.r, b)
	tried := 0
	for j := range b.Alternatives {
		for k := range b.Alternatives[:j] {
			if x.fits(j, k) && tried < maxTogether {
				tried++
				c.both(b, &b.Alternatives[k], &b.Alternatives[j])
			}
		}
	}
	return nil
}

func (c *choices) both(b *built.Window, p, q *built.Way) {
	ch, ok := b.Choice([]*built.Way{p, q})
	if !ok {
		return
	}
	variant := b.Variant(p, q)
	variant.Events = append([]model.Event(nil), variant.Events...)
	one, other := engine.New(ch.Window, engine.Options{}), engine.New(variant, engine.Options{})
	n := int32(len(b.Events))
	for i := range p.Events {
		for k := range q.Events {
			e, f := &p.Events[i], &q.Events[k]
			if !e.Kind.IsAccess() || !f.Kind.IsAccess() || e.Obj != f.Obj || !conflict(e.Kind, f.Kind) {
				continue
			}
			in := model.Pair{A: ch.Number(0, int32(i)), B: ch.Number(1, int32(k))}
			at := model.Pair{A: n + int32(i), B: n + int32(len(p.Events)) + int32(k)}
			got, want := one.Solve(in), other.Solve(at)
			c.pairs++
			if got.Verdict != want.Verdict {
				c.t.Fatalf("program %d: %v in the choice of two alternatives, %v in the variant: %+v, %+v", c.seed, got.Verdict, want.Verdict, e, f)
			}
			if got.Verdict != engine.Race {
				continue
			}
			c.races++
			ways, pair, order := ch.Taken(in, got.Order)
			if len(ways) != 2 || pair != at {
				c.t.Fatalf("program %d: %d alternatives, pair %v, want %v", c.seed, len(ways), pair, at)
			}
			if err := check(place{Window: b, ways: ways}, variant, pair, order); err != nil {
				c.t.Fatalf("program %d: %v", c.seed, err)
			}
		}
	}
}
