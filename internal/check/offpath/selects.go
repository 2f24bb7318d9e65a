package offpath

import (
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// selects executes a select statement: the case that the step names, or the default. Whether that
// case is ready, or none is, depends on the schedule, which package witness judges. It needs the
// other cases, so the events of the step must name them (CP4).
func (o *operations) selects(site trace.Site, in *ssa.Select, val func(ssa.Value) value) value {
	chans := make([]uint64, len(in.States))
	running := map[int]uint64{} // channels of timers, by the number of their case
	open := false
	for i, st := range in.States {
		c, ok := val(st.Chan).bits()
		if !ok {
			throw("an unknown channel")
		}
		if o.timers.runs(c) {
			running[i] = c
			continue
		}
		chans[i] = o.selectsDone(c)
		open = open || chans[i] != 0
	}
	switch {
	case len(running) > 0 && (!open || o.steps.ahead(site).Event.Kind == format.Block):
		return o.fires(site, in, running)
	case !in.Blocking && !open: // only the default is left
		return selected(in, -1, false, value{})
	}
	s := o.steps.ahead(site)
	if s.Event.Kind == format.SelectDefault {
		if in.Blocking {
			reject("CP4", "the step is the default of a select that has none")
		}
		o.steps.expect(format.SelectDefault, 0, site, nil, 0)
		o.cases(s, in, chans, -1)
		return selected(in, -1, false, value{})
	}
	k := s.Case
	if k < 0 || k >= len(in.States) || chans[k] == 0 {
		reject("CP4", "the step is case %d of a select of %d", k, len(in.States))
	}
	flags := s.Event.Flags & format.FlagClosed
	if !in.Blocking {
		flags |= format.FlagNonBlocking
	}
	st := in.States[k]
	elem := sizeof(st.Chan.Type().Underlying().(*types.Chan).Elem())
	o.cases(s, in, chans, k)
	closed := flags&format.FlagClosed != 0
	switch {
	case st.Dir == types.SendOnly:
		o.sent(o.steps.expect(format.ChanSend, flags&^format.FlagClosed|noValue(elem), site, &chans[k], 0), val(st.Send))
		return selected(in, k, false, value{})
	case closed:
		o.steps.expect(format.ChanRecv, flags, site, &chans[k], 0)
		return selected(in, k, false, zero(elem))
	}
	o.steps.expect(format.ChanRecv, flags|noValue(elem), site, &chans[k], 0)
	return selected(in, k, true, o.received(s, elem))
}

// fires executes a select that receives from a timer, or takes the default because none of its
// timers has fired and no other case has a channel.
func (o *operations) fires(site trace.Site, in *ssa.Select, running map[int]uint64) value {
	k := o.steps.ahead(site).Case
	o.steps.expect(format.Block, 0, site, nil, 0)
	if k < 0 && !in.Blocking {
		return selected(in, -1, false, value{})
	}
	c, ok := running[k]
	if !ok || in.States[k].Dir == types.SendOnly {
		reject("CP4", "the step is case %d, which is no timer that runs", k)
	}
	o.timers.halt(c)
	return selected(in, k, true, unknown(sizeof(in.States[k].Chan.Type().Underlying().(*types.Chan).Elem())))
}

// cases checks that the events of a step name the cases of the select other than number k.
func (o *operations) cases(s *step, in *ssa.Select, chans []uint64, k int) {
	var want []channelCase
	for i, st := range in.States {
		if i != k && chans[i] != 0 {
			want = append(want, channelCase{chans[i], st.Dir == types.SendOnly})
		}
	}
	o.casesAre(s, want)
}

// channelCase is a case of a select.
type channelCase struct {
	c    uint64
	send bool
}

// casesAre checks that the events of a step name these cases, and no others.
func (o *operations) casesAre(s *step, want []channelCase) {
	for _, i := range s.events {
		e := &o.in.variant.Events[i]
		if e.Kind != format.SelectDefault && o.in.variant.Init[e.Obj].Cap > 0 {
			continue // the other cases matter only where both sides must wait
		}
		left := slices.Clone(want)
		for _, c := range e.Cases {
			at := built.Place{Mask: 1}
			if int(c.Chan) < len(o.in.window.Places) {
				at = o.in.window.Places[c.Chan]
			}
			n := slices.Index(left, channelCase{at.Addr, c.Send})
			if at.Mask != 0 || n < 0 {
				reject("CP4", "event %d has a case that the select does not have", i)
			}
			left = slices.Delete(left, n, n+1)
		}
		if len(left) > 0 {
			reject("CP4", "event %d lacks %d cases of the select", i, len(left))
		}
	}
}

// selected is the result of a select: the number of the case, whether something was received, and
// what each case received.
func selected(in *ssa.Select, k int, received bool, v value) value {
	chosen := uint64(math.MaxUint64)
	if k >= 0 {
		chosen = uint64(k)
	}
	t := value{tuple: []value{number(chosen, 8), truth(received)}}
	for i, st := range in.States {
		switch {
		case st.Dir == types.SendOnly:
		case i == k:
			t.tuple = append(t.tuple, v)
		default:
			t.tuple = append(t.tuple, zero(sizeof(st.Chan.Type().Underlying().(*types.Chan).Elem())))
		}
	}
	return t
}
