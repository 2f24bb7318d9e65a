package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace/source"
)

// An interrupt ends the analysis early, and costs nothing but its time.
//
//	(I1) The report has what was found until then, also in traces that were searched side by side.
//	     A trace that was searched to its end counts as searched.
//	(I2) What was recorded is counted whole, as far as traces say how long they are.
//	(I3) The traces stay, and so does a run in the cache. A warning has the command that analyses
//	     them. It begins anew: its report is that of an analysis that was not interrupted.
//	(I4) The second interrupt ends the process.

// left counts a trace that was not analysed to its end, of which a part may have been.
func (a *analysis) left() {
	a.cut++
	a.failed = true
}

// leave counts a trace that was not begun (I2).
func (a *analysis) leave(name string) error {
	a.left()
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	return errors.Join(a.leaveOpen(s), s.Close())
}

func (a *analysis) leaveOpen(s *source.File) error {
	if s.Trace != nil && s.Trace.Events() >= 0 {
		return a.tally(s)
	}
	a.summary.Traces++ // to count its events is to read it
	a.describe(s.Meta())
	return nil
}

// interrupted says what an interrupt left out, and how to go on (I3).
func (a *analysis) interrupted() {
	if a.cut == 0 {
		return
	}
	text := "1 trace was not analysed to its end"
	if a.cut > 1 {
		text = fmt.Sprintf("%d traces were not analysed to their end", a.cut)
	}
	a.warn(report.Warning{Code: "interrupted", Count: a.cut,
		Text: fmt.Sprintf("%s: the analysis was interrupted. What was recorded is kept, and this analyses it from the beginning: %s", text, commandLine(a.resume()))})
}

// resume is the command that analyses what this one was to.
func (a *analysis) resume() []string {
	if a.again != nil {
		return a.again
	}
	o := &a.options
	command := []string{"presage", "analyze"}
	if o.level != levelPath {
		command = append(command, "-level="+o.level)
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"window", o.window}, {"budget", o.budget}, {"effort", o.effort}} {
		if f.n > 0 {
			command = append(command, "-"+f.name+"="+strconv.Itoa(f.n))
		}
	}
	if o.solver != solverEngine {
		command = append(command, "-solver="+o.solver)
	}
	if inside, err := traceFiles([]string{a.traceFile}); err == nil && slices.Equal(inside, a.files) {
		return append(command, a.traceFile)
	}
	return append(command, a.files...) // the directory has others
}

// givenFlags are the flags that a command line has.
func givenFlags(flags *pflag.FlagSet) (given []string) {
	flags.Visit(func(f *pflag.Flag) {
		flag := "-" + f.Name
		if f.Value.Type() != "bool" {
			flag += "=" + f.Value.String()
		} else if f.Value.String() != "true" {
			return
		}
		given = append(given, flag)
	})
	return given
}

// canceled reports that an error is no more than the interrupt.
func canceled(err error) bool { return errors.Is(err, context.Canceled) }
