// Package pipeline says where a user's time goes when presage test runs on a real test suite. Each
// suite of suites.txt runs plain, under -race, and under presage test, each once.
//
//	go -C bench run ./suites pipeline [-only part,part] [-dir scratch] [-limit 5m]
//		[-confirm on] [-benchfmt]
//		[-traces dir] [-cpuprofile dir]
//
// # What is measured
//
// CPU time is user and system time of the command with all processes that it has waited for. Build
// caches are warm: each command runs once before with -run=^$, and so builds everything and runs
// no test. Results of tests are not cached (-count=1). With -confirm on, presage runs twice,
// since replays have builds of their own, and the first run does not count.
//
// Times of stages are those that presage reports (stages in docs/using/report.md). The stage in
// which the go command builds and runs the tests is split: between the go command and the tests
// is a command that measures each test process. Tests may run side by side with builds; in wall
// time, tests are the time in which at least one test process ran, and the build is the rest.
//
// The analysis is what happens to the traces: the stages plan, analyse, confirm and locate.
//
// # Limits
//
// A run of presage that has not ended at the limit is interrupted. The row then says so, with the
// stage that the run was in; its figures are those up to the interrupt, or none. Means leave it
// out. The presage process is profiled in any case, since it says only then in which stage a
// signal ended it.
//
// # Output
//
// Each suite is printed as soon as it has run: what it took, what was found, and its stages. With
// -benchfmt, all figures come in the format of Go's benchmarks, and two commits can be compared by
// benchstat.
//
// With -traces, the traces of each suite are kept in the directory, if they have less than 400 MB.
// With -cpuprofile, so are CPU profiles of the presage processes.
//
// The exit code is 1 if a suite could not be measured.
package pipeline

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/bench/internal/suites"
)

// Main measures the suites that -only names.
func Main(args []string) int {
	flags := command.Flags("suites pipeline", "[-only part,part] [-limit 5m] [-confirm on] [-benchfmt] [-traces dir] [-cpuprofile dir] [-dir scratch]")
	b := &bench{}
	only := command.Only(flags, "suites")
	dir := command.Dir(flags)
	flags.DurationVar(&b.limit, "limit", 5*time.Minute, "wall time of a run of presage")
	flags.StringVar(&b.confirm, "confirm", "off", "as the flag of presage test: on, off or a time")
	flags.StringVar(&b.traces, "traces", "", "directory for the traces of the suites")
	flags.StringVar(&b.profiles, "cpuprofile", "", "directory for CPU profiles of presage")
	b.figures = command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	list, err := suites.All()
	command.Check(err)
	list = slices.DeleteFunc(list, func(u *suites.Suite) bool { return !only.Match(u.Name) })
	command.Check(b.prepare(context.Background(), *dir))
	return command.Code(b.all(context.Background(), list))
}

// all measures the suites and prints them. It reports whether all could be measured.
func (b *bench) all(ctx context.Context, list []*suites.Suite) bool {
	var rows []*row
	whole := true
	if !b.figures.On() {
		os.Stdout.WriteString(head)
	}
	for _, u := range list {
		r, err := b.suite(ctx, u)
		if err != nil {
			log.Printf("%s: %v", u.Name, err)
			whole = false
			continue
		}
		rows = append(rows, r)
		if b.figures.On() {
			b.figures.Print(r.name, r.benchmark()...)
		} else {
			os.Stdout.WriteString(r.text())
		}
	}
	if !b.figures.On() {
		os.Stdout.WriteString(means(rows))
	}
	return whole
}

// prepare builds presage and makes the directories.
func (b *bench) prepare(ctx context.Context, dir string) (err error) {
	if b.Session, err = session.New(ctx, dir); err != nil {
		return err
	}
	if b.timed, err = b.Timed(ctx); err != nil {
		return err
	}
	for _, d := range []*string{&b.traces, &b.profiles} {
		if *d == "" {
			continue
		}
		if *d, err = filepath.Abs(*d); err != nil {
			return err
		}
		if err := os.MkdirAll(*d, 0o777); err != nil {
			return err
		}
	}
	return nil
}
