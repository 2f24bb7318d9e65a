package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/explore"
	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// interrupted stands for the error of a test whose exploration a signal ended.
const interrupted = "interrupted"

// of says what the exploration of a test has come to.
func (x *exploring) of(pkg string, e *explored) report.Explored {
	s := e.state
	r := report.Explored{Package: pkg, Test: e.test, Runs: s.Runs, Classes: s.Classes, Races: len(s.Races), NoRace: s.Exhausted && len(s.Races) == 0, Seed: x.seed, Failed: len(s.Failed), AllFailed: len(s.Failed) > 0 && len(s.Failed) >= s.Runs-s.Repeats}
	if e.err != nil {
		r.Error, r.NoRace = e.err.Error(), false
	}
	if canceled(e.err) {
		r.Error = interrupted
	}
	if len(s.Failed) > 0 {
		r.FirstFailure = s.Failed[0].Run
	}
	r.FirstRace = s.FirstRace
	r.Assumes = assumes(s)
	if s.Random != "" {
		r.Limits = append(r.Limits, "two runs under one schedule differ: the test asks for something that is not steered; the first difference is at "+s.Random)
	}
	for _, why := range []struct {
		n    int
		text string
	}{
		{s.Slow, "{{n}} run{{|s}} did not end within " + x.limit.String()},
		{s.Diverged, "{{n}} run{{|s}} did not follow {{its schedule|their schedules}}"},
		{s.Unended, "in {{n}} run{{|s}} goroutines could have gone on when the process ended, or a fatal error ended it"},
		{s.Unvaried, "in {{n}} run{{|s}} several goroutines used files, the network or the process, in an order that was not varied"},
		{s.Clocked, "in {{n}} run{{|s}} several goroutines read the clock, in an order that was not varied; in a bubble of testing/synctest it stands still"},
		{s.Asked[steer.AskedGoroutines], "in {{n}} run{{|s}} the number of goroutines was asked for, which can differ in the same order of operations; wait for them with a sync.WaitGroup"},
		{s.Asked[steer.AskedProcess], "in {{n}} run{{|s}} the number of the process was asked for, which is another one in each"},
		{s.Asked[steer.AskedCollected], "in {{n}} run{{|s}} a finalizer or a cleanup ran, or a weak pointer was nil, at a point that was not varied"},
		{s.Unsure, "in {{n}} run{{|s}} accesses are unordered that nothing proves to race (candidates)"},
		{s.Children, "in {{n}} run{{|s}} there were other processes, which are not steered"},
		{s.Large, "{{n}} run{{|s}} had too many goroutines to look for other orders"},
		{s.Waiting, "{{n}} schedule{{|s}} {{is|are}} left (-time, -runs)"},
	} {
		if why.n > 0 {
			r.Limits = append(r.Limits, plural.Text(why.n, why.text))
		}
	}
	return r
}

// assumes returns what the test has asked for that was the same in all runs.
func assumes(s *explore.State) (list []string) {
	if s.Asked[steer.AskedProcessors] > 0 {
		list = append(list, "GOMAXPROCS="+cmp.Or(os.Getenv("GOMAXPROCS"), fmt.Sprint(steer.Processors)))
	}
	if s.Asked[steer.AskedCollector] > s.Asked[steer.AskedCollected] {
		list = append(list, "nothing collected")
	}
	return list
}

// claim says that a test has no race, and what that rests on. Where it fails, what would follow has
// not been run.
func claim(r *report.Explored) string {
	text := "no race in any schedule of this test"
	switch {
	case r.AllFailed:
		text = "failed in each run; no race up to there in any schedule"
	case r.Failed > 0:
		text = plural.Text(r.Failed, "failed in {{n}} run{{|s}}; no race up to there, or in any other schedule")
	}
	text += fmt.Sprintf(", with the clock, map order, random numbers and sync.Pool of -seed %d", r.Seed)
	for _, a := range r.Assumes {
		text += " and " + a
	}
	return text
}

// say prints what the exploration of a test has come to. A report in JSON form has it in its
// summary.
func (x *exploring) say(r *report.Explored, failed []explore.Failure) {
	if x.outcomes.add(r); x.machine() {
		return
	}
	text := "no race found"
	switch {
	case r.Error != "":
		text = r.Error
	case r.Races > 0:
		text = plural.Of(r.Races, "race")
	case r.NoRace:
		text = claim(r)
	case r.Runs == 0:
		text = "not run: the time was over"
	}
	counts := plural.Of(r.Runs, "run") + ", " + plural.Of(r.Classes, "class")
	if r.FirstRace > 0 {
		counts += fmt.Sprintf("; the first race in run %d", r.FirstRace)
	}
	visible.Fprintf(x.env.Stdout, "%s: %s (%s)\n", r.Test, text, counts)
	for _, l := range r.Limits {
		visible.Fprintf(x.env.Stdout, "    %s\n", l)
	}
	if len(failed) > 0 {
		x.sayFailed(failed)
	}
}

// outcomes counts tests that were explored by what came of them. One test may be in several counts.
type outcomes struct {
	tests, runs int
	racing      int // a race was found
	failing     int // a run failed, or the exploration did
	without     int // no schedule has a race
}

func (o *outcomes) add(r *report.Explored) {
	o.tests++
	o.runs += r.Runs
	if r.Races > 0 {
		o.racing++
	}
	if r.Failed > 0 || r.Error != "" && r.Error != interrupted {
		o.failing++
	}
	if r.NoRace {
		o.without++
	}
}

// sayAll prints what came of all tests, and why the exit code is 1 if it is.
func (x *exploring) sayAll() {
	o := &x.outcomes
	if x.machine() || o.tests == 0 {
		return
	}
	parts := []string{fmt.Sprintf("%d with a race", o.racing)}
	if o.without > 0 {
		parts = append(parts, fmt.Sprintf("%d with none in any schedule", o.without))
	}
	if o.failing > 0 {
		parts = append(parts, fmt.Sprintf("%d that failed in some run", o.failing)+pickString(o.racing == 0, ", which is the exit code 1 of go test", ""))
	}
	visible.Fprintf(x.env.Stdout, "presage: explored %s in %s: %s\n", plural.Of(o.tests, "test"), plural.Of(o.runs, "run"), strings.Join(parts, ", "))
}

// sayFailed prints how the first run that failed did so, and how to come to it again.
func (x *exploring) sayFailed(failed []explore.Failure) {
	f := &failed[0]
	text := "{{n}} run{{|s}} failed; the first is run %d, the last one of -runs %[1]d -seed %d:"
	visible.Fprintf(x.env.Stdout, "    "+plural.Text(len(failed), text)+"\n", f.Run, x.seed)
	if f.Early >= time.Millisecond {
		visible.Fprintf(x.env.Stdout, "        A timer of %v fired in it while goroutines could go on: under explore, any timer may.\n", f.Early.Round(time.Millisecond))
	}
	for line := range strings.Lines(failure(string(f.Output))) {
		visible.Fprintf(x.env.Stdout, "        %s\n", strings.TrimRight(line, "\n"))
	}
}

// failureLines is how many lines of the output of a run are shown that failed.
const failureLines = 12

// failure returns the lines of a failed run that say why: from a panic or the runtime's error on,
// or the last ones.
func failure(output string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	for i, l := range lines {
		if strings.HasSuffix(l, "all goroutines are asleep - deadlock!") {
			if waits := waiting(lines[i+1:]); len(waits) > 0 {
				lines = append(lines[:i+1:i+1], waits...)
			}
		}
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return strings.Join(lines[i:min(len(lines), i+failureLines)], "\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-failureLines):], "\n")
}

// waiting are the goroutines of a deadlock, each with the innermost call that is not of the
// standard library. Those that have none, as what package testing starts, are left out.
func waiting(stacks []string) (lines []string) {
	head := ""
	for i := 0; i+1 < len(stacks); i++ {
		l, file := stacks[i], stacks[i+1]
		switch {
		case strings.HasPrefix(l, "goroutine "):
			head = l
		case head != "" && strings.HasPrefix(file, "\t") && !strings.HasPrefix(l, "\t") && !isLibrary(l, file) && !strings.HasPrefix(l, "created by "):
			lines = append(lines, head, l, file)
			head = ""
		}
	}
	return lines
}

// isLibrary reports whether a frame of a stack is one of the standard library, or the main function
// of a test.
func isLibrary(function, file string) bool {
	at := strings.LastIndexByte(function, '(') // its arguments
	name := function[:max(at, 0)]
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 || strings.Contains(file, "_testmain.go:") {
		return true
	}
	// what is linked by name is in another package than it says
	for _, dir := range []string{name[:slash+dot], "runtime", "sync", "internal"} {
		if strings.Contains(file, "/src/"+dir+"/") {
			return true
		}
	}
	return false
}
