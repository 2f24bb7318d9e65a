package report

import (
	"cmp"
	"slices"
)

// Joined is a Handler that passes several reports on as one: the first config, all other messages,
// and, when End is called, one summary.
type Joined struct {
	Handler
	begun bool
	sum   *Summary
}

// Join returns a Handler that joins reports for h.
func Join(h Handler) *Joined { return &Joined{Handler: h, sum: &Summary{}} }

// Config passes the first one on.
func (j *Joined) Config(m *Config) error {
	if j.begun {
		return nil
	}
	j.begun = true
	return j.Handler.Config(m)
}

// Summary adds to that of all reports.
func (j *Joined) Summary(m *Summary) error {
	j.sum.add(m)
	return nil
}

// End passes the summary on.
func (j *Joined) End() error { return j.Handler.Summary(j.sum) }

// add adds another report's summary. Parts that only reports of other commands have stay away.
func (s *Summary) add(m *Summary) {
	for _, x := range []struct {
		to *int
		n  int
	}{
		{&s.Races, m.Races}, {&s.Observed, m.Observed}, {&s.Predicted, m.Predicted}, {&s.ByValue, m.ByValue}, {&s.ByPath, m.ByPath},
		{&s.Replayed, m.Replayed}, {&s.Confirmed, m.Confirmed}, {&s.Unconfirmed, m.Unconfirmed}, {&s.Unreplayed, m.Unreplayed},
		{&s.Traces, m.Traces}, {&s.Goroutines, m.Goroutines}, {&s.Windows, m.Windows}, {&s.Candidates, m.Candidates}, {&s.Undecided, m.Undecided},
		{&s.Promising, m.Promising}, {&s.Settled, m.Settled}, {&s.Warnings, m.Warnings}, {&s.Instrumented, m.Instrumented}, {&s.Functions, m.Functions},
	} {
		*x.to += x.n
	}
	s.Events += m.Events
	s.Seconds += m.Seconds
	s.ExitCode, s.ProgramCode = max(s.ExitCode, m.ExitCode), max(s.ProgramCode, m.ProgramCode)
	s.TraceFile = cmp.Or(s.TraceFile, m.TraceFile)
	s.Explored = append(s.Explored, m.Explored...)
	if m.Coverage != nil {
		if s.Coverage == nil {
			s.Coverage = &Coverage{Searched: m.Coverage.Searched}
		}
		s.Coverage.add(m.Coverage)
	}
	s.Whole = append(s.Whole, m.Whole...)
	if m.Suppressed != nil {
		if s.Suppressed == nil {
			s.Suppressed = &Suppressions{}
		}
		s.Suppressed.add(m.Suppressed)
	}
	if m.Paths != nil {
		if s.Paths == nil {
			s.Paths = &Paths{Ends: map[string]int{}}
		}
		s.Paths.add(m.Paths)
	}
	for _, st := range m.Stages {
		i := slices.IndexFunc(s.Stages, func(x Stage) bool { return x.Name == st.Name && x.Of == st.Of })
		if i < 0 {
			s.Stages = append(s.Stages, st)
			continue
		}
		x := &s.Stages[i]
		x.Wall, x.CPU, x.Peak = x.Wall+st.Wall, x.CPU+st.CPU, max(x.Peak, st.Peak)
	}
}

// add adds what another report covers.
func (c *Coverage) add(m *Coverage) {
	if c.Searched != m.Searched {
		c.Searched = Part
	}
	c.Why = cmp.Or(c.Why, m.Why)
	c.Processes, c.Assembly, c.LeftOut = c.Processes+m.Processes, c.Assembly+m.Assembly, c.LeftOut+m.LeftOut
	c.Gaps = append(c.Gaps, m.Gaps...)
}

// add adds the counts of another report.
func (p *Paths) add(m *Paths) {
	p.Forks, p.Unexplored, p.Unkept, p.Ways = p.Forks+m.Forks, p.Unexplored+m.Unexplored, p.Unkept+m.Unkept, p.Ways+m.Ways
	p.Bounded, p.Timers = p.Bounded+m.Bounded, p.Timers+m.Timers
	for why, n := range m.Ends {
		p.Ends[why] += n
	}
}
