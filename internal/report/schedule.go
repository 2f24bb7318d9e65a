package report

import (
	"cmp"
	"slices"
)

// Schedule is the schedule of a race as a reader follows it, step by step: what the slider of the
// page of NewHTML goes through.
type Schedule struct {
	Steps    []Step  // the two accesses come last
	Omitted  int     // earlier steps that the report leaves out
	Events   int     // of the whole schedule; 0: there are only the two accesses
	Keeps    string  // what it keeps of the recorded run, as a sentence
	Recorded bool    // it is the recorded run itself
	Reads    []Sight // steps that see other values than in the recorded run
}

// Schedule returns the schedule of a race. Of a race without a witness that is the two accesses, in
// the order of the recorded run; nil if their order is not known.
func (r *Race) Schedule() *Schedule {
	w := r.Witness
	switch {
	case w == nil && r.A.Event == r.B.Event:
		return nil
	case w == nil:
		return &Schedule{Steps: r.accesses(), Recorded: true}
	}
	s := &Schedule{Steps: w.Steps, Omitted: w.Omitted, Events: len(w.Order), Reads: w.Reads, Recorded: w.Semantics == RecordedRun, Keeps: "Every event is as in the recorded run."}
	if !s.Recorded {
		s.Keeps = judgement(w.Semantics, r.Paths)
	}
	return s
}

// Read returns what the step of an event sees, nil if that is as in the recorded run.
func (s *Schedule) Read(event int64) *Sight {
	i := slices.IndexFunc(s.Reads, func(x Sight) bool { return x.Event == event })
	if i < 0 {
		return nil
	}
	return &s.Reads[i]
}

// accesses are the two accesses of a race as steps, as they came in the recorded run.
func (r *Race) accesses() []Step {
	verbs := map[string]string{"read": "reads", "write": "writes", "atomic read": "atomically reads", "atomic write": "atomically writes", "atomic update": "atomically updates"}
	var steps []Step
	for _, a := range []*Access{&r.A, &r.B} {
		steps = append(steps, Step{Event: a.Event, Goroutine: a.Goroutine.ID, Position: a.Position, Func: a.Func, Text: verbs[a.Kind] + " " + accessed(a), Source: a.Source, OffPath: a.OffPath, Held: lockNames(a.Locks)})
	}
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.Event, b.Event) })
	return steps
}

// Who names a goroutine of a race: those of the two accesses with their functions, others by their
// numbers.
func (r *Race) Who(goroutine int) string {
	for _, a := range []*Access{&r.A, &r.B} {
		if a.Goroutine.ID == goroutine {
			return briefName(a.Goroutine)
		}
	}
	return goroutineName(Goroutine{ID: goroutine})
}
