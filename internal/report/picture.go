package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// race is a race as the page has it.
func (h *htmlHandler) race(p *htmlPage, t *textHandler, r *Race) *htmlRace {
	out := h.pair(p, t, &finding{Race: *r})
	out.Why = clip(why(&briefHandler{textHandler: t}, r), 2*htmlName)
	h.notes(t, r, out)
	h.schedule(p, r.Schedule(), out)
	h.order(p, &r.Hidden, r.Witness, out)
	for _, d := range r.Paths {
		text := fmt.Sprintf("%s %s%s", d.departure(), h.place(d.Position), d.reason())
		out.Paths = append(out.Paths, htmlDeparture{clip(text, htmlName), h.frame(p, d.Func, d.Position), clip(d.Source, htmlName)})
	}
	h.lanes(p, r, out)
	h.replay(p, r, out)
	return out
}

// pair is what races, candidates and warnings have in common.
func (h *htmlHandler) pair(p *htmlPage, t *textHandler, f *finding) *htmlRace {
	return &htmlRace{
		ID: f.ID, Tier: clip(f.level(), htmlShort), Proof: clip(string(f.Proof()), htmlShort), Name: p.text(nameOf(f.Object, &f.A)), Test: p.text(f.testNames()),
		Package: p.text(packageOf(f.A.Func)), Count: max(f.Count, 1), A: h.access(p, t, &f.A), B: h.access(p, t, &f.B),
	}
}

// notes are sentences on a race besides why -race does not see it.
func (h *htmlHandler) notes(t *textHandler, r *Race, out *htmlRace) {
	if r.Fix != nil {
		out.Notes = append(out.Notes, clip(r.Fix.text(t.short), htmlName))
	}
	if effect := r.Holds.effect(); effect != "" {
		out.Notes = append(out.Notes, effect)
	}
	if text := r.allocated(t.short); text != "" {
		out.Notes = append(out.Notes, clip(strings.TrimSpace(text), htmlName))
	}
	if r.Witness != nil && r.Witness.Semantics == RecordedRun {
		out.Notes = append(out.Notes, strings.Join(strings.Fields(apart), " "))
	}
	if r.Seen != nil {
		out.Notes = append(out.Notes, clip(fmt.Sprintf("In %d of %s, the last of them %s.", r.Seen.Reports, plural.Of(r.Seen.Of, "report"), r.Seen.Last), htmlName))
	}
	if r.Trace != "" {
		out.Notes = append(out.Notes, clip("Trace: "+t.short(Position{File: r.Trace}), htmlName))
	}
}

// schedule adds the schedule of a race, if there is one.
func (h *htmlHandler) schedule(p *htmlPage, s *Schedule, out *htmlRace) {
	if s == nil {
		return
	}
	out.Run, out.Events, out.Omitted, out.Keeps = s.Recorded, s.Events, s.Omitted, clip(s.Keeps, htmlName)
	h.steps(p, s.Steps, out)
	h.reads(p, s.Reads, out)
}

// steps adds the steps of a schedule, from the last one backwards as far as there is room. Of each
// it adds the line, and how much its event is behind that of the step before.
func (h *htmlHandler) steps(p *htmlPage, steps []Step, out *htmlRace) {
	first := len(steps)
	for first > 0 && (p.fits(&steps[first-1]) || len(steps)-first < htmlLeast) {
		first--
		h.event(p, &steps[first]) // its texts are in the tables, and cost little from now on
	}
	out.Cut = first
	last := int64(0)
	for i := range steps[first:] {
		e := h.event(p, &steps[first+i])
		out.Steps = append(out.Steps, e[0], e[1]-last)
		last = e[1]
	}
}

// reads adds the reads that see other values than in the recorded run.
func (h *htmlHandler) reads(p *htmlPage, reads []Sight, out *htmlRace) {
	for i := range reads {
		s := &reads[i]
		read := htmlRead{Event: h.event(p, &s.Step), Sees: clip(s.Sees(), htmlName), Fork: s.Fork}
		if s.From != nil {
			from := h.event(p, s.From)
			read.From = &from
		}
		out.Reads = append(out.Reads, read)
	}
}

// order adds the chain that orders the two accesses in the recorded run.
func (h *htmlHandler) order(p *htmlPage, hidden *Hidden, w *Witness, out *htmlRace) {
	for i := range hidden.Edges {
		e := &hidden.Edges[i]
		edge := htmlEdge{From: h.event(p, &e.From), To: h.event(p, &e.To), Broken: e.Broken}
		if e.Broken && w != nil {
			edge.How = clip(e.brokenBy(w.Order), htmlName)
		}
		out.Order = append(out.Order, edge)
	}
}

// brokenBy says how a schedule breaks the order of two steps.
func (e *Edge) brokenBy(order []int64) string {
	from, to := fmt.Sprintf("goroutine %d %s", e.From.Goroutine, e.From.Text), fmt.Sprintf("goroutine %d %s", e.To.Goroutine, e.To.Text)
	released, acquired := slices.Contains(order, e.From.Event), slices.Contains(order, e.To.Event)
	switch {
	case acquired && released:
		return fmt.Sprintf("In the schedule, %s before %s.", to, from)
	case acquired:
		return fmt.Sprintf("In the schedule, %s, and the race comes before %s.", to, from)
	case released:
		return fmt.Sprintf("In the schedule, %s, and the race comes before %s.", from, to)
	}
	return fmt.Sprintf("In the schedule, the race comes before %s and before %s.", from, to)
}

// lanes are the goroutines of a picture: those of the accesses, then the others as they come.
func (h *htmlHandler) lanes(p *htmlPage, r *Race, out *htmlRace) {
	seen := map[int]bool{}
	add := func(id int, side string) {
		if !seen[id] {
			seen[id] = true
			out.Lanes = append(out.Lanes, htmlLane{id, p.text(r.Who(id)), side})
		}
	}
	add(r.A.Goroutine.ID, "a")
	add(r.B.Goroutine.ID, "b")
	other := func(line int64) { add(p.Lines[line][0], "") }
	for i := 0; i < len(out.Steps); i += 2 {
		other(out.Steps[i])
	}
	for _, e := range out.Order {
		other(e.From[0])
		other(e.To[0])
	}
}

// replay adds what came of the replay, and the commands that go on from the race. Only what a
// command has recorded itself can be explained and replayed by its IDs.
func (h *htmlHandler) replay(p *htmlPage, r *Race, out *htmlRace) {
	if r.Replay != nil {
		out.Replay = &htmlReplay{Text: clip(r.replayed(), htmlName)}
		text := r.Replay.Report
		if p.reports -= len(text); p.reports < 0 && text != "" {
			text = "Left out to keep this page small; presage report -format json has it."
		}
		out.Replay.Report = text
	}
	if h.config.records() && r.Seen == nil && r.ID != "" && r.Witness != nil {
		out.Command = []string{"presage explain " + r.ID, "presage replay " + r.ID}
	}
}

// other is a candidate or a warning of the static lens.
func (h *htmlHandler) other(p *htmlPage, t *textHandler, f *finding) *htmlRace {
	out := h.pair(p, t, f)
	if f.Tier == tierCandidate {
		out.Why = pick(f.Hidden.Ordered, "In the recorded run, synchronisation orders the two accesses.", "No synchronisation in the trace orders the two accesses.")
		out.Notes = append(out.Notes, "There is no witness, so it need not be a race (presage analyze without -engine looks for one).")
		if f.A.Event != f.B.Event {
			h.schedule(p, f.Schedule(), out)
			h.order(p, &f.Hidden, nil, out)
			h.lanes(p, &f.Race, out)
		}
		return out
	}
	w := f.staticWarning()
	out.Proof, out.Why = "warning", "The two accesses may race in some run, from the source alone."
	for _, x := range []struct {
		a  *Access
		to *htmlAccess
	}{{&w.A, &out.A}, {&w.B, &out.B}} {
		x.to.Who = p.text(staticGoroutine(&x.a.Goroutine))
	}
	v := &w.Vet
	if w.Count > 1 {
		out.Notes = append(out.Notes, clip(fmt.Sprintf("and %s with the %s at %s", plural.Of(w.Count-1, "more pair"), w.common().Kind, h.place(w.common().Position)), htmlName))
		out.Count = 1
	}
	switch v.Mark {
	case "":
	case MarkConfirmed:
		out.Notes = append(out.Notes, fmt.Sprintf("%s: it is race %s", v.Mark, v.Race))
	default:
		out.Notes = append(out.Notes, clip(fmt.Sprintf("%s: %s", v.Mark, v.Because), htmlName))
	}
	out.Notes = append(out.Notes, v.strength())
	for _, m := range v.Missing {
		out.Notes = append(out.Notes, clip(m.Code+": "+m.Text, htmlName))
	}
	return out
}
