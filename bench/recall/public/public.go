// Package public looks for known data races of public modules. The modules are dependencies of
// the tested module, so they are outside code: presage is run without -instrument.
//
// A case is a text file in folder races; the comment at the head of parse.go describes its format.
// It names a version with the race, a version in which the race is fixed, and a driver: two sides
// that use the library. The command runs the sides in two forms (testdata/forms_test.go):
//
//   - open: both sides start together. go test -race should report the race.
//   - hidden: the first side comes before the second one, and a mutex of the driver orders them.
//     go test -race should be silent. The race is real: without the mutex, which guards nothing
//     of the library, the sides overlap.
//
// For each case and version the command writes a module, runs each form five times under
// go test -race, and once under presage test at its default level.
//
//	go -C bench run ./recall public [-only a,b] [-presage BIN] [-state FILE] [-check] [-v]
//		[-explore 1m]
//
// # Match rule
//
// A pair is what go test -race reports: for each of the two accesses, the function and line of the
// innermost frame that is not of the runtime (the runtime makes accesses on behalf of its callers,
// for maps and copies). Pairs are unordered. The pairs of a case are those of the five open runs of
// the version with the race. A race of presage matches a pair if its accesses can be assigned to
// those of the pair so that each is on the same line of a file of the same name, or in the same
// function. Lines are compared first: a race is counted for the pairs of its lines, and for the
// pairs of its functions only if no pair has its lines.
//
// In the fixed version lines differ, so functions decide: a race whose two accesses are in the
// functions of a pair is one on the same memory. None is expected. Other races are counted apart.
//
// The command needs the module proxy, and cgo for -race. The exit code is 1 if a form did not
// behave as expected under -race, or if presage reports a race on the same memory of a fixed
// version; 2 if the command failed.
package public

import (
	"embed"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
)

// options are the flags of the command.
type options struct {
	only, presage, state, dir string
	check, verbose            bool
	explore                   time.Duration // how long presage explore may take; 0: presage test
}

// Main judges the cases that -only names.
func Main(args []string) int {
	flags := command.Flags("recall public", "[-only a,b] [-presage command] [-state file] [-dir scratch] [-check] [-explore time] [-v]")
	o := &options{}
	flags.StringVar(&o.only, "only", "", "take only the cases of these names, separated by commas")
	flags.StringVar(&o.presage, "presage", "", "the presage to judge; default: built from this checkout")
	flags.StringVar(&o.state, "state", "", "keep outcomes in this file, and do not run again what has one")
	flags.StringVar(&o.dir, "dir", "", "write the modules and traces into this directory and keep them")
	flags.BoolVar(&o.check, "check", false, "run the drivers under -race, and do not run presage")
	flags.DurationVar(&o.explore, "explore", 0, "run presage explore for so long, in place of presage test")
	flags.BoolVar(&o.verbose, "v", false, "list the pairs, and the warnings of hidden forms")
	flags.Parse(args)
	command.NoArgs(flags)
	code, err := run(o)
	command.Check(err)
	return code
}

//go:embed races/*.txtar
var races embed.FS

//go:embed testdata/forms_test.go
var forms string

func run(o *options) (code int, err error) {
	all, err := readCases(races, "races")
	if err != nil {
		return 0, err
	}
	if all, err = choose(all, o.only); err != nil {
		return 0, err
	}
	b := &bench{options: o, forms: forms}
	if err := b.open(); err != nil {
		return 0, err
	}
	defer b.close()
	var outcomes []*outcome
	for _, c := range all {
		out, err := b.judge(c)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintln(os.Stderr, strings.TrimRight(out.line(), " "))
		outcomes = append(outcomes, out)
	}
	return printTable(os.Stdout, outcomes, o), nil
}

// choose returns the cases of the names in a list, all if it is empty.
func choose(all []*raceCase, only string) ([]*raceCase, error) {
	if only == "" {
		return all, nil
	}
	var chosen []*raceCase
	for name := range strings.SplitSeq(only, ",") {
		n := len(chosen)
		for _, c := range all {
			if c.name == name {
				chosen = append(chosen, c)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("no case has the name %q: see %s", name, "bench/recall/public/races")
		}
	}
	return chosen, nil
}
