package cli

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/suppress"
	"github.com/presage-race/presage/internal/trace"
)

// An analysis takes traces to a report. It is a list of stages. Each stage is a value whose fields
// name what it reads, and adds to the findings:
//
//	stage     type       reads                             adds
//	search    searches   the traces                        races, candidates, warnings, counts
//	replay    replaying  unsuppressed races, the program   results of replays
//	mark      marking    races, the static lens            static warnings with their marks
//	suppress  suppressing races, comments, the baseline    which races are only counted
//	write     output     all findings                      the exit code; writes the report
//
// Under test and run, the stage that records the program comes first (recording).
type analysis struct {
	env      *Env
	options  options
	fly      onTheFly // in place of prediction
	command  []string // as the user gave it
	again    []string // analyses the same traces from the beginning; nil: as resume says
	dir      string
	traces   traces
	kept     *record.RunDir // for presage report; nil: none
	load     loader
	to       report.Handler  // of the report; nil: its forms
	stream   *stream         // of the tests, to which their races go; nil: there is none
	explain  explained       // the pairs to explain; nil: none
	lens     *lens           // whose warnings are marked; nil: none
	sieve    *suppress.Sieve // nil: no race is suppressed
	allTests bool            // the command has run all tests of its packages
	early    *early          // what was searched while the tests ran; nil: nothing
	progress *progress
	budget   *budget  // nil: there is none
	memory   *memory  // nil: there is no limit
	builder  *builder // of what is replayed; nil: nothing is

	found findings
}

// explained returns the pairs of sites of a trace that are to be explained.
type explained func(meta *trace.Meta) func(a, b trace.Site) bool

// traces are the files that a command analyses.
type traces struct {
	files []string
	from  string // as the report names them: a file, or the directory that has several
}

// newAnalysis returns an analysis of a level, or by a detector of one pass.
func newAnalysis(env *Env, o options, p *progress) *analysis {
	return &analysis{env: env, options: o, progress: p, found: findings{level: o.level}}
}

// run runs the stages, and returns the exit code as an error.
func (a *analysis) run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // (CM4)
	if a.early != nil {
		context.AfterFunc(ctx, a.early.cancel)
	}
	if a.options.confirm > 0 {
		a.builder = newBuilder(ctx, a.env, a.load.plan, a.progress)
		defer a.builder.stop()
	}
	out := a.output()
	for _, stage := range []func(context.Context){
		a.searches().run,
		a.replaying().run,
		a.marking().run,
		a.suppressing().run,
		out.run,
	} {
		stage(ctx)
	}
	return out.err
}

func (a *analysis) searches() *searches {
	return &searches{
		env: a.env, options: a.options, fly: a.fly, traces: a.traces, load: &a.load, explain: a.explain, early: a.early, lens: a.lens, resume: a.resume(),
		progress: a.progress, budget: a.budget, memory: a.memory, builder: a.builder,
		found: &a.found,
	}
}

func (a *analysis) replaying() *replaying {
	return &replaying{
		traces: a.traces, config: a.config, confirm: a.options.confirm, budget: a.budget, builder: a.builder, sieve: a.sieve, progress: a.progress,
		found: &a.found,
	}
}

func (a *analysis) marking() *marking {
	return &marking{lens: a.lens, plan: a.load.plan, progress: a.progress, found: &a.found}
}

func (a *analysis) suppressing() *suppressing {
	return &suppressing{env: a.env, flags: a.options.suppress, sieve: a.sieve, lens: a.lens, plan: a.load.plan, tests: a.allTests, found: &a.found}
}

func (a *analysis) output() *output {
	return &output{
		env: a.env, json: a.options.json, forms: a.options.forms, to: a.to, stream: a.stream, config: a.config, kept: a.kept, traces: a.traces, lens: a.lens, progress: a.progress, begun: time.Now(),
		found: &a.found,
	}
}

// config says what makes the report.
func (a *analysis) config() *report.Config {
	c := &report.Config{
		Protocol: report.ProtocolVersion, Tool: "presage", Version: version(), GoVersion: a.found.program.goVersion,
		Command: a.command, Level: a.options.level, Window: a.options.window,
	}
	if a.fly.engine != "" {
		c.Level = a.fly.engine
	}
	c.Dir, _ = filepath.Abs(a.dir)
	return c
}

// resume is the command that analyses the same traces from the beginning (CM4).
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
	if inside, err := traceFiles([]string{a.traces.from}); err == nil && slices.Equal(inside, a.traces.files) {
		return append(command, a.traces.from)
	}
	return append(command, a.traces.files...) // the directory has others
}
