package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/presage-race/presage/internal/online"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/suppress"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// onlineFlags is what the flags say of a detector inside the program, in place of recording and
// prediction.
type onlineFlags struct {
	on, halt bool
	filter   string // tree or none
	command  string // run for each race
	without  string // a flag of prediction that was given
}

// predicts are the flags that mean nothing with -online.
var predicts = map[string]bool{
	"o": true, "instrument": true, "exclude": true, "only": true, "disk": true, "level": true, "window": true, "budget": true, "effort": true, "time": true, "memory": true, "static": true, "confirm": true,
}

func (o *onlineFlags) check() error {
	switch {
	case !o.on && (o.halt || o.command != "" || o.filter != ""):
		return usagef("flags -halt, -filter and -on-race belong to -online")
	case o.on && o.without != "":
		return usagef("flags -%s and -online exclude each other: nothing is recorded and nothing predicted", o.without)
	}
	return nil
}

// runOnline is the pipeline of test and run with -online: build, run, report. It returns the number
// of races.
func runOnline(ctx context.Context, env *Env, g *goArgs, argv []string, test bool, sieve *suppress.Sieve, s *stream) (races int, err error) {
	p := newProgress(env.Stderr, g.quiet)
	begun := time.Now()
	res, err := recordConfig(env, g, test, s, p).RunOnline(ctx, record.OnlineOptions{Halt: g.online.halt, NoFilter: g.online.filter == filterNone}, func(dir string) func() {
		return watch(dir, g.online.command, env)
	})
	p.end()
	if err != nil {
		return 0, err
	}
	if res.NotBuilt {
		return 0, &exitError{code: exitFailed}
	}
	sayCode(env, test, res.ExitCode, "reporting what was told")
	told, err := online.Read(res.Told)
	if err != nil {
		return 0, err
	}
	a := newAnalysis(env, g.options, p)
	a.stream = s
	a.command, a.dir, a.kept = append([]string{"presage", sub(test)}, argv...), g.dir, res.Run
	a.fly = onTheFly{engine: "fasttrack", filter: cmp.Or(g.online.filter, filterTree)}
	a.found.program = program{exitCode: res.ExitCode, goVersion: res.GoVersion}
	for _, w := range res.Warnings {
		a.found.warn(report.Warning{Code: w.Code, Count: w.Count, Text: w.Text})
	}
	if res.Plain != "" {
		a.found.warn(report.Warning{Code: "online-compiler", Count: 1, Text: "the program was built with Go's own compiler, with which -online is slower: " + res.Plain})
	}
	a.found.online(ctx, a.fly.filter, told, res.Plan)
	a.found.summary.Seconds = float64(time.Since(begun).Round(time.Millisecond)) / float64(time.Second)
	a.sieve = sieve
	a.suppressing().run(ctx)
	out := a.output()
	out.run(ctx)
	return a.found.summary.Races, out.err
}

// online adds the races and figures that the detector in the program has written. load has the
// plan of the program.
func (f *findings) online(ctx context.Context, filter string, told *online.Result, load func(context.Context) (*plan.Plan, error)) {
	s := &report.OnTheFly{Engine: "fasttrack", Filter: filter}
	f.summary.OnTheFly = s
	f.summary.Traces, s.Processes = told.Processes, told.Processes
	for _, c := range told.Counts {
		s.Add(c.Name, c.N)
		if onlineRules[c.Name] {
			s.Accesses += c.N
		}
		if text := onlineLosses[c.Name]; text != "" && c.N > 0 {
			f.warn(report.Warning{Code: "online-" + c.Name, Count: int(c.N), Text: text})
		}
	}
	if told.Processes == 0 {
		f.warn(report.Warning{Code: "nothing-told", Count: 1, Text: "no process with the detector inside ran"})
	}
	if told.Cut > 0 {
		f.warn(report.Warning{Code: "online-cut", Count: told.Cut,
			Text: "{{n}} program{{|s}} ended before {{it|they}} could say what the detector did and gave up: by a panic, a fatal error, a signal, -halt, or another program in {{its|their}} place"})
	}
	for _, b := range []struct {
		code string
		n    int64
		text string
	}{
		{"online-started", told.Blind.Started, "{{n}} process{{|es}} {{was|were}} started by the program that {{was|were}} not built in this run; what {{it does|they do}} is not seen"},
		{"online-c", told.Blind.IntoC, "{{n}} call{{|s}} went into C: what it does is not seen"},
		{"online-foreign", told.Blind.Foreign, "{{n}} access{{|es}} {{was|were}} not looked at: to memory that is not Go's, but C's or mapped"},
		{"online-plugins", told.Blind.Plugins, "{{n}} plugin{{|s}} {{was|were}} loaded: {{its|their}} code is not seen"},
	} {
		if b.n > 0 {
			f.warn(report.Warning{Code: b.code, Count: int(b.n), Text: b.text})
		}
	}
	var p *plan.Plan
	if len(told.Found) > 0 {
		var err error
		if p, err = load(ctx); err != nil {
			f.warn(report.Warning{Code: "no-source", Count: 1, Text: fmt.Sprintf("the source could not be loaded, so the races have no columns and names: %v", err)})
		}
	}
	sites := online.NewSites(p)
	for i := range told.Found {
		sites.AddTo(&f.set, &told.Found[i])
	}
}

// onlineRules are those that each take one access, or one word of it.
var onlineRules = map[string]bool{"ReadSameEpoch": true, "ReadShared": true, "ReadExclusive": true, "ReadShare": true,
	"WriteSameEpoch": true, "WriteExclusive": true, "WriteShared": true, "Atomic": true}

// onlineLosses says what the detector has given up, by the rule's name.
var onlineLosses = map[string]string{
	"SlotsEarly":     "{{n}} goroutine{{|s}} took the place in the clocks of one whose end no goroutine had waited for: its races with what came later may be missed",
	"Unseen":         "{{n}} goroutine{{|s}} found no place in the clocks: {{its|their}} accesses were not looked at",
	"PairsUntold":    "{{n}} race{{|s}} {{was|were}} not reported, of pairs of positions beyond the first 4096",
	"ReadsForgotten": "{{n}} unordered read{{|s}} {{was|were}} forgotten, of locations with more than 62 of them: {{its|their}} races with later writes may be missed",
}

// watch runs the user's command for every race while the program runs.
func watch(dir, command string, env *Env) (stop func()) {
	if command == "" {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		told := 0
		for last := false; !last; {
			select {
			case <-quit:
				last = true
			case <-time.After(100 * time.Millisecond):
			}
			res, err := online.Read(dir)
			if err != nil {
				continue
			}
			for ; told < len(res.Found); told++ {
				onRace(command, &res.Found[told], env)
			}
		}
	}()
	return func() { close(quit); <-done }
}

// onRace runs the user's command in a shell; the race is in its environment.
func onRace(command string, f *online.Found, env *Env) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), "PRESAGE_RACE="+f.String(), "PRESAGE_RACE_AT="+racePlace(f.At), "PRESAGE_RACE_EARLIER="+racePlace(f.Old))
	cmd.Stdout, cmd.Stderr = env.Stderr, env.Stderr
	if err := cmd.Run(); err != nil {
		visible.Fprintf(env.Stderr, "presage: -on-race %s: %v\n", command, err)
	}
}

func racePlace(stack []online.Frame) string {
	if len(stack) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", stack[0].File, stack[0].Line)
}
