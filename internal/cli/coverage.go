package cli

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// effect is what the cause of a warning does to the answer (CM1).
type effect int

const (
	keeps  effect = iota // the answer is as good without it
	bounds               // a part of the run was not recorded or not searched
	loses                // the same, because recording or analysis ended early
)

// gapOf says what a warning leaves open: its effect, and a few words for the last line, with forms
// for one and for several (package plural).
type gapOf struct {
	effect effect
	text   string
}

// gaps has the code of every warning. A code that is not in it is a gap (CM1).
var gaps = map[string]gapOf{
	// Of the recording.
	"nothing-recorded":     {loses, "nothing was recorded"},
	"nothing-told":         {loses, "no process with the detector inside ran"},
	"recording-stopped":    {loses, "the recording of {{n}} process{{|es}} was cut"},
	"recording-incomplete": {loses, "the recording is incomplete"},
	"raw-damaged":          {loses, "{{n}} record{{|s}} could not be read"},
	"merge-stopped":        {loses, "the records of {{n}} process{{|es}} read in part (-time)"},
	"records-dropped":      {loses, "{{n}} record{{|s}} at the end were dropped"},
	"trace-damaged":        {loses, "{{n}} trace{{|s}} could not be read to the end"},
	"not-instrumented":     {bounds, "{{n}} function{{|s}} left as written"},
	"assembly":             {bounds, "{{n}} function{{|s}} in assembly"},
	"compiler":             {bounds, "outside code recorded only in part (Go's own compiler)"},
	"not-compiled":         {loses, "{{n}} package{{|s}} not compiled or not loaded"},
	"not-vetted":           {loses, "{{n}} package{{|s}} not tested (go vet)"},
	"instrument-std":       {bounds, "{{n}} package{{|s}} of -instrument not recorded"},
	"instrument-unmatched": {bounds, "a pattern of -instrument names no package"},
	"outside-unrecorded":   {bounds, "outside code of {{n}} process{{|es}} not recorded to the end"},
	"outside-lost":         {bounds, "{{n}} access{{|es}} of outside code not recorded"},
	"outside-unfinished":   {bounds, "{{n}} process{{|es}} ended without writing the last records"},
	"left-out":             {keeps, ""}, // asked for, and named where the recording is described
	"global-unknown":       {keeps, ""},
	"unordered":            {keeps, ""},
	// a value is not known: reads keep what they saw, and what that costs is counted by threads-cut
	"unexplained-read": {keeps, ""},
	"hidden-writes":    {keeps, ""},
	"sets-lost":        {keeps, ""}, // taken for everything: counted by missing-suppressed
	"constants-large":  {keeps, ""},
	"variables-large":  {keeps, ""},
	"variables-cut":    {keeps, ""}, // paths that would read them end there, and are counted
	"trace-not-kept":   {keeps, ""},
	"fused":            {keeps, ""}, // the language permits either result
	"allocations":      {keeps, ""}, // counts that the tests see, not what is recorded
	record.HealedCode:  {keeps, ""},

	// Of traces of other tools.
	"std-reentrant":     {keeps, ""},
	"std-held-at-start": {keeps, ""},
	"std-request":       {keeps, ""},
	"std-wait":          {keeps, ""},
	"std-notify":        {keeps, ""},
	"std-late-fork":     {keeps, ""},

	// Of prediction.
	"interrupted":                 {loses, "{{n}} trace{{|s}} not analysed to the end"},
	"prediction-stopped":          {bounds, "{{n}} event{{|s}} not searched for predicted races (-effort)"},
	"prediction-late":             {bounds, "{{n}} event{{|s}} not searched for predicted races (-time)"},
	"prediction-full":             {bounds, "{{n}} event{{|s}} not searched for predicted races (-memory)"},
	"solver-unknown":              {bounds, "{{n}} pair{{|s}} of accesses undecided (-budget)"},
	"pairs-apart":                 {bounds, "{{n}} pair{{|s}} of source lines too far apart in the run (-window)"},
	"candidates-untried":          {bounds, "not all executions of {{n}} pair{{|s}} of source lines tried"},
	"candidates-untried-off-path": {bounds, "not all executions of {{n}} pair{{|s}} of source lines behind untaken branches tried"},
	"ways-untried":                {bounds, "{{n}} untaken branch{{|es}} not followed (-effort)"},
	"threads-cut":                 {bounds, "the rest of a goroutine left out of a window {{n}} time{{|s}}, behind an event that the recorded order does not explain"},
	"writers-unknown":             {bounds, "the rest of a goroutine left out of a window {{n}} time{{|s}}, behind a read whose writer is not known"},
	"windows-refusing":            {bounds, "{{n}} window{{|s}} not searched"},
	"witness-rejected":            {bounds, "{{n}} witness{{|es}} rejected"},
	"missing-suppressed":          {bounds, "{{n}} pair{{|s}} of source lines undecided because of calls without records"},
	"hb-unwitnessed":              {bounds, "{{n}} unordered pair{{|s}} of source lines without a witness"},
	"hb-races-cut":                {bounds, "{{n}} unordered pair{{|s}} not kept"},
	"candidates-to-run":           {bounds, "{{n}} pair{{|s}} of source lines that only a run can decide"},
	"not-walked":                  {bounds, "the source was not at hand"},
	"walk-mismatch":               {bounds, "{{n}} call{{|s}} not followed in the source"},
	"places-crowded":              {keeps, ""}, // a lower bound of pairs-apart
	"missing-methods":             {keeps, ""}, // what it costs is counted by missing-suppressed
	"missing-everywhere":          {keeps, ""},
	"missing-ignored":             {keeps, ""}, // of races that may be none
	"not-witnessed":               {keeps, ""}, // they are listed
	"candidates-run":              {keeps, ""},
	"withdrawn":                   {keeps, ""},
	"replay-budget":               {keeps, ""},
	"not-replayed":                {keeps, ""},
	"no-race-detector":            {keeps, ""},

	// Of the static lens, beside the run.
	"static-failed":       {keeps, ""}, // it has the exit code 1
	"static-not-compared": {keeps, ""},

	// Of detectors of one pass.
	"pairs-cut":             {bounds, "{{n}} pair{{|s}} of accesses not kept"},
	"entries-cut":           {bounds, "{{n}} access{{|es}} forgotten"},
	"online-cut":            {bounds, "{{n}} process{{|es}} ended before the detector could report"},
	"online-started":        {bounds, "{{n}} process{{|es}} not watched"},
	"online-c":              {bounds, "{{n}} call{{|s}} into C not watched"},
	"online-foreign":        {bounds, "{{n}} access{{|es}} of foreign memory not watched"},
	"online-plugins":        {bounds, "{{n}} plugin{{|s}} not watched"},
	"online-SlotsEarly":     {bounds, "{{n}} goroutine{{|s}} forgotten early"},
	"online-Unseen":         {bounds, "{{n}} goroutine{{|s}} not watched"},
	"online-PairsUntold":    {bounds, "{{n}} race{{|s}} not reported"},
	"online-ReadsForgotten": {bounds, "{{n}} read{{|s}} forgotten"},
	"online-compiler":       {keeps, ""},
	"no-source":             {keeps, ""},
	"locks-lent":            {keeps, ""},

	// Of comments and the baseline.
	"ignore":        {keeps, ""}, // it has the exit code 1
	"unused-ignore": {keeps, ""},
	"baseline":      {keeps, ""}, // likewise
}

// ofProgram are the warnings of the program as it was built: each process of a run has the same.
var ofProgram = map[string]bool{"fused": true, "not-instrumented": true, "assembly": true, "unordered": true, "compiler": true, "global-unknown": true}

// gap returns what a warning leaves open, if it does.
func gap(w *report.Warning) (report.Gap, bool) {
	of, known := gaps[w.Code]
	switch {
	case !known && strings.HasPrefix(w.Code, "static-"):
		// of vet, whose warnings are no part of the answer
		return report.Gap{}, false
	case !known:
		of = gapOf{bounds, w.Code + " ({{n}})"}
	case of.effect == keeps:
		return report.Gap{}, false
	}
	return report.Gap{Code: w.Code, Count: w.Count, Text: plural.Text(w.Count, of.text), Lost: of.effect == loses}, true
}

// coverage says how much of the run was searched.
func (f *findings) coverage() *report.Coverage {
	c := &report.Coverage{Searched: report.Whole, Processes: f.summary.Traces}
	for i := range f.warnings {
		w := &f.warnings[i]
		if g, ok := gap(w); ok {
			c.Gaps, c.Searched = append(c.Gaps, g), report.Part
		}
		switch w.Code {
		case "left-out":
			c.LeftOut += w.Count
		case "assembly":
			c.Assembly += w.Count
		}
	}
	if why := f.unsearched(); why != "" {
		c.Searched, c.Why = report.Nothing, why
	}
	return c
}

// unsearched says why nothing at all was searched; "" if something was (CM2).
func (f *findings) unsearched() string {
	o := f.summary.OnTheFly
	switch {
	case o != nil && o.Processes > 0: // -online keeps no events
		return ""
	case f.cut > 0 && f.analysed == 0:
		return "the analysis was interrupted"
	case f.summary.Events == 0:
		return "nothing was recorded"
	case f.program.tests && !f.program.tested && f.warned("recording-stopped"):
		return "the recording was cut before the first test"
	case f.program.tests && !f.program.tested:
		return "no test ran"
	case f.level == levelNone:
		return "-level none only records (presage analyze searches what was recorded)"
	}
	return ""
}

// warned reports whether there is a warning with a code.
func (f *findings) warned(code string) bool {
	return slices.ContainsFunc(f.warnings, func(w report.Warning) bool { return w.Code == code })
}

// ranTests reports whether the process of a trace ran a test, a benchmark, a fuzz test or an
// example: package testing starts a goroutine for each.
func ranTests(meta *trace.Meta) bool {
	for _, g := range meta.Goroutines {
		if strings.HasPrefix(g.Func, "testing.") {
			return true
		}
	}
	return false
}
