package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// output is the stage that writes the report.
type output struct {
	// Inputs.
	env      *Env
	json     bool
	forms    forms
	to       report.Handler // in place of forms, if it is not nil
	stream   *stream        // likewise, but for forms in files
	config   func() *report.Config
	kept     *record.RunDir // gets the report as well; nil: none
	traces   traces
	lens     *lens // whose warnings are part of the report; nil: none
	progress *progress
	begun    time.Time
	// Input, changed: the summary is filled.
	found *findings
	// Output: what the command returns.
	err error
}

// run writes the report, and then the errors of single traces.
func (o *output) run(context.Context) {
	code := o.found.finish(o.traces.from, o.kept)
	o.progress.stages.End()
	o.found.summary.Stages = stagesOf(&o.progress.stages)
	if err := o.print(); err != nil {
		o.err = fmt.Errorf("writing the report: %w", err)
		return
	}
	for _, err := range o.found.unread {
		visible.Fprintf(o.env.Stderr, "presage: %v\n", err)
	}
	if code != exitNone {
		o.err = &exitError{code: code}
	}
}

// print sends the messages to standard output, and to the run that presage report reads. An error
// there must not cost the report.
func (o *output) print() error {
	h, end := o.to, func() error { return nil }
	switch {
	case o.stream != nil:
		h, end = o.forms.others(o.env.Stdout, true)
		h = report.Tee(o.stream.handler(o.env.Stderr), h)
	case h == nil:
		h, end = o.forms.printer(o.env.Stdout, o.json)
	}
	err := errors.Join(o.send(h), end())
	if keepErr := o.keep(); keepErr != nil {
		visible.Fprintf(o.env.Stderr, "presage: the report is not kept: %v\n", disk.Explain(keepErr))
	}
	return err
}

// keep ends the run in the cache: it gets the report, or is dropped if it has nothing to report.
func (o *output) keep() error {
	switch {
	case o.kept == nil:
		return nil
	case o.found.noRun():
		return o.kept.Drop()
	}
	return o.kept.Keep(func(w io.Writer) error { return o.send(report.NewJSON(w)) })
}

// send sends the messages to h.
func (o *output) send(h report.Handler) error {
	errs := []error{h.Config(o.config())}
	for i := range o.found.warnings {
		errs = append(errs, h.Warning(&o.found.warnings[i]))
	}
	for _, r := range o.found.races() {
		errs = append(errs, h.Race(r))
	}
	for _, c := range o.found.candidates() {
		errs = append(errs, h.Candidate(c))
	}
	for _, m := range o.found.suppressed {
		errs = append(errs, h.Suppressed(m))
	}
	for _, w := range o.lens.warnings() {
		errs = append(errs, h.StaticWarning(w))
	}
	return errors.Join(append(errs, h.Summary(&o.found.summary))...)
}
