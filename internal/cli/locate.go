package cli

import (
	"io"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// locate is the second pass. At the level of observed races there are no witnesses: only
// the first race of a trace is certain, as in every happens-before detector.
func (a *analysis) locate(name string, meta *trace.Meta, res *predict.Result) error {
	specs := specsOf(res)
	if a.listsAll(meta) {
		specs = hbSpecs(res)
		if n := len(specs) - 1; n > 0 {
			a.warn(report.Warning{Code: "not-witnessed", Count: n, Text: "races stand after the first of their trace and have no witness at this level: they are candidates"})
		}
	}
	return a.place(name, meta, specs)
}

// listsAll reports whether the report is that of a happens-before detector: all pairs that are
// unordered in the recorded run.
func (a *analysis) listsAll(meta *trace.Meta) bool {
	return a.options.level == levelHB && meta.Source != "presage"
}

// place is the second pass over a trace: what stands at the events of the specs goes into the
// report.
func (a *analysis) place(name string, meta *trace.Meta, specs []report.Spec) error {
	if len(specs) == 0 {
		return nil
	}
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	defer s.Close()
	l := report.NewLocator(meta, specs, report.FileSource(meta.Files), a.shape)
	var e trace.Event
	for i := int64(0); l.Wants(); i++ {
		if err := s.Next(&e); err != nil {
			if err == io.EOF {
				break
			}
			return err
		}
		l.Step(i, &e)
	}
	races, err := l.Races()
	if err != nil {
		return err
	}
	candidates, err := l.Candidates()
	if err != nil {
		return err
	}
	if len(a.files) == 1 {
		name = "" // the report is of this trace alone
	}
	for _, r := range races {
		r.Trace = name
		a.set.Add(r)
	}
	for _, c := range candidates {
		c.Trace = name
		a.set.AddCandidate(c)
	}
	return nil
}
