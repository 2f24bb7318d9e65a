// Command relay judges the static lens by the tests of Go's own race detector, from the user's
// GOROOT: a function named TestRace… holds a race, one named TestNoRace… holds none. It prints a
// line for every test whose verdict is not its name, and the totals.
//
//	go run ./bench/relay [-dir scratch] [-tier possible] [-v]
//	go run ./bench/relay -module directory [-list likely] packages
//	go run ./bench/relay -known [-whole] [-only name] [-v]
//
// With -known it looks for the races of known.txt: in the default tier before the fix, not in it
// after; asked are 11 of 13, and that no reason code takes more than 5 % of them. With -whole all
// packages of the module are analysed, its commands with them.
//
// With -module it measures instead: time, memory and what each piece of evidence takes out.
//
// The asked figures are: at least 85 % of the Race tests reported, at most 10 % of the NoRace
// tests.
//
// A warning belongs to the test whose name stands in its frame, in its accesses or in the calls
// that lead to them. The copies are adapted as in bench/racetestdata: package internal/synctest is
// testing/synctest, and RaceDisable is Gosched.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

var list = flag.String("list", "", "with -module: print the warnings of this tier and better")

func main() {
	log.SetFlags(0)
	log.SetPrefix("relay: ")
	dir := flag.String("dir", "", "scratch directory")
	level := flag.String("tier", string(tier.Likely), "report warnings of this tier and better")
	verbose := flag.Bool("v", false, "print every warning")
	module := flag.String("module", "", "instead, measure the analysis of the packages that the arguments name in this directory")
	profile := flag.String("cpuprofile", "", "with -module: write a profile")
	workers := flag.Int("p", 0, "with -module: packages at a time")
	races := flag.Bool("known", false, "instead, look for the known races of public modules before and after their fixes")
	whole := flag.Bool("whole", false, "with -known: analyse all packages of the module")
	only := flag.String("only", "", "with -known: the races whose name contains this")
	flag.Parse()
	if *module != "" {
		scale(*module, flag.Args(), *profile, *workers)
		return
	}
	scratch := *dir
	if scratch == "" {
		d, err := os.MkdirTemp("", "presage-relay-")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(d)
		scratch = d
	}
	if *races {
		known(scratch, *only, *whole, *verbose)
		return
	}
	tests, left, err := prepare(scratch)
	if err != nil {
		log.Fatal(err)
	}
	begin := time.Now()
	res, err := static.Run(context.Background(), static.Config{Config: load.Config{Dir: scratch, Tests: true, Patterns: []string{"."}}})
	if err != nil {
		log.Fatal(err)
	}
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
	judge(res, tests, found, *verbose)
	fmt.Printf("left out: %v; %.1f s\n", left, time.Since(begin).Seconds())
}

func judge(res *static.Result, tests []string, found map[string][]*static.Warning, verbose bool) {
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
				fmt.Printf("             %v %v %s, %v %v %s, %s %v\n", place(res, w.A), w.A.Kind, w.A.Loc.Place(w.Frame.Names),
					place(res, w.B), w.B.Kind, w.B.Loc.Place(w.Frame.Names), w.Tier, w.Codes)
			}
		}
	}
	fmt.Printf("races reported %d of %d (%.1f %%); NoRace reported %d of %d (%.1f %%); right over all %.1f %%\n", hit, races, 100*float64(hit)/float64(races),
		alarms, none, 100*float64(alarms)/float64(none), 100*float64(hit+none-alarms)/float64(races+none))
}

func place(res *static.Result, a *summary.Access) string {
	p := res.Position(a.Pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
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

// adapt says the same without packages that a module cannot import, and functions that exist only
// under -race.
var adapt = strings.NewReplacer(
	`"internal/synctest"`, `"testing/synctest"`,
	"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	"runtime.RaceDisable()", "runtime.Gosched()", "runtime.RaceEnable()", "runtime.Gosched()",
)

var testDecl = regexp.MustCompile(`(?m)^func (Test(?:No)?Race\w*)\(`)

// prepare copies the tests into a module of their own and lists them.
func prepare(dir string) (tests, left []string, err error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, err
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src/runtime/race/testdata")
	files, err := filepath.Glob(filepath.Join(src, "*_test.go"))
	if err != nil || len(files) == 0 {
		return nil, nil, fmt.Errorf("no tests in %s (%v)", src, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module race_test\n\ngo 1.25\n"), 0o666); err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, nil, err
		}
		data = []byte(adapt.Replace(string(data)))
		names := testDecl.FindAllStringSubmatch(string(data), -1)
		if strings.Contains(string(data), `"internal/`) {
			for _, m := range names {
				left = append(left, m[1])
			}
			continue
		}
		for _, m := range names {
			tests = append(tests, m[1])
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o666); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(tests)
	return tests, left, nil
}
