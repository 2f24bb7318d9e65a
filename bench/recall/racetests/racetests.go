// Package racetests runs presage on the tests of Go's own race detector, from the user's GOROOT. A
// function named TestRace... has a race, one named TestNoRace... has none. It prints a line for
// every test whose verdict differs from its name, and the totals.
//
//	go -C bench run ./recall racetests [-dir scratch] [-run regexp] [-report file]
//		[-level causal] [-online [-filter none]] [-v]
//
// A race belongs to the test whose name is in the stacks of its accesses, or of the creation of
// their goroutines. The copies of the tests differ from the originals in a few words: a module's
// tests cannot use internal packages, and some functions exist only under -race
// (session.RaceTests). cgo_test.go runs the go command on a cgo program under -race; its test is
// listed as left out.
//
// The exit code is 1 if there is a false alarm, or if fewer than 230 races are found.
package racetests

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// Main runs the tests and judges the report.
func Main(args []string) int {
	flags := command.Flags("recall racetests", "[-run regexp] [-level causal] [-online [-filter none]] [-report file] [-dir scratch] [-v]")
	dir := command.Dir(flags)
	run := flags.String("run", "", "run only tests that match")
	saved := flags.String("report", "", "judge this report (the output of presage test -format json) instead of running")
	level := flags.String("level", "causal", "level of the analysis")
	online := flags.Bool("online", false, "use the detector inside the program, in place of recording and prediction")
	filter := flags.String("filter", "tree", "filter of -online: tree or none")
	verbose := flags.Bool("v", false, "print every test")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	command.Check(err)
	mod, tests, left, err := session.RaceTests(s.Dir)
	command.Check(err)
	if *run != "" {
		re := regexp.MustCompile(*run)
		tests = slices.DeleteFunc(tests, func(n string) bool { return !re.MatchString(n) })
	}
	if *saved != "" {
		data, err := os.ReadFile(*saved)
		command.Check(err)
		out, err := session.Read(data)
		command.Check(err)
		return judge(tests, out, left, *verbose, figures)
	}
	test := []string{"-count=1", "-vet=off", "-timeout=10m", "-level=" + *level}
	if *online {
		test[3] = "-online"
		test = append(test, "-filter="+*filter)
	}
	if *run != "" {
		test = append(test, "-run", *run)
	}
	out, err := s.Test(ctx, mod, []string{"GOMAXPROCS=1"}, append(test, ".")...)
	command.Check(err)
	return judge(tests, out, left, *verbose, figures)
}

// judge compares verdicts with names and prints the table.
func judge(tests []string, out *session.Outcome, left []string, verbose bool, figures *command.Figures) int {
	found := map[string][]pair{}
	unowned := 0
	for _, r := range pairs(out) {
		owners := r.owners()
		if len(owners) != 1 {
			fmt.Printf("race of %d tests %v: %v %v\n", len(owners), owners, r.a.Position, r.b.Position)
			unowned++
		}
		for _, n := range owners {
			found[n] = append(found[n], r)
		}
	}
	var races, hit, noRaces, falseAlarms int
	for _, n := range tests {
		want := !strings.HasPrefix(n, "TestNo")
		got := len(found[n]) > 0
		switch {
		case want:
			races++
			if got {
				hit++
			} else {
				fmt.Printf("missed       %s\n", n)
			}
		default:
			noRaces++
			if got {
				falseAlarms++
				for _, r := range found[n] {
					fmt.Printf("false alarm  %s %s %v %v\n", n, r.tier, r.a.Position, r.b.Position)
				}
			}
		}
		if verbose && want == got {
			fmt.Printf("ok           %s\n", n)
		}
	}
	for _, w := range out.Warnings {
		fmt.Printf("warning      %s %d: %s\n", w.Code, w.Count, w.Text)
	}
	fmt.Printf("left out: %v\n", left)
	fmt.Printf("races found %d of %d; false alarms %d of %d; races of no or several tests %d; candidates %d, undecided %d, %d events, %.1f s\n",
		hit, races, falseAlarms, noRaces, unowned, out.Summary.Candidates, out.Summary.Undecided, out.Summary.Events, out.Summary.Seconds)
	figures.Print("all", command.Count(hit, "found"), command.Count(races, "races"), command.Count(falseAlarms, "false"), command.Count(noRaces, "race-free"))
	return command.Code(falseAlarms == 0 && hit >= 230)
}

var testName = regexp.MustCompile(`\bTest(?:No)?Race\w*`)

// pair is a race, or a candidate of the detector inside the program.
type pair struct {
	tier report.Tier // "candidate" for one
	a, b *report.Access
}

func pairs(out *session.Outcome) []pair {
	var list []pair
	for _, r := range out.Races {
		list = append(list, pair{r.Tier, &r.A, &r.B})
	}
	for _, c := range out.Candidates {
		list = append(list, pair{"candidate", &c.A, &c.B})
	}
	return list
}

// owners lists the tests named in the stacks of a pair.
func (p pair) owners() []string {
	var names []string
	for _, a := range []*report.Access{p.a, p.b} {
		for _, f := range slices.Concat(a.Stack, a.Goroutine.Created, []report.Frame{{Func: a.Func}, {Func: a.Goroutine.Func}}) {
			names = append(names, testName.FindAllString(f.Func, -1)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
