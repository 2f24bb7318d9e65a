package cli

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// A search is the first pass over a trace, which finds the races. Searches of several traces run
// side by side, as many as there are processors and memory for. What they have found is taken in
// the order of the traces, so that the report does not depend on how many run at once.
type search struct {
	name     string
	err      error // the trace could not be opened
	source   *source.File
	opt      predict.Options
	plan     *plan.Plan // nil: the trace is not walked
	walker   *walk.Walker
	unwalked error        // why it is not, if it should be
	events   atomic.Int64 // of the trace, 0: not known
	read     atomic.Int64

	early *early                 // that has begun it; nil: the tests were over
	step  atomic.Pointer[func()] // shows how far it is; nil: not yet
	void  bool                   // it was given up,
	over  func() predict.Why     // since the report has come to it,
	want  func()                 // then: something is to be replayed,
	found bool                   // and whether that is known (all by early.mu)

	cut bool // interrupted before it began

	done    chan struct{} // closed when the following are set
	res     *predict.Result
	readErr error
	sure    bool // pairs without a witness have been looked at
	meta    *trace.Meta
	walked  walk.Stats
	odd     []walk.Mismatch
}

// run searches. What is wrong with the trace is in readErr.
func (s *search) run(ctx context.Context, lens *lens) {
	src := lens.notes(s.source)
	s.res, s.readErr = predict.Run(ctx, src, s.source.Meta(), s.opt)
	s.read.Store(s.events.Load())
	lens.rest(ctx, src)
	s.meta = s.source.Meta() // of other tools' traces it grows
	s.readErr = errors.Join(s.readErr, s.source.Close())
	if s.walker != nil { // it is as large as the trace's memory
		s.walked, s.odd = s.walker.Stats(), s.walker.Mismatches()
		s.walker, s.opt.Walker = nil, nil
	}
}

// open opens the trace.
func (s *search) open() (name string, f *source.File, err error) {
	if s.early != nil {
		s.early.names.RLock()
		defer s.early.names.RUnlock()
	}
	f, err = openTrace(s.name)
	return s.name, f, err
}

// opener opens the trace anew, as often as it is called.
func (s *search) opener() func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		_, f, err := s.open()
		if err != nil {
			return nil, nil, err
		}
		return f, f, nil
	}
}

// ended reports whether the search is over.
func (s *search) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// whole reports whether the search has come to its end.
func (s *search) whole() bool { return s.ended() && s.err == nil && s.readErr == nil }

// wait waits for the end of a search. What is wrong with the trace is returned, but for an
// interrupt.
func (s *search) wait() error {
	<-s.done
	if s.err != nil {
		return s.err
	}
	if canceled(s.readErr) {
		s.cut, s.readErr = true, nil
	}
	return s.readErr
}

// types returns what the trace's sites read and write; nothing if the trace was not walked.
func (s *search) types() report.Types {
	if s.plan == nil {
		return report.Types{}
	}
	return report.Types{
		Shape:   func(at trace.Site) string { return regcode.ShapeAt(s.plan, at) },
		Content: func(at trace.Site) report.Content { return report.Content(regcode.ContentAt(s.plan, at)) },
	}
}
