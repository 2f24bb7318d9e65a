package suppress

import (
	"errors"

	"github.com/presage-race/presage/internal/report"
)

// Handler passes a report on, with what its sieve suppresses. What the report has as suppressed
// stays so.
type Handler struct {
	report.Handler
	Sieve   *Sieve
	Summed  report.Summary // what was passed on, after the summary
	Outcome Result

	races      []*report.Race
	candidates []*report.Candidate
	suppressed []*report.Suppressed
	rest       []func() error // messages behind races
}

// Race keeps a race until the summary.
func (h *Handler) Race(r *report.Race) error {
	h.races = append(h.races, r)
	return nil
}

// Candidate keeps a candidate until the summary.
func (h *Handler) Candidate(c *report.Candidate) error {
	h.candidates = append(h.candidates, c)
	return nil
}

// Suppressed keeps a suppressed race until the summary.
func (h *Handler) Suppressed(m *report.Suppressed) error {
	h.suppressed = append(h.suppressed, m)
	return nil
}

// StaticWarning keeps a warning until the races are passed on.
func (h *Handler) StaticWarning(w *report.StaticWarning) error {
	h.rest = append(h.rest, func() error { return h.Handler.StaticWarning(w) })
	return nil
}

// Summary passes on what was kept, and a summary that counts it.
func (h *Handler) Summary(m *report.Summary) error {
	all := append([]*report.Race{}, h.races...)
	candidates := map[*report.Race]*report.Candidate{}
	for _, c := range h.candidates {
		r := c.AsRace()
		candidates[r] = c
		all = append(all, r)
	}
	var err error
	if h.Outcome, err = h.Sieve.Sift(all, h.suppressed, m.Whole); err != nil {
		return err
	}
	hidden, hiddenCandidates := map[*report.Race]bool{}, map[*report.Candidate]bool{}
	for _, x := range h.Outcome.Suppressed {
		hidden[x.Race] = true
		hiddenCandidates[candidates[x.Race]] = true
	}
	h.races = remaining(h.races, hidden)
	h.candidates = remaining(h.candidates, hiddenCandidates)
	h.suppressed = append(h.suppressed, h.Outcome.Suppressed...)
	h.Summed = *m
	h.count(m)
	return errors.Join(h.Flush(), h.Handler.Summary(&h.Summed))
}

func remaining[T comparable](list []T, hidden map[T]bool) (out []T) {
	for _, x := range list {
		if !hidden[x] {
			out = append(out, x)
		}
	}
	return out
}

// count counts anew what was kept.
func (h *Handler) count(m *report.Summary) {
	s, found := &h.Summed, h.Outcome.Counts
	if found == nil && m.Suppressed == nil {
		return
	}
	sum := &report.Suppressions{}
	if m.Suppressed != nil {
		*sum = *m.Suppressed
	}
	if found != nil {
		sum.Ignored, sum.Baseline, sum.Patterns, sum.Unchanged = sum.Ignored+found.Ignored, sum.Baseline+found.Baseline, sum.Patterns+found.Patterns, sum.Unchanged+found.Unchanged
		if found.File != "" {
			sum.File, sum.Gone = found.File, found.Gone
		}
		if found.Revision != "" {
			sum.Revision = found.Revision
		}
	}
	s.Suppressed = sum
	if len(h.Outcome.Suppressed) == 0 {
		return
	}
	s.Races, s.Observed, s.Predicted, s.ByValue, s.ByPath, s.Replayed, s.Confirmed, s.Unconfirmed = 0, 0, 0, 0, 0, 0, 0, 0
	for _, r := range h.races {
		s.Count(r)
		if r.Replay != nil && r.Tier != report.Confirmed && r.Tier != report.Replayed {
			s.Unconfirmed++
		}
	}
	if m.OnTheFly != nil {
		fly := *m.OnTheFly
		fly.Candidates = len(h.candidates)
		s.OnTheFly = &fly
	}
	if s.Races == 0 && (s.OnTheFly == nil || s.OnTheFly.Candidates == 0) && s.ExitCode == 3 {
		s.ExitCode = 0
		if s.ProgramCode != 0 || s.Coverage != nil && (s.Coverage.Lost() || s.Coverage.Searched == report.Nothing) {
			s.ExitCode = 1
		}
	}
}

// Flush passes on what was kept. A report that was cut short has no summary that does so.
func (h *Handler) Flush() error {
	var errs []error
	for _, r := range h.races {
		errs = append(errs, h.Handler.Race(r))
	}
	for _, c := range h.candidates {
		errs = append(errs, h.Handler.Candidate(c))
	}
	for _, m := range h.suppressed {
		errs = append(errs, h.Handler.Suppressed(m))
	}
	for _, f := range h.rest {
		errs = append(errs, f())
	}
	h.races, h.candidates, h.suppressed, h.rest = nil, nil, nil, nil
	if x, ok := h.Handler.(interface{ Flush() error }); ok {
		errs = append(errs, x.Flush())
	}
	return errors.Join(errs...)
}
