package cli

import (
	"io"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// located are races and candidates of a trace, as events. The second pass over the trace finds the
// source lines, stacks and values at these events.
type located struct {
	name    string
	meta    *trace.Meta
	specs   []report.Spec
	types   report.Types
	several bool // the report is of several traces
}

// warnUnwitnessed adds a warning of candidates at the level of observed races. It has no witnesses:
// only the first race of a trace is certain, as in every happens-before detector.
func (f *findings) warnUnwitnessed(n int) {
	if n > 0 {
		f.warn(report.Warning{Code: "not-witnessed", Count: n, Text: "{{n}} race{{|s}} come{{s|}} after the first of {{its|their}} trace and {{has|have}} no witness at this level: {{it is a candidate|they are candidates}}"})
	}
}

// locate is the second pass over a trace, and a third one for what the trace says of the memory of
// races. It adds the races and candidates.
func (f *findings) locate(l located) error {
	if len(l.specs) == 0 {
		return nil
	}
	pass := report.NewLocator(l.meta, l.specs, report.FileSource(l.meta.Files), l.types)
	if err := eachEvent(l.name, pass.Wants, pass.Step); err != nil {
		return err
	}
	if background := pass.Background(); background.Wants() {
		// A trace that is damaged behind its races has been reported: what was read before counts.
		_ = eachEvent(l.name, background.Wants, background.Step)
	}
	races, err := pass.Races()
	if err != nil {
		return err
	}
	candidates, err := pass.Candidates()
	if err != nil {
		return err
	}
	name := ""
	if l.several {
		name = l.name
	}
	for _, r := range races {
		r.Trace = name
		f.set.Add(r)
	}
	for _, c := range candidates {
		c.Trace = name
		f.set.AddCandidate(c)
	}
	return nil
}

// eachEvent gives the events of a trace to step, with their numbers, as long as more are wanted.
func eachEvent(name string, more func() bool, step func(int64, *trace.Event)) error {
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	defer s.Close()
	var e trace.Event
	for i := int64(0); more(); i++ {
		if err := s.Next(&e); err != nil {
			if err == io.EOF {
				break
			}
			return err
		}
		step(i, &e)
	}
	return nil
}
