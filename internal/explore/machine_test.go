package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// run does what the runtime of a steered program does.
func (m *machine) run(_ context.Context, s *steer.Schedule) (*record.SteeredRun, error) {
	r := &steered{s: s, rng: rand.New(rand.NewPCG(s.Seed, s.Base.Seed)), x: &execution{threads: map[trace.GoID]*thread{}}, ended: map[uint64]bool{}, arrived: map[trace.GoID]bool{}, ends: make([]steer.End, len(s.Parts))}
	run, err := m.p.RecordBy(r.step)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprint("run", len(m.runs))
	m.runs[name] = run
	out := &record.SteeredRun{Trace: name, Processes: 1, Points: r.points}
	if out.Held = 1; !run.Ended { // by a panic, or because all wait
		out.ExitCode = 2
	}
	for _, w := range r.blocked {
		for _, o := range w.For {
			kind := steer.Wait(o.Op) + steer.Receive
			out.Blocked = append(out.Blocked, steer.Blocked{Goroutine: r.x.thread(w.G).number, Object: uint64(o.Addr), Kind: kind, Case: o.Case})
		}
	}
	out.Ends = r.ends
	return out, nil
}

// A steered run is under way. A goroutine goes on up to an operation of synchronisation. The
// program ends, and the clock moves on, only when nothing else is possible.
type steered struct {
	s       *steer.Schedule
	rng     *rand.Rand
	x       *execution
	ended   map[uint64]bool
	arrived map[trace.GoID]bool // those that wait: a goroutine has to be chosen for that, too
	blocked []progtest.Wait
	read    int // events
	part    int
	ends    []steer.End
	fired   uint64
	last    trace.GoID
	points  []steer.Point
	access  bool // the last step was an access at a site of the schedule
}

// A moment is what is possible next.
type moment struct {
	steps       []progtest.Step
	ready       []trace.GoID // in order
	by          map[trace.GoID][]int
	ends, fires []int
}

// step chooses the next step.
func (r *steered) step(run *progtest.Run, steps []progtest.Step, waits []progtest.Wait) int {
	r.reads(run)
	for {
		m := r.moment(steps, waits)
		if len(m.ready)+len(m.ends)+len(m.fires) == 0 {
			return 0
		}
		if i := m.by[r.last]; len(i) == 1 && (steps[i[0]].Access && !r.point(&steps[i[0]]) || steps[i[0]].Starts) {
			return i[0]
		}
		i, g, ok := r.scheduled(m)
		switch {
		case ok && g == 0:
			return i
		case !ok && len(m.ready) > 0:
			g = m.ready[r.rng.IntN(len(m.ready))]
		case !ok && len(m.ends) > 0:
			return m.ends[0]
		case !ok:
			return m.fires[0]
		}
		r.last = g
		if len(m.by[g]) == 0 {
			r.arrived[g] = true
			continue
		}
		i = r.chosen(m, g)
		for _, h := range steps[i].By {
			delete(r.arrived, h)
		}
		r.access = r.point(&steps[i])
		return i
	}
}

// moment sorts what is possible.
func (r *steered) moment(steps []progtest.Step, waits []progtest.Wait) *moment {
	m := &moment{steps: steps, by: map[trace.GoID][]int{}}
	var defaults []int
	stuck := map[trace.GoID]bool{}
	for _, w := range waits {
		stuck[w.G] = true
	}
	for i, s := range steps {
		g := s.By[0]
		switch {
		case s.Panics: // which end decides the exit code does not depend on the order
			m.ends = append([]int{i}, m.ends...)
		case s.Ends:
			m.ends = append(m.ends, i)
		case s.Fires:
			m.fires = append(m.fires, i)
		case s.Default:
			defaults = append(defaults, i)
		case len(s.By) == 1:
			m.by[g] = append(m.by[g], i)
		default:
			for k, h := range s.By {
				if r.arrived[s.By[1-k]] && !r.arrived[h] {
					m.by[h] = append(m.by[h], i)
				}
			}
		}
	}
	for _, i := range defaults {
		if g := steps[i].By[0]; len(m.by[g]) == 0 {
			m.by[g] = append(m.by[g], i)
		}
	}
	for g := range m.by {
		delete(stuck, g)
		m.ready = append(m.ready, g)
	}
	r.blocked = r.blocked[:0]
	for _, w := range waits {
		if stuck[w.G] {
			if r.blocked = append(r.blocked, w); !r.arrived[w.G] {
				m.ready = append(m.ready, w.G)
			}
		}
	}
	slices.Sort(m.ready)
	return m
}

// point reports whether a step is the first of an access at a site of the schedule.
func (r *steered) point(s *progtest.Step) bool {
	return s.Access && s.First && slices.Contains(r.s.Sites, uint32(s.Site))
}

// reads counts the records of goroutines.
func (r *steered) reads(run *progtest.Run) {
	for ; r.read < len(run.Events); r.read++ {
		e := &run.Events[r.read]
		if r.access && e.Kind.IsAccess() {
			p := steer.Point{Event: uint64(r.read), Goroutine: uint64(e.G), Site: uint32(e.Site), Address: uint64(e.Obj), Size: uint64(e.Size), Write: e.Kind == format.Write}
			r.points = append(r.points, p)
			r.x.thread(e.G).records++
			r.access = false
		}
		if !recorded(e.Kind) {
			continue
		}
		t := r.x.thread(e.G)
		if t.records++; e.Kind == format.Go {
			if r.x.starts(t, *e, run.Meta); r.x.thread(trace.GoID(e.Obj)).firing {
				r.fired++
			}
		}
		r.ended[t.number] = r.ended[t.number] || e.Kind == format.End
	}
}

// scheduled returns the goroutine of the part that is next, or the step of a timer.
func (r *steered) scheduled(m *moment) (step int, g trace.GoID, ok bool) {
	for ; r.part < len(r.s.Parts); r.part++ {
		want := r.s.Parts[r.part]
		over := r.ended[want.Goroutine]
		for h, t := range r.x.threads { // at most one has the number
			if t.number == want.Goroutine && want.Goroutine != steer.Runtime {
				g = h
			}
		}
		if g == 0 && !over {
			if len(m.fires) > 0 && want.Goroutine == steer.Child(steer.Firings, r.fired+1) {
				return m.fires[0], 0, true
			}
			r.ends[r.part] |= steer.Missed
			return 0, 0, false
		}
		ready := slices.Contains(m.ready, g)
		switch over = over || r.x.threads[g].records >= want.Until&^steer.OrWaits; {
		case over:
			r.ends[r.part] |= steer.Over
		case want.Until&steer.OrWaits != 0 && !ready:
			r.ends[r.part] |= steer.Over | steer.Waited
		case ready:
			r.ends[r.part] |= steer.Chosen
			return 0, g, true
		default:
			r.ends[r.part] |= steer.Missed
			return 0, g, false
		}
		g = 0
	}
	return 0, 0, false
}

// chosen returns the step of a goroutine, of the cases of a select the one that a choice names.
func (r *steered) chosen(m *moment, g trace.GoID) int {
	list := m.by[g]
	t := r.x.threads[g]
	for _, c := range r.s.Choices {
		for _, i := range list {
			at := slices.Index(m.steps[i].By, g)
			if c.Goroutine == t.number && c.Records == t.records && at < 2 && c.Case == m.steps[i].Cases[at] {
				return i
			}
		}
	}
	return list[rand.New(rand.NewPCG(t.number, t.records)).IntN(len(list))]
}
