package offpath

import (
	"fmt"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// script has the steps of the alternative, each with its events in the variant (CP1).
type script struct {
	in      *subject
	steps   []step
	queues  map[trace.GoID]*queue
	used    bool                        // the witness has a step
	threads map[trace.GoID]model.Thread // of the alternative's goroutines
	others  map[model.Thread]bool       // threads with events of other alternatives
	at      int                         // the step at hand, which errors name; -1: none
}

// step is a step of the alternative with its events in the variant.
type step struct {
	*flow.Step
	events  []int32
	entries []int32 // of an access to a map: its events that act on entries
	any     bool    // the witness executes an event of the step
	whole   bool    // the witness executes all of them
	racing  bool    // one of the events is an access of the race
}

func newScript(in *subject) *script {
	return &script{
		in: in, at: -1, queues: map[trace.GoID]*queue{}, others: map[model.Thread]bool{},
		threads: map[trace.GoID]model.Thread{in.alt.G: in.alt.Thread},
	}
}

// match finds the events of each step, and the steps of each goroutine that the witness has.
func (s *script) match() {
	for k := range s.in.alt.Steps {
		s.steps = append(s.steps, step{Step: &s.in.alt.Steps[k]})
	}
	s.assign()
	end := map[trace.GoID]int{}
	for k := range s.steps {
		t := &s.steps[k]
		s.at = k
		s.measure(t)
		if t.any || t.racing {
			end[t.Event.G] = k + 1
		}
	}
	for k := range s.steps {
		t := &s.steps[k]
		g := t.Event.G
		if k >= end[g] {
			continue
		}
		s.at = k
		if k < end[g]-1 && !t.whole {
			reject("CP1", "the goroutine has later steps in the witness, but not all of this one")
		}
		s.used = true
		q := s.queue(g)
		q.left = append(q.left, k)
	}
}

// assign assigns the events of the variant beyond the recorded ones to steps.
func (s *script) assign() {
	last := map[model.Thread]int{}
	for i := int32(len(s.in.window.Events)); int(i) < len(s.in.variant.Events); i++ {
		e := &s.in.variant.Events[i]
		if e.Kind == model.Pin {
			continue
		}
		k := int(e.Index-flow.AlternativeBase) - s.in.first
		switch {
		case k < -s.in.first || k >= s.in.total-s.in.first:
			reject("CP1", "event %d belongs to no step", i)
		case k < 0 || k >= len(s.steps): // of another alternative
			s.others[e.Thread] = true
			continue
		}
		s.at = k
		if !s.ofEntry(&s.steps[k], i, e) {
			s.stands(&s.steps[k], i, e)
		}
		if k < last[e.Thread] {
			reject("CP1", "event %d is not in the order of the steps", i)
		}
		last[e.Thread] = k
	}
	for _, t := range s.threads {
		if s.others[t] {
			reject("CP1", "thread %d has events of two alternatives", t)
		}
	}
}

// stands checks that event i is what its step says.
func (s *script) stands(t *step, i int32, e *model.Event) {
	d := &t.Event
	switch thread, ok := s.threads[d.G]; {
	case !ok || thread != e.Thread:
		reject("CP1", "event %d is of thread %d, not of the step's goroutine", i, e.Thread)
	case e.Kind != d.Kind || e.Flags != d.Flags&^format.FlagMore || e.Site != d.Site:
		reject("CP1", "event %d is another operation than the step", i)
	}
	t.events = append(t.events, i)
	if d.Kind.IsAccess() {
		at := s.in.window.Places[e.Obj]
		if at.Mask == 0 || at.Addr != uint64(d.Obj)&^7 || at.Mask&^bytesOf(uint64(d.Obj), int(d.Size)) != 0 {
			reject("CP1", "event %d is of another location than the step", i)
		}
		return
	}
	s.acts(d, i, e)
	if len(t.events) > 1 {
		reject("CP1", "event %d is a second event of the step", i)
	}
}

// acts checks the object of an event that is not an access.
func (s *script) acts(d *trace.Event, i int32, e *model.Event) {
	switch d.Kind {
	case format.Go:
		t := model.Thread(e.Obj)
		if _, twice := s.threads[trace.GoID(d.Obj)]; twice || s.in.hasRecorded(t) {
			reject("CP1", "event %d starts a thread that is not new", i)
		}
		s.threads[trace.GoID(d.Obj)] = t
	case format.SelectDefault:
		if e.Obj != -1 || d.Obj != 0 {
			reject("CP1", "event %d is the default of a select, but has an object", i)
		}
	default:
		if at := s.in.window.Places[e.Obj]; at.Mask != 0 || at.Addr != uint64(d.Obj) {
			reject("CP1", "event %d is of another object than the step", i)
		}
		if d.Kind == format.WGAdd && e.Val != d.Val {
			reject("CP1", "event %d adds %d, the step adds %d", i, int64(e.Val), int64(d.Val))
		}
	}
}

// hasRecorded reports whether a thread has events that are not of the alternative.
func (in *subject) hasRecorded(t model.Thread) bool {
	for i := range in.window.Events {
		if in.variant.Events[i].Thread == t {
			return true
		}
	}
	return false
}

// measure finds out how much of a step the witness executes.
func (s *script) measure(t *step) {
	var covered uint8
	done := 0
	for _, i := range t.events {
		if i == s.in.pair.A || i == s.in.pair.B {
			t.racing = true
		}
		if s.in.exec.Done(i) {
			done++
			if t.Event.Kind.IsAccess() {
				covered |= s.in.window.Places[s.in.variant.Events[i].Obj].Mask
			}
		}
	}
	t.any = done > 0
	t.whole = t.any && done == len(t.events) || t.Event.Kind == format.Block // it has no event
	for _, i := range t.entries {
		t.whole = t.whole && s.in.exec.Done(i)
	}
	if t.Event.Kind.IsAccess() {
		t.whole = t.whole && covered == bytesOf(uint64(t.Event.Obj), int(t.Event.Size))
	}
	if t.any && t.Last {
		reject("CP1", "the witness executes a step that may only be an access of the race")
	}
}

// bytesOf is the bytes of its word that an access covers.
func bytesOf(addr uint64, size int) uint8 {
	if size <= 0 || size > 8 || int(addr&7)+size > 8 {
		return 0
	}
	return uint8((1<<size - 1) << (addr & 7))
}

// queue returns the steps of a goroutine.
func (s *script) queue(g trace.GoID) *queue {
	if s.queues[g] == nil {
		s.queues[g] = &queue{script: s}
	}
	return s.queues[g]
}

// queue has the steps of one goroutine that the witness has and that the goroutine has not executed
// yet.
type queue struct {
	script *script
	left   []int
}

// empty reports whether the goroutine has come to its last step in the witness.
func (q *queue) empty() bool { return len(q.left) == 0 }

// next returns the next step.
func (q *queue) next() *step {
	if q.empty() {
		throw("the witness has no further step of the goroutine")
	}
	return &q.script.steps[q.left[0]]
}

// expect takes the next step, which must be the operation that the program executes (CP4). Where
// obj is nil, the step may name any object.
func (q *queue) expect(k format.Kind, flags format.Flags, site trace.Site, obj *uint64, size int) *step {
	s := q.next()
	e := &s.Event
	switch {
	case e.Kind != k || e.Flags != flags || e.Site != site || e.Size != uint16(size):
		reject("CP4", "the step is %s, but the program has %v at site %d", q, k, site)
	case obj != nil && uint64(e.Obj) != *obj:
		reject("CP4", "the step is %s, but the program has address %#x", q, *obj)
	}
	q.left = q.left[1:]
	return s
}

// ahead returns the next step, which must be at a site.
func (q *queue) ahead(site trace.Site) *step {
	if q.empty() || q.next().Event.Site != site {
		reject("CP4", "the step is %s, but the program is at site %d", q, site)
	}
	return q.next()
}

// isNext reports whether the next step is such an access.
func (q *queue) isNext(k format.Kind, site trace.Site, addr uint64) bool {
	e := &q.next().Event
	return e.Kind == k && e.Site == site && uint64(e.Obj) == addr
}

// String describes the next step.
func (q *queue) String() string {
	if q.empty() {
		return "none"
	}
	e := &q.next().Event
	return fmt.Sprintf("%v at site %d of %#x", e.Kind, e.Site, uint64(e.Obj))
}
