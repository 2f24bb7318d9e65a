package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// events are the steps of a path so far, and what the next one depends on.
type events struct {
	steps  []flow.Step
	needs  []int64 // of the next step
	guards []flow.Guard
	chosen []flow.Guard // of the choice at the fork
}

// clip makes copies of v independent: an append to one does not change another.
func (v *events) clip() {
	v.steps, v.guards = slices.Clip(v.steps), slices.Clip(v.guards)
}

// next returns the number of the next step, by which terms name what it reads.
func (v *events) next() int64 { return flow.AlternativeBase + int64(len(v.steps)) }

// add appends a step, which depends on the needs and guards so far. It returns its number.
func (v *events) add(s flow.Step) int64 {
	s.Flow.Walked = true
	s.Flow.Needs, s.Flow.Guards = v.needs, v.guards
	v.needs, v.guards = nil, nil
	n := v.next()
	v.steps = append(v.steps, s)
	return n
}

// last returns the last step.
func (v *events) last() *flow.Step { return &v.steps[len(v.steps)-1] }

// accessed returns the event of a step that reads memory. ok is false for other operations.
func (v *events) accessed(step int64) (e *trace.Event, ok bool) {
	e = &v.steps[step-flow.AlternativeBase].Event
	return e, e.Kind.IsAccess()
}

// received returns the channel of a step that receives.
func (v *events) received(step int64) (ch uint64, ok bool) {
	e := &v.steps[step-flow.AlternativeBase].Event
	return uint64(e.Obj), e.Kind == format.ChanRecv
}

// closes reports whether a step closes a channel.
func (v *events) closes(ch uint64) bool {
	return slices.ContainsFunc(v.steps, func(s flow.Step) bool { return s.Event.Kind == format.ChanClose && uint64(s.Event.Obj) == ch })
}

// writes reports whether a step is a plain write of the word at addr.
func (v *events) writes(addr uint64) bool {
	return slices.ContainsFunc(v.steps, func(s flow.Step) bool { return s.Event.Kind == format.Write && uint64(s.Event.Obj)>>3 == addr>>3 })
}

// require adds guards of the next step.
func (v *events) require(guards ...flow.Guard) { v.guards = append(v.guards, guards...) }

// assure makes a condition a guard of the next step. It returns false if the condition never holds.
func (v *events) assure(c *expr.Expr) bool {
	if len(c.Reads()) > 0 {
		v.require(flow.Guard{Term: c, Want: 1})
		return true
	}
	return goval.RecordedIs(c, 1, goval.Mask(8))
}
