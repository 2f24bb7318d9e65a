package cli

import (
	"context"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/presage-race/presage/internal/record/steer"
)

// flags takes the flags of explore alone out of the command line.
func (x *exploring) flags(argv []string) (rest []string, err error) {
	for i := 0; i < len(argv); i++ {
		name, value, inline := strings.Cut(strings.TrimLeft(argv[i], "-"), "=")
		if !strings.HasPrefix(argv[i], "-") || name != "runs" && name != "seed" && name != "base" {
			rest = append(rest, argv[i])
			continue
		}
		if !inline {
			if i++; i == len(argv) {
				return nil, usagef("flag -%s needs a value", name)
			}
			value = argv[i]
		}
		if name == "base" {
			if x.base, err = steer.ParseKind(value); err != nil {
				return nil, usagef("flag -base: %v", err)
			}
			x.sample = true
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, usagef("flag -%s: %q is no number", name, value)
		}
		if name == "runs" {
			x.runs = int(n)
		} else {
			x.seed = n
		}
	}
	return rest, nil
}

// errInterrupted ends an exploration that a signal has cut short, if no race was found.
var errInterrupted = &exitError{exitFailed, "interrupted: the other schedules were not run"}

// interruptible returns a context that the first signal ends: the test that runs is killed then,
// with its children, and the races so far are reported. The second one ends the process.
func (x *exploring) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// What explore cannot have, of the flags of go test and presage test.
const (
	aloneTests = "explore runs tests alone"
	noProfile  = "explore runs a test many times, and one at a time: " +
		"a profile or trace of the last run would say nothing"
	noOnline = "explore predicts from each run when it has ended"
)

// unexplored are flags that presage test takes and explore refuses.
var unexplored = map[string]string{
	"cpu":     "a program under explore has one processor, and any goroutine may go on at any point",
	"shuffle": "explore runs one test at a time",
	"exec":    "explore runs the test binary itself",
	"list":    "it runs no test",

	"bench": aloneTests, "benchtime": aloneTests, "benchmem": aloneTests,
	"fuzz": aloneTests, "fuzztime": aloneTests, "fuzzminimizetime": aloneTests,
	"blockprofile": noProfile, "blockprofilerate": noProfile, "cpuprofile": noProfile,
	"memprofile": noProfile, "memprofilerate": noProfile, "mutexprofile": noProfile,
	"mutexprofilefraction": noProfile, "outputdir": noProfile, "trace": noProfile,
	"artifacts": noProfile,
	"online":    noOnline, "halt": noOnline, "on-race": noOnline, "filter": noOnline,

	"o":      "explore keeps the traces that have races; presage runs names them",
	"static": "explore makes no static analysis; presage vet does",
}

// explorable returns an error for a flag that would have no effect.
func (g *goArgs) explorable() error {
	for _, f := range g.given {
		if why := unexplored[f[0]]; why != "" && f[1] != "false" && f[1] != "off" {
			return usagef("flag -%s: %s", f[0], why)
		}
	}
	for _, f := range g.flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."), "=")
		if why := unexplored[name]; why != "" && value != "false" {
			return usagef("flag -%s: %s", name, why)
		}
		if name == "count" && value != "1" {
			return usagef("flag -count: explore runs a test as often as it has schedules; -runs bounds that")
		}
		if name == "parallel" {
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				return usagef("flag -parallel: %q is not a positive number", value)
			}
		}
	}
	return nil
}

// cutRun takes -run out of flags.
func cutRun(flags []string) (rest []string, pattern string) {
	pattern = "."
	for _, f := range flags {
		if name, value, ok := strings.Cut(strings.TrimLeft(f, "-"), "="); ok && (name == "run" || name == "test.run") {
			pattern = value
			continue
		}
		rest = append(rest, f)
	}
	return rest, pattern
}
