package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// findings are the result of the stages: the races, and what the search did not cover. Each stage
// adds to them; the last one makes a report of them.
type findings struct {
	level   string // of the search
	program program

	set      report.Set
	warnings []report.Warning
	summary  report.Summary

	suppressed []*report.Suppressed
	hidden     map[any]bool // the races and candidates of the set that are suppressed

	unread   []error // what was wrong with single traces
	failed   bool    // a stage did not do its work, as far as the exit code is concerned
	cut      int     // traces that were not analysed to their end, because of an interrupt
	analysed int64   // events that were
}

// program is the program that was recorded.
type program struct {
	goVersion         string
	exitCode          int
	functions, opaque int             // all functions, and those that could not be instrumented
	has               map[string]bool // the files
	files             []string
	packages          []string // whose tests were built
	tests             bool     // go test ran it
	tested            bool     // and ran a test
}

// built notes the files and the tested packages of a trace, those of several traces once.
func (p *program) built(meta *trace.Meta) {
	if p.has == nil {
		p.has = map[string]bool{}
	}
	files, _, _ := meta.Program()
	for _, f := range files {
		if !p.has[f.Name] {
			p.has[f.Name] = true
			p.files = append(p.files, f.Name)
		}
	}
	for _, path := range meta.Tested {
		if !slices.Contains(p.packages, path) {
			p.packages = append(p.packages, path)
		}
	}
}

// warn adds a warning, whose text has forms for one and for several (package plural). Warnings with
// one code and one text become one. Their counts add up, except for warnings of the program: each
// of its processes has the same.
func (f *findings) warn(w report.Warning) {
	for i := range f.warnings {
		if f.warnings[i].Code != w.Code || f.warnings[i].Text != w.Text {
			continue
		}
		if !ofProgram[w.Code] {
			f.warnings[i].Count += w.Count
		}
		return
	}
	f.warnings = append(f.warnings, w)
}

// warnOfTrace adds warnings that a trace or its analysis has.
func (f *findings) warnOfTrace(list []trace.Warning) {
	for _, w := range list {
		f.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
	}
}

// putCounts puts the counts into the texts of the warnings.
func (f *findings) putCounts() {
	for i := range f.warnings {
		w := &f.warnings[i]
		w.Text = plural.Text(w.Count, w.Text)
	}
}

// lossyCodes are the codes of warnings that some events of a run are missing.
var lossyCodes = []string{"recording-incomplete", "recording-stopped", "merge-stopped", "raw-damaged", "records-dropped", "trace-damaged", "interrupted", "nothing-recorded"}

// lossy reports whether some events of the run are missing.
func (f *findings) lossy() bool {
	return slices.ContainsFunc(f.warnings, func(w report.Warning) bool { return slices.Contains(lossyCodes, w.Code) })
}

// warnWalk adds a warning of the calls that the walk of a trace could not follow.
func (f *findings) warnWalk(n int, odd []walk.Mismatch) {
	if n == 0 {
		return
	}
	text := "{{n}} call{{|s}} do{{es|}} not agree with {{its|their}} source (a mistake of presage, please report it); what {{it reads|they read}} keeps its value"
	for i, m := range odd {
		if i == maxShown {
			text += "; …"
			break
		}
		text += "; " + m.String()
	}
	f.warn(report.Warning{Code: "walk-mismatch", Count: n, Text: text})
}

// maxShown is the number of cases that the text of one warning names.
const maxShown = 5

// warnDamaged adds a warning that a trace could not be read to its end.
func (f *findings) warnDamaged(err error) {
	f.failed = true
	f.warn(report.Warning{Code: "trace-damaged", Count: 1, Text: fmt.Sprintf("%v; the events before the damage were analysed", err)})
}

// describe notes the program that a trace is of.
func (f *findings) describe(meta *trace.Meta) {
	f.program.goVersion = meta.GoVersion
	f.program.tested = f.program.tested || ranTests(meta)
	f.program.built(meta)
	if f.program.functions > 0 || meta.Source != "presage" { // known already, or not recorded
		return
	}
	_, funcs, _ := meta.Program()
	f.program.functions = len(funcs)
	for _, fn := range funcs {
		if fn.Opaque != "" {
			f.program.opaque++
		}
	}
}

// count adds what one trace holds to the summary and its warnings to the report.
func (f *findings) count(meta *trace.Meta, res *predict.Result) {
	s := &f.summary
	s.Traces++
	f.describe(meta)
	s.Events += res.Counts.Events
	f.analysed += res.Counts.Events
	s.Goroutines += max(len(meta.Goroutines)-1, 0)
	s.Windows += res.Counts.Windows
	s.Candidates += int(res.Counts.Tried)
	s.Undecided += int(res.Counts.Unknown)
	s.Promising += res.Counts.Promising
	s.Settled += res.Counts.Settled
	f.warnOfTrace(meta.Warnings)
	for _, w := range res.Warnings {
		if w.Code != predict.UnwitnessedCode || !f.listsAll(meta) { // the report lists these pairs
			f.warnOfTrace([]trace.Warning{w})
		}
	}
}

// listsAll reports whether the report is that of a happens-before detector: all pairs that are
// unordered in the recorded run.
func (f *findings) listsAll(meta *trace.Meta) bool {
	return f.level == levelHB && meta.Source != "presage"
}

// countPaths counts the untaken branches that were explored.
func (f *findings) countPaths(res *predict.Result, walked *walk.Stats) {
	if f.summary.Paths == nil {
		f.summary.Paths = &report.Paths{Ends: make(map[string]int)}
	}
	p, b := f.summary.Paths, &res.Counts.Build
	p.Forks += int(b.Forks)
	p.Unexplored += int(b.Unexplored)
	p.Bounded += int(b.Bounded)
	p.Unkept += int(walked.ForksLeft)
	p.Timers += int(walked.TimersLeft)
	for reason, n := range b.Ends {
		p.Ways += int(n)
		p.Ends[reason] += int(n)
	}
}

// tallyFile counts a trace that is not to be analysed.
func (f *findings) tallyFile(name string) error {
	s, err := openTrace(name)
	if err != nil {
		f.failed = true
		return err
	}
	return errors.Join(f.tally(s), s.Close())
}

// tally is tallyFile for a trace that is open. One without an index is read through.
func (f *findings) tally(s *source.File) error {
	n := int64(-1)
	if s.Trace != nil {
		n = s.Trace.Events()
	}
	if n < 0 {
		stat, err := trace.Count(s)
		if err != nil {
			return err
		}
		n = stat.Events
	}
	f.summary.Traces++
	f.summary.Events += n
	f.summary.Goroutines += max(len(s.Meta().Goroutines)-1, 0)
	f.describe(s.Meta())
	for _, w := range s.Meta().Warnings {
		if slices.Contains(lossyCodes, w.Code) {
			f.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
		}
	}
	return nil
}

// left counts a trace that was not analysed to its end, of which a part may have been.
func (f *findings) left() {
	f.cut++
	f.failed = true
}

// leave counts a trace that was not begun (CM4).
func (f *findings) leave(name string) error {
	f.left()
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	return errors.Join(f.leaveOpen(s), s.Close())
}

func (f *findings) leaveOpen(s *source.File) error {
	if s.Trace != nil && s.Trace.Events() >= 0 {
		return f.tally(s)
	}
	f.summary.Traces++ // to count its events is to read it
	f.describe(s.Meta())
	return nil
}

// interrupted adds a warning of what an interrupt left out. resume is the command that analyses it
// (CM4).
func (f *findings) interrupted(resume []string) {
	if f.cut == 0 {
		return
	}
	f.warn(report.Warning{Code: "interrupted", Count: f.cut,
		Text: "{{n}} trace{{|s}} {{was|were}} not analysed to {{its|their}} end: the analysis was interrupted. What was recorded is kept, and this analyses it from the beginning: " + commandLine(resume)})
}

// finish fills the summary and returns the exit code.
func (f *findings) finish(traceFile string, kept *record.RunDir) int {
	f.putCounts()
	s := &f.summary
	if n := len(f.candidates()); n > 0 {
		s.OnTheFly.Candidates = n
	}
	for _, r := range f.races() {
		s.Count(r)
	}
	s.Warnings, s.TraceFile, s.ProgramCode = len(f.warnings), traceFile, f.program.exitCode
	s.Functions, s.Instrumented = f.program.functions, f.program.functions-f.program.opaque
	s.Coverage = f.coverage()
	if kept != nil && traceFile == kept.Dir && f.noRun() {
		s.TraceFile = ""
	}
	switch {
	case s.Races > 0, s.OnTheFly != nil && s.OnTheFly.Candidates > 0:
		s.ExitCode = exitRaces
	case f.failed || f.program.exitCode != 0, s.Coverage.Lost(), s.Coverage.Searched == report.Nothing && (f.level != levelNone || f.noRun()):
		// (CM1), (CM2)
		s.ExitCode = exitFailed
	}
	return s.ExitCode
}

// hide marks a race as suppressed, or the candidate that it was made of.
func (f *findings) hide(r *report.Race, c *report.Candidate) {
	if f.hidden == nil {
		f.hidden = map[any]bool{}
	}
	if c != nil {
		f.hidden[c] = true
		return
	}
	f.hidden[r] = true
}

// races are those that are not suppressed.
func (f *findings) races() []*report.Race {
	return slices.DeleteFunc(f.set.Races(), func(r *report.Race) bool { return f.hidden[r] })
}

// candidates are those that are not suppressed.
func (f *findings) candidates() []*report.Candidate {
	return slices.DeleteFunc(f.set.Candidates(), func(c *report.Candidate) bool { return f.hidden[c] })
}

// noRun reports whether nothing was recorded, or no test ran: the last run stays the last run.
func (f *findings) noRun() bool {
	return f.summary.Races == 0 && len(f.suppressed) == 0 && f.summary.Coverage.Searched == report.Nothing && (f.summary.Events == 0 && f.cut == 0 || f.program.tests && !f.program.tested)
}
