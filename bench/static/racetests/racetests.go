// Package racetests judges the static lens by the tests of Go's own race detector, from the user's
// GOROOT. A function named TestRace... has a race, one named TestNoRace... has none. It prints a
// line for every test whose verdict differs from its name, and the totals.
//
//	go -C bench run ./static racetests [-dir scratch] [-tier possible] [-v]
//
// The target is to report at least 85 % of the Race tests, and at most 10 % of the NoRace tests.
//
// A warning belongs to the test whose name is in its frame, in its accesses, or in the calls that
// lead to them. The copies of the tests are those of recall racetests (session.RaceTests).
package racetests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// Main analyses the tests.
func Main(args []string) int {
	flags := command.Flags("static racetests", "[-tier likely|possible|unlikely] [-dir scratch] [-v]")
	dir := command.Dir(flags)
	level := flags.String("tier", string(tier.Likely), "report warnings of this tier and better")
	verbose := flags.Bool("v", false, "print every warning")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	scratch, err := session.Scratch(*dir)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(scratch)
	}
	mod, tests, left, err := session.RaceTests(scratch)
	command.Check(err)
	begin := time.Now()
	res, err := static.Run(context.Background(), static.Config{Config: load.Config{Dir: mod, Tests: true, Patterns: []string{"."}}})
	command.Check(err)
	for _, e := range res.Errors {
		fmt.Println("error", e)
	}
	found := map[string][]*static.Warning{}
	for _, w := range res.Warnings {
		if !tier.Shows(tier.Tier(*level), w.Tier) {
			continue
		}
		for _, n := range owners(w) {
			found[n] = append(found[n], w)
		}
	}
	judge(res, tests, found, *verbose, figures)
	fmt.Printf("left out: %v; %.1f s\n", left, time.Since(begin).Seconds())
	return 0
}

func judge(res *static.Result, tests []string, found map[string][]*static.Warning, verbose bool, figures *command.Figures) {
	var races, hit, none, alarms int
	for _, n := range tests {
		race, got := !strings.HasPrefix(n, "TestNo"), len(found[n]) > 0
		switch {
		case race:
			races++
			if got {
				hit++
			} else {
				fmt.Printf("missed       %s\n", n)
			}
		default:
			none++
			if got {
				alarms++
				fmt.Printf("false alarm  %s\n", n)
			}
		}
		if race != got && got || verbose {
			for _, w := range found[n] {
				fmt.Printf("             %v %v %s, %v %v %s, %s %v\n", site(res, w.A), w.A.Kind, w.A.Loc.Place(w.Frame.Names),
					site(res, w.B), w.B.Kind, w.B.Loc.Place(w.Frame.Names), w.Tier, w.Codes)
			}
		}
	}
	fmt.Printf("races reported %d of %d (%.1f %%); NoRace reported %d of %d (%.1f %%); right over all %.1f %%\n", hit, races, 100*float64(hit)/float64(races),
		alarms, none, 100*float64(alarms)/float64(none), 100*float64(hit+none-alarms)/float64(races+none))
	figures.Print("all", command.Count(hit, "found"), command.Count(races, "races"), command.Count(alarms, "false"), command.Count(none, "race-free"))
}

var testName = regexp.MustCompile(`\bTest(?:No)?Race\w*`)

// owners lists the tests named in a warning.
func owners(w *static.Warning) []string {
	names := testName.FindAllString(w.Frame.Key, -1)
	for _, a := range []*summary.Access{w.A, w.B} {
		names = append(names, testName.FindAllString(a.Func, -1)...)
		for c := a.Via; c != nil; c = c.Next {
			names = append(names, testName.FindAllString(c.Func, -1)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func site(res *static.Result, a *summary.Access) string {
	p := res.Position(a.Pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}
