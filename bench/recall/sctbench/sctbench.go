// Package sctbench measures how many runs it takes to find the races and failures of small programs
// with threads, for several schedulers.
//
//	go -C bench run ./recall sctbench [-only part,part] [-methods name,name] [-seeds 20]
//		[-limit 100] [-time 60s] [-tests 1] [-dir scratch] [-presage command]
//
// The programs are those of the family CS of SCTBench (package programs/sctbench/thread says what
// they are). A line has, for each method, the number of runs up to the first one with a race, and
// up to the first one with a failure: the median over the seeds. A minus sign says that the median
// is above -limit, and a dot that the program has no race. The methods are
//
//	race     processes of the test, built with -race; a seed is a repetition
//	random   steered runs under the random walk, each predicted from,
//	pct      under PCT,
//	pos      under POS,
//	surw     and under SURW (package steer); the run that counts for it is the first
//	test     one presage test: 1 if it reports a race, or if the recorded run fails; -tests is how
//	         many there are, for the median
//	explore  presage explore
//
// A race and a failure of one program are found in different tests: where variables race, the
// failure is looked for with atomic variables, because steered runs have no scheduling point at a
// plain access.
package sctbench

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record/steer"
)

// bench is a call of the command.
type bench struct {
	*session.Session
	seeds, limit, tests int
	time                time.Duration
	steered             map[string]*steered // by package
	detectors           map[string]string   // tests built with -race, by package
}

// A method looks for a race or a failure in a test.
type method struct {
	name string
	// first returns the number of the run that has it; 0: none has
	first func(ctx context.Context, p *program, test string, want wanted, seed int) (int, error)
	seeds int
}

// wanted is what is looked for.
type wanted int

const (
	race wanted = iota
	failure
)

func (b *bench) methods() []method {
	sampled := func(kind steer.Kind) method {
		return method{kind.String(), func(ctx context.Context, p *program, test string, want wanted, seed int) (int, error) {
			return b.sample(ctx, p, test, want, seed, &kind)
		}, b.seeds}
	}
	return []method{
		{"race", b.detect, b.seeds},
		sampled(steer.Random), sampled(steer.PCT), sampled(steer.POS), sampled(steer.SURW),
		{"test", b.predict, b.tests},
		{"explore", func(ctx context.Context, p *program, test string, want wanted, seed int) (int, error) {
			return b.sample(ctx, p, test, want, seed, nil)
		}, b.seeds},
	}
}

// Main runs the programs.
func Main(args []string) int {
	flags := command.Flags("recall sctbench", "[-only part,part] [-methods name,name] [-seeds 20] [-limit 100] [-time 60s] [-tests 1] [-dir scratch] [-presage command]")
	b := &bench{steered: map[string]*steered{}, detectors: map[string]string{}}
	only := command.Only(flags, "programs")
	names := flags.String("methods", "", "methods, with commas between them; default: all")
	flags.IntVar(&b.seeds, "seeds", 20, "seeds of each method")
	flags.IntVar(&b.limit, "limit", 100, "runs for each seed, at most")
	flags.IntVar(&b.tests, "tests", 1, "calls of presage test for each program")
	flags.DurationVar(&b.time, "time", time.Minute, "time for the runs of each seed, at most")
	dir := command.Dir(flags)
	built := command.Presage(flags)
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	b.Session, err = session.With(ctx, *dir, *built)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(b.Dir)
	}
	defer b.close()
	methods := slices.DeleteFunc(b.methods(), func(m method) bool {
		return *names != "" && !slices.Contains(strings.Split(*names, ","), m.name)
	})
	fmt.Print(header(methods))
	whole := true
	for i := range programs {
		p := &programs[i]
		if !only.Match(p.name) {
			continue
		}
		line, err := b.measure(ctx, p, methods, figures)
		if err != nil {
			line, whole = fmt.Sprintf(" failed: %v", err), false
		}
		fmt.Printf("%-20s%s\n", p.name, line)
		if ctx.Err() != nil {
			break
		}
	}
	return command.Code(whole)
}

func header(methods []method) string {
	first, second := fmt.Sprintf("%-20s", ""), fmt.Sprintf("%-20s", "program")
	for _, m := range methods {
		first += fmt.Sprintf("  %-11s", m.name)
		second += fmt.Sprintf("  %5s %5s", "race", "fail")
	}
	return strings.TrimRight(first, " ") + "\n" + second + "\n"
}

// measure returns the numbers of a program.
func (b *bench) measure(ctx context.Context, p *program, methods []method, figures *command.Figures) (line string, err error) {
	raceTest, failureTest := p.tests()
	var all []command.Figure
	for _, m := range methods {
		for _, x := range []struct {
			want wanted
			test string
			unit string
		}{{race, raceTest, "race"}, {failure, failureTest, "failure"}} {
			space := " "
			if x.want == race {
				space = "  "
			}
			if x.test == "" {
				line += fmt.Sprintf("%s%5s", space, ".")
				continue
			}
			var runs []int
			for seed := 1; seed <= m.seeds; seed++ {
				n, err := m.first(ctx, p, x.test, x.want, seed)
				if err != nil {
					return "", fmt.Errorf("%s: %w", m.name, err)
				}
				runs = append(runs, n)
			}
			n, ok := command.MedianRun(runs)
			line += fmt.Sprintf("%s%5s", space, word(n, ok))
			if ok {
				all = append(all, command.Figure{Value: n, Unit: m.name + "-runs-to-" + x.unit})
			}
		}
	}
	figures.Print(p.name, all...)
	return line, nil
}

func word(n float64, ok bool) string {
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
