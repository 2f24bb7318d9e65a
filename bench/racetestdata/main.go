// Command racetestdata runs presage on the tests of Go's own race detector, from the
// user's GOROOT: a function named TestRace… holds a race, one named TestNoRace…
// holds none. It prints a line for every test whose verdict is not its name, and
// the totals.
//
//	go run ./bench/racetestdata [-dir scratch] [-run regexp] [-report file] [-online [-filter
//	none]] [-v]
//
// A race belongs to the test whose name stands in the stacks of its accesses or of
// their goroutines' creation. Two words are changed in the copies, because a module's
// tests cannot say them without -race: see session.RaceTests. cgo_test.go runs the go command on a
// cgo program under -race: its test is listed as left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/session"
	"github.com/presage-race/presage/internal/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("racetestdata: ")
	dir := flag.String("dir", "", "scratch directory")
	run := flag.String("run", "", "run only tests that match")
	saved := flag.String("report", "", "judge this report (the output of presage test -json) instead of running")
	level := flag.String("level", "causal", "level of the analysis")
	online := flag.Bool("online", false, "by the detector inside the program, in place of recording and prediction")
	filter := flag.String("filter", "tree", "of -online: tree or none")
	verbose := flag.Bool("v", false, "print every test")
	flag.Parse()
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	mod, tests, left, err := session.RaceTests(s.Dir)
	if err != nil {
		log.Fatal(err)
	}
	if *run != "" {
		re := regexp.MustCompile(*run)
		tests = slices.DeleteFunc(tests, func(n string) bool { return !re.MatchString(n) })
	}
	if *saved != "" {
		data, err := os.ReadFile(*saved)
		if err != nil {
			log.Fatal(err)
		}
		out, err := session.Read(data)
		if err != nil {
			log.Fatal(err)
		}
		os.Exit(judge(tests, out, left, *verbose))
	}
	args := []string{"-count=1", "-vet=off", "-timeout=10m", "-level=" + *level}
	if *online {
		args[3] = "-online"
		args = append(args, "-filter="+*filter)
	}
	if *run != "" {
		args = append(args, "-run", *run)
	}
	out, err := s.Test(ctx, mod, []string{"GOMAXPROCS=1"}, append(args, ".")...)
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(judge(tests, out, left, *verbose))
}

// judge compares verdicts with names and prints the table.
func judge(tests []string, out *session.Outcome, left []string, verbose bool) int {
	found := map[string][]*report.Race{}
	strangers := 0
	for _, r := range out.Races {
		owners := owners(r)
		if len(owners) != 1 {
			fmt.Printf("race of %d tests %v: %v %v\n", len(owners), owners, r.A.Position, r.B.Position)
			strangers++
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
					fmt.Printf("false alarm  %s %s %v %v\n", n, r.Tier, r.A.Position, r.B.Position)
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
		hit, races, falseAlarms, noRaces, strangers, out.Summary.Candidates, out.Summary.Undecided, out.Summary.Events, out.Summary.Seconds)
	if falseAlarms > 0 || hit < 230 {
		return 1
	}
	return 0
}

var testName = regexp.MustCompile(`\bTest(?:No)?Race\w*`)

// owners lists the tests named in the stacks of a race.
func owners(r *report.Race) []string {
	var names []string
	for _, a := range []report.Access{r.A, r.B} {
		for _, f := range slices.Concat(a.Stack, a.Goroutine.Created, []report.Frame{{Func: a.Func}, {Func: a.Goroutine.Func}}) {
			names = append(names, testName.FindAllString(f.Func, -1)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
