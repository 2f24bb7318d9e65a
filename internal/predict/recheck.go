package predict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// Saved is a witness from a report.
type Saved struct {
	From      int64
	Semantics string // of the window
	Order     []int64
	Events    []int32
	Recorded  bool
	Paths     []*Path // of each, only Before and the sites and kinds of the steps are used
}

// Recheck checks a saved witness again, against its trace. The options must be those of the
// analysis that found it, so that the same windows are built. The window in which the witness
// begins is given to the checker. A witness that was altered is refused with the reason.
func Recheck(ctx context.Context, open func() (trace.Source, io.Closer, error), meta *trace.Meta, opt Options, s Saved) error {
	if n := len(s.Order); n < 2 {
		return errors.New("the witness has no accesses")
	}
	if s.Recorded {
		return recheckRecorded(open, meta, s)
	}
	if len(s.Events) < 2 {
		return errors.New("the witness does not say which events of its window it is of")
	}
	verdict := fmt.Errorf("no window of the trace begins at event %d", s.From)
	opt.Open = open
	r := newRun(opt, meta)
	r.only = func(b *built.Window) error {
		if b.From != s.From {
			return nil
		}
		verdict = s.check(b)
		return errFound
	}
	src, c, err := open()
	if err != nil {
		return err
	}
	defer c.Close()
	err = r.read(ctx, src)
	if err == nil {
		err = r.finish()
	}
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	return verdict
}

// errFound ends the reading of the trace.
var errFound = errors.New("found")

// check judges the witness in its window.
func (s *Saved) check(b *built.Window) error {
	if len(s.Paths) == 0 {
		w := b.Window
		if w.Semantics.String() != s.Semantics {
			w = w.Causal()
		}
		return s.checkIn(place{Window: b}, w)
	}
	return s.checkOff(b, nil)
}

// checkOff judges the witness with each choice of alternatives that have the steps of its paths.
// ways are those chosen for the first paths.
func (s *Saved) checkOff(b *built.Window, ways []*built.Way) error {
	if len(ways) == len(s.Paths) {
		return s.checkIn(place{Window: b, ways: ways}, b.Variant(ways...))
	}
	verdict := errors.New("the trace has no such way off the recorded path")
	for k := range b.Alternatives {
		way := &b.Alternatives[k]
		if !s.Paths[len(ways)].is(way) || slices.ContainsFunc(ways, func(x *built.Way) bool { return x.Thread == way.Thread }) {
			continue
		}
		if verdict = s.checkOff(b, append(slices.Clip(ways), way)); verdict == nil {
			break
		}
	}
	return verdict
}

// is reports whether an alternative has these steps.
func (p *Path) is(way *built.Way) bool {
	return p.Before == way.At && slices.EqualFunc(p.Steps, way.Steps, func(x PathStep, y flow.Step) bool {
		return x.Site == y.Event.Site && x.Kind == y.Event.Kind
	})
}

func (s *Saved) checkIn(in place, w *model.Window) error {
	n := len(s.Events)
	for _, i := range s.Events {
		if i < 0 || int(i) >= len(w.Events) {
			return fmt.Errorf("the window that begins at event %d has no event of number %d", s.From, i)
		}
	}
	p := model.Pair{A: s.Events[n-2], B: s.Events[n-1]}
	if err := check(in, w, p, s.Events[:n-2]); err != nil {
		return err
	}
	if order := traceOrder(w, p, s.Events[:n-2]); !slices.Equal(order, s.Order) {
		return errors.New("the order is not the one that was checked")
	}
	return nil
}

// recheckRecorded judges a race of the recorded run itself.
func recheckRecorded(open func() (trace.Source, io.Closer, error), meta *trace.Meta, s Saved) error {
	n := len(s.Order)
	var h hb.Race
	h.A.Index, h.B.Index = min(s.Order[n-2], s.Order[n-1]), max(s.Order[n-2], s.Order[n-1])
	src, c, err := open()
	if err != nil {
		return err
	}
	h.Addr, err = addressAt(src, h.B.Index)
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	res := &Result{Unwitnessed: []hb.Race{h}}
	if err := Confirm(open, meta, res); err != nil {
		return err
	}
	if len(res.Races) == 0 {
		return errors.New("synchronisation orders the two accesses in the recorded run, or they are no accesses of one location")
	}
	return nil
}

func addressAt(src trace.Source, event int64) (trace.Addr, error) {
	var e trace.Event
	for i := int64(0); i <= event; i++ {
		if err := src.Next(&e); err != nil {
			return 0, fmt.Errorf("reading event %d: %w", event, err)
		}
	}
	return e.Obj, nil
}
