// Package overhead measures the cost of recording for the program under test: CPU time (user and
// system), wall time, and peak memory of the process. A program runs plain, under -race, and
// recorded by presage with the raw records written to disk, in turn within every round. Ratios are
// taken round by round, and their medians are printed.
//
//	go -C bench run ./suites overhead [-rounds 10] [-compiler both|edited|plain] [-dir scratch]
//		[-only name]
//
// The subjects are the programs of programs/overhead, the test suites of the modules in
// testdata/modules.tsv, and vet: the command that go vet runs, on package net/http. The second
// that a -race program sleeps before it ends is left out (GORACE=atexit_sleep_ms=0).
//
// -compiler names the compiler of the recorded program: edited, that of package compiler; plain,
// Go's own (PRESAGE_COMPILER=plain), in the table as gc; or both, one after the other.
//
// A line is a subject in one build: seconds, times the plain program (x), times -race (/race).
// MB/s are raw records for each second that the recorded program ran; events are those of its
// trace. Raw MB are the sizes of files, whose last ones are not full, so they mean little below
// 100 MB.
//
// The exit code is 1 if the geometric mean of the subjects is above a limit, in times of -race.
// CPU: 1.0 with the edited compiler, 1.6 with Go's own. Wall time: 1.2.
package overhead

import (
	"context"
	"fmt"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// Main measures the subjects.
func Main(args []string) int {
	flags := command.Flags("suites overhead", "[-rounds 10] [-compiler both|edited|plain] [-only name] [-dir scratch]")
	dir := command.Dir(flags)
	only := flags.String("only", "", "only the subject of this name")
	rounds := flags.Int("rounds", 10, "rounds")
	compiler := flags.String("compiler", "both", "compiler of the recorded program: edited, plain, or both")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	chosen := recordings(*compiler)
	if len(chosen) == 0 || *rounds < 1 {
		return command.Usage(flags)
	}
	over, err := compare(context.Background(), chosen, *dir, *only, *rounds, figures)
	command.Check(err)
	return command.Code(!over)
}

// compare measures the subjects, prints the table, and says whether a limit is passed.
func compare(ctx context.Context, chosen []build, dir, only string, rounds int, figures *command.Figures) (over bool, err error) {
	s, err := session.New(ctx, dir)
	if err != nil {
		return false, err
	}
	list, err := subjects(ctx, s, only)
	if err != nil {
		return false, err
	}
	m, err := newMeter(ctx, s)
	if err != nil {
		return false, err
	}
	fmt.Printf("%-12s %-7s %26s %26s %26s %s\n", "", "", "CPU", "wall", "peak memory", "raw records")
	fmt.Printf("%-12s %-7s %9s %8s %7s %9s %8s %7s %9s %8s %7s %7s %7s %11s %11s %6s\n", "subject", "build",
		"s", "x", "/race", "s", "x", "/race", "MB", "x", "/race", "MB", "MB/s", "records", "events", "B/event")
	builds := append([]build{plain, race}, chosen...)
	all := make([]summary, len(builds))
	for _, sub := range list {
		results, err := m.measure(ctx, sub, builds, rounds)
		if err != nil {
			return false, err
		}
		for i, r := range results {
			r.print(sub.name, builds[i])
			figures.Print(sub.name+"/build="+builds[i].name, r.figures()...)
			all[i].add(r)
		}
	}
	for i, b := range builds {
		over = all[i].print(b) || over
	}
	return over, nil
}

// summary collects the medians of the subjects in one build.
type summary struct{ times, raceTimes samples }

func (s *summary) add(r *result) {
	s.times.add(r.times.median())
	s.raceTimes.add(r.raceTimes.median())
}

// print prints the geometric means of a build, and says whether a limit is passed.
func (s *summary) print(b build) (over bool) {
	x, r := s.times.mean(), s.raceTimes.mean()
	fmt.Printf("%-12s %-7s %9s %8.2f %7.2f %9s %8.2f %7.2f %9s %8.2f %7.2f", "mean", b.name,
		"", x.cpu, r.cpu, "", x.wall, r.wall, "", x.peak, r.peak)
	if b.recorded {
		word := map[bool]string{false: "within", true: "over"}
		fmt.Printf("   CPU %s the limit of %.1f, wall %s that of %.1f",
			word[r.cpu > b.limit.cpu], b.limit.cpu, word[r.wall > b.limit.wall], b.limit.wall)
	}
	fmt.Println()
	return s.over(b)
}

// over says whether a recorded build is above a limit.
func (s *summary) over(b build) bool {
	r := s.raceTimes.mean()
	return b.recorded && (r.cpu > b.limit.cpu || r.wall > b.limit.wall)
}
