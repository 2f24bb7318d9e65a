package offpath

import (
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace/format"
)

// selects executes a select statement: in the case that the step names, or in none if that is the
// default. Whether the case can be taken, and that the default is, is a matter of the schedule, for
// which the events of the variant have to name the other cases (D5).
func (m *machine) selects(in *ssa.Select) value {
	chans := make([]uint64, len(in.States))
	open := false
	for i, st := range in.States {
		c, ok := m.val(st.Chan).bits()
		if !ok {
			throw("a channel that is not known")
		}
		chans[i] = c
		open = open || c != 0
	}
	if !in.Blocking && !open { // nothing but the default
		return m.selected(in, -1, false, value{})
	}
	site := m.frame.site()
	s := m.ahead(site)
	if s.Event.Kind == format.SelectDefault {
		if in.Blocking {
			reject("D5", "the step is the default of a select that has none")
		}
		m.expect(format.SelectDefault, 0, site, nil, 0)
		m.cases(s, in, chans, -1)
		return m.selected(in, -1, false, value{})
	}
	k := s.Case
	if k < 0 || k >= len(in.States) || chans[k] == 0 {
		reject("D5", "the step is case %d of a select of %d", k, len(in.States))
	}
	flags := s.Event.Flags & format.FlagClosed
	if !in.Blocking {
		flags |= format.FlagNonBlocking
	}
	st := in.States[k]
	elem := sizeof(st.Chan.Type().Underlying().(*types.Chan).Elem())
	if elem == 0 || elem > 8 {
		throw("an element of %d bytes", elem)
	}
	m.cases(s, in, chans, k)
	if st.Dir == types.SendOnly {
		m.written(m.expect(format.ChanSend, flags&^format.FlagClosed, site, &chans[k], 0), m.val(st.Send))
		return m.selected(in, k, false, value{})
	}
	m.expect(format.ChanRecv, flags, site, &chans[k], 0)
	if flags&format.FlagClosed != 0 {
		return m.selected(in, k, false, zero(elem))
	}
	return m.selected(in, k, true, m.seen(s, elem))
}

// cases checks that the events of a step name the cases of the select but number k.
func (m *machine) cases(s *step, in *ssa.Select, chans []uint64, k int) {
	type one struct {
		c    uint64
		send bool
	}
	var want []one
	for i, st := range in.States {
		if i != k && chans[i] != 0 {
			want = append(want, one{chans[i], st.Dir == types.SendOnly})
		}
	}
	for _, i := range s.events {
		e := &m.w.Events[i]
		if e.Kind != format.SelectDefault && m.w.Init[e.Obj].Cap > 0 { // no matter
			continue
		}
		left := slices.Clone(want)
		for _, c := range e.Cases {
			at := built.Place{Mask: 1}
			if int(c.Chan) < len(m.places) {
				at = m.places[c.Chan]
			}
			n := slices.Index(left, one{at.Addr, c.Send})
			if at.Mask != 0 || n < 0 {
				reject("D5", "event %d has a case that the select has not", i)
			}
			left = slices.Delete(left, n, n+1)
		}
		if len(left) > 0 {
			reject("D5", "event %d has %d cases too few", i, len(left))
		}
	}
}

// selected is the result of a select: the number of the case, whether something was received, and
// what each case received.
func (m *machine) selected(in *ssa.Select, k int, received bool, v value) value {
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
