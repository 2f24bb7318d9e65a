package alternative

import (
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A selection is the execution of a select statement. Its methods take the path that a case is
// chosen on.
type selection struct {
	in     *regcode.Instr
	stmt   *ssa.Select
	offers []offer
	zeros  []Value // of the elements that the receive cases receive
}

// An offer is a case of a select whose channel is not nil.
type offer struct {
	number int
	event  trace.Event
	send   bool
	timer  bool        // the channel is one to which a timer will send
	value  regcode.Arg // of a send
	size   int64       // of an element of the channel
	result int32       // register of what a receive returns
}

// selects makes a path for every case and for the default (AL3). Which of them are possible depends
// on the schedule (MO14, MO15).
func (p *path) selects(in *regcode.Instr, x *ssa.Select) bool {
	s := &selection{in: in, stmt: x}
	if why := s.offer(p); why != "" {
		return p.stop(why)
	}
	var choices []func(*path)
	for i := range s.offers {
		o := &s.offers[i]
		switch {
		case o.timer:
			choices = append(choices, func(q *path) { s.fires(q, o) })
		case o.send:
			choices = append(choices, func(q *path) { s.send(q, o) })
		default:
			choices = append(choices, func(q *path) { s.receive(q, o) })
			if channelsOf(p).closes(uint64(o.event.Obj)) {
				choices = append(choices, func(q *path) { s.receiveClosed(q, o) })
			}
		}
	}
	if !x.Blocking {
		choices = append(choices, s.fallThrough)
	}
	if len(choices) == 0 {
		return p.stop("blocks")
	}
	return p.split(choices)
}

// offer collects the cases on channels that are not nil. It returns the reason if one of them is
// not modelled.
func (s *selection) offer(p *path) (why string) {
	received := int32(2)
	for i, st := range s.stmt.States {
		c, ok := plan.Core(st.Chan.Type()).(*types.Chan)
		if !ok || plan.Open(c.Elem()) {
			return openType
		}
		size := p.frame.Code.Sizes.Sizeof(c.Elem())
		o := offer{number: i, send: st.Dir == types.SendOnly, size: size}
		o.event.Kind = format.ChanSend
		if o.value = s.in.Args[2*i+1]; !o.send {
			o.event.Kind, o.result = format.ChanRecv, s.in.Reg+received
			received++
			s.zeros = append(s.zeros, zero(size))
		}
		o.event.Flags = elementFlags(size)
		if !s.stmt.Blocking {
			o.event.Flags |= format.FlagNonBlocking
		}
		ch := p.value(&s.in.Args[2*i])
		if own, ok := channelsOf(p).ofContext(ch); own.closed {
			return "new-object"
		} else if ok {
			ch = known(own.done)
		}
		if ch.isZero() {
			continue
		}
		if o.timer = timersOf(p).runs(ch); o.timer {
			s.offers = append(s.offers, o)
			continue
		}
		if why := channelsOf(p).setChannel(&o.event, ch); why != "" {
			return why
		}
		s.offers = append(s.offers, o)
	}
	return ""
}

// chosen makes the step of a case. The step has the other cases as well. Of the default, o is nil.
func (s *selection) chosen(p *path, o *offer, e trace.Event, f flow.Flow) int64 {
	r := p.emit(s.in, e, f)
	step := p.events.last()
	for i := range s.offers {
		if c := &s.offers[i]; !c.timer && (o == nil || c.number != o.number) {
			step.Cases = append(step.Cases, flow.StepCase{Chan: uint64(c.event.Obj), Capacity: c.event.Aux, Send: c.send})
		}
	}
	if o != nil {
		step.Case = o.number
	}
	return r
}

// finish sets the results of the select: the number of the case, whether a value was received, and
// zero for each receive case.
func (s *selection) finish(p *path, number, received uint64) {
	regs := p.frame.Regs[s.in.Reg:]
	regs[0], regs[1] = known(number), known(received)
	copy(regs[2:], s.zeros)
	p.frame.IP++
}

func (s *selection) send(p *path, o *offer) {
	e := o.event
	f, word, ok := p.memory.sent(p.value(&o.value), o.event.Flags)
	if !ok {
		p.stop("unknown-value")
		return
	}
	e.Val = word
	s.chosen(p, o, e, f)
	s.finish(p, uint64(o.number), 0)
}

func (s *selection) receive(p *path, o *offer) {
	r := s.chosen(p, o, o.event, flow.Flow{})
	s.finish(p, uint64(o.number), 1)
	p.frame.Regs[o.result] = element(r, o.size)
}

// fires receives from a timer: that is no event, but the step says which case it is.
func (s *selection) fires(p *path, o *offer) {
	ch, _ := p.value(&s.in.Args[2*o.number]).Concrete.Bits()
	timersOf(p).halts(ch)
	p.emit(s.in, trace.Event{Kind: format.Block}, flow.Flow{})
	p.events.last().Case = o.number
	s.finish(p, uint64(o.number), 1)
	p.frame.Regs[o.result] = Value{}
}

// receiveClosed receives the zero value of a closed channel.
func (s *selection) receiveClosed(p *path, o *offer) {
	e := o.event
	e.Flags = e.Flags&format.FlagNonBlocking | format.FlagClosed
	s.chosen(p, o, e, flow.Flow{})
	s.finish(p, uint64(o.number), 0)
}

// fallThrough takes the default.
func (s *selection) fallThrough(p *path) {
	switch {
	case slices.ContainsFunc(s.offers, func(o offer) bool { return !o.timer }):
		s.chosen(p, nil, trace.Event{Kind: format.SelectDefault}, flow.Flow{})
	case len(s.offers) > 0: // no timer has fired
		p.emit(s.in, trace.Event{Kind: format.Block}, flow.Flow{})
		p.events.last().Case = -1
	}
	s.finish(p, math.MaxUint64, 0)
}
