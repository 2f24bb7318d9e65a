package alternative

import (
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Select statements (A7).

// offer is a case of a select whose channel is not nil.
type offer struct {
	number int
	event  trace.Event
	send   bool
	value  regcode.Arg // of a send
	elem   types.Type  // of the channel
	result int32       // register of what a receive returns
}

// selects makes a path for every case and for the default. Which of them are possible depends on
// the schedule (MO14, MO15).
func (p *path) selects(in *regcode.Instr, x *ssa.Select) bool {
	offers, ok := p.offers(in, x)
	if !ok {
		return true
	}
	var choices []func(*path)
	for i := range offers {
		o := &offers[i]
		size := p.frame.Code.Sizes.Sizeof(o.elem)
		if size <= 0 || size > 8 {
			return p.stop("large-element")
		}
		if o.send {
			if o.event.Aux == 0 && !x.Blocking {
				continue // only the recorded receiver can be waiting for it
			}
			choices = append(choices, func(q *path) { q.offered(in, o, offers) })
			continue
		}
		choices = append(choices, func(q *path) { q.taken(in, x, o, offers, size) })
		if p.closes(uint64(o.event.Obj)) {
			choices = append(choices, func(q *path) { q.drained(in, x, o, offers) })
		}
	}
	if !x.Blocking {
		choices = append(choices, func(q *path) { q.defaulted(in, x, offers) })
	}
	if len(choices) == 0 {
		return p.stop("blocks")
	}
	return p.split(choices)
}

// closes reports whether any goroutine closes a channel.
func (p *path) closes(ch uint64) bool {
	return p.s.Closes(ch) || slices.ContainsFunc(p.steps, func(s flow.Step) bool { return s.Event.Kind == format.ChanClose && uint64(s.Event.Obj) == ch })
}

// offers returns the cases of a select. ok is false if the path has ended.
func (p *path) offers(in *regcode.Instr, x *ssa.Select) (list []offer, ok bool) {
	received := int32(2)
	for i, st := range x.States {
		o := offer{number: i, send: st.Dir == types.SendOnly, elem: st.Chan.Type().Underlying().(*types.Chan).Elem()}
		o.event.Kind = format.ChanSend
		if o.value = in.Args[2*i+1]; !o.send {
			o.event.Kind, o.result = format.ChanRecv, in.Reg+received
			received++
		}
		ch := p.val(&in.Args[2*i])
		if addr, ok := ch.Concrete.Bits(); ok && addr == 0 && !ch.symbolic() {
			continue // nil: never
		}
		if !p.channel(ch, &o.event) {
			return nil, false
		}
		if !x.Blocking {
			o.event.Flags = format.FlagNonBlocking
		}
		list = append(list, o)
	}
	return list, true
}

// chose makes the step of a case; the step has the other cases as well.
func (p *path) chose(in *regcode.Instr, o *offer, e trace.Event, f flow.Flow, offers []offer) int64 {
	r := p.emit(in, e, f)
	s := &p.steps[len(p.steps)-1]
	for i := range offers {
		if c := &offers[i]; o == nil || c.number != o.number {
			s.Cases = append(s.Cases, flow.StepCase{Chan: uint64(c.event.Obj), Capacity: c.event.Aux, Send: c.send})
		}
	}
	if o != nil {
		s.Case = o.number
	}
	return r
}

// came sets the results of the select: the number of the case, and whether a value was received.
func (p *path) came(in *regcode.Instr, x *ssa.Select, number uint64, received uint64) {
	results := in.Reg + 2
	p.frame.Regs[in.Reg], p.frame.Regs[in.Reg+1] = Value{Concrete: goval.Known(number)}, Value{Concrete: goval.Known(received)}
	for _, st := range x.States {
		if st.Dir != types.SendOnly {
			size := p.frame.Code.Sizes.Sizeof(st.Chan.Type().Underlying().(*types.Chan).Elem())
			p.frame.Regs[results] = Value{Concrete: goval.Zero(size)}
			results++
		}
	}
	p.frame.IP++
}

// offered takes a case that sends.
func (p *path) offered(in *regcode.Instr, o *offer, offers []offer) {
	e := o.event
	f, known := p.written(p.val(&o.value), &e.Val)
	if !known {
		p.stop("unknown-value")
		return
	}
	p.chose(in, o, e, f, offers)
	p.came(in, in.SSA.(*ssa.Select), uint64(o.number), 0)
}

// taken takes a case that receives a value.
func (p *path) taken(in *regcode.Instr, x *ssa.Select, o *offer, offers []offer, size int64) {
	r := p.chose(in, o, o.event, flow.Flow{}, offers)
	p.came(in, x, uint64(o.number), 1)
	p.frame.Regs[o.result] = Value{Term: goval.LoadTerm([]goval.LoadPart{{Read: r, Size: size}})}
}

// drained takes a case that receives from a closed channel.
func (p *path) drained(in *regcode.Instr, x *ssa.Select, o *offer, offers []offer) {
	e := o.event
	e.Flags |= format.FlagClosed
	p.chose(in, o, e, flow.Flow{}, offers)
	p.came(in, x, uint64(o.number), 0)
}

// defaulted takes the default.
func (p *path) defaulted(in *regcode.Instr, x *ssa.Select, offers []offer) {
	if len(offers) > 0 {
		p.chose(in, nil, trace.Event{Kind: format.SelectDefault}, flow.Flow{}, offers)
	}
	p.came(in, x, math.MaxUint64, 0)
}
