// Package kernels measures what presage explore finds in small tests after published patterns of
// races, beside -race.
//
//	go -C bench run ./recall kernels [-only part,part] [-race-runs 100] [-time 60s] [-limit 3m]
//		[-dir scratch] [-presage command]
//
// Each package of bench/programs/kernels has a test with a data race, and one with the race
// repaired. In most runs one of the two accesses is not executed, or the runs order them, so -race
// misses it. A line has
//
//	-race     processes of the test, built with -race, that report a race
//	explore   found, if presage explore reports a race in the test; missed, if it reports none
//	first     the run in which the first race was found; of all kernels, the median,
//	          in which one that is missed is above all others; 0 if it is one of these
//	runs      recorded runs of the test, as presage explore counts them
//	CPU       seconds that presage explore took, with all its processes
//	fixed     of the repaired test: none, if presage explore says that it has no race in any
//	          schedule; open, if it reports no race and does not say that; FALSE for a race
//
// A process with -race waits at its end for late goroutines: 50 ms here, in place of a second. The
// exit code is 1 if a repaired test has a race.
package kernels

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// programs is the directory of the kernels.
const programs = "programs/kernels"

type bench struct {
	*session.Session
	time  string
	limit time.Duration
	runs  int // of each test under -race
}

// row is what was measured of one kernel, or of all.
type row struct {
	race  int // processes with a report
	test  explored
	fixed explored
}

// explored is what presage explore said about one test.
type explored struct {
	race, none bool // it reports a race; it says that no schedule has one
	first      int  // run with a race
	runs       int
	cpu        float64
}

// Main runs the kernels.
func Main(args []string) int {
	flags := command.Flags("recall kernels", "[-only part,part] [-race-runs 100] [-time 60s] [-limit 3m] [-dir scratch] [-presage command]")
	b := &bench{}
	only := command.Only(flags, "kernels")
	flags.IntVar(&b.runs, "race-runs", 100, "processes of each test under -race")
	flags.StringVar(&b.time, "time", "60s", "flag -time of presage explore")
	flags.DurationVar(&b.limit, "limit", 3*time.Minute, "time limit of one presage explore, with the build")
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
	kernels, err := os.ReadDir(programs)
	command.Check(err)
	fmt.Printf("%-12s %8s %-8s %5s %5s %6s %-6s %5s %6s\n", "kernel", "-race", "explore", "first", "runs", "CPU", "fixed", "runs", "CPU")
	whole := true
	var total row
	measured, found, none, wrong := 0, 0, 0, 0
	var firsts []int
	for _, k := range kernels {
		if !only.Match(k.Name()) {
			continue
		}
		r, err := b.kernel(ctx, k.Name())
		if err != nil {
			fmt.Printf("%-12s failed: %v\n", k.Name(), err)
			whole = false
			continue
		}
		r.print(k.Name(), b.runs, word(r.test.race, "found", "missed"), word(r.fixed.race, "FALSE", word(r.fixed.none, "none", "open")))
		total.add(r)
		measured++
		found += count(r.test.race)
		firsts = append(firsts, r.test.first)
		none += count(r.fixed.none && !r.fixed.race)
		wrong += count(r.fixed.race)
	}
	middle, _ := command.MedianRun(firsts)
	total.test.first = int(middle)
	total.print("all", b.runs*measured, fmt.Sprintf("%d/%d", found, measured), fmt.Sprintf("%d/%d", none, measured))
	figures.Print("kernels", command.Count(measured, "kernels"), command.Count(found, "found"), command.Count(total.race, "race-reports"),
		command.Count(none, "none-in-any-schedule"), command.Count(wrong, "false"), command.Count(total.test.first, "median-first-run"), command.Count(total.test.runs, "runs"), command.Figure{Value: total.test.cpu, Unit: "cpu-s"})
	return command.Code(whole && wrong == 0)
}

func (r *row) print(name string, of int, explore, fixed string) {
	fmt.Printf("%-12s %8s %-8s %5d %5d %6.1f %-6s %5d %6.1f\n", name, fmt.Sprintf("%d/%d", r.race, of), explore, r.test.first, r.test.runs, r.test.cpu, fixed, r.fixed.runs, r.fixed.cpu)
}

func (t *row) add(r *row) {
	t.race += r.race
	t.test.add(&r.test)
	t.fixed.add(&r.fixed)
}

func (t *explored) add(e *explored) {
	t.runs += e.runs
	t.cpu += e.cpu
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func word(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// kernel measures one kernel.
func (b *bench) kernel(ctx context.Context, name string) (*row, error) {
	pkg := "./" + programs + "/" + name
	test := "Test" + strings.ToUpper(name[:1]) + name[1:]
	r := &row{}
	var err error
	if r.race, err = b.race(ctx, name, pkg, test); err != nil {
		return nil, err
	}
	if r.test, err = b.explore(ctx, pkg, test); err != nil {
		return nil, err
	}
	r.fixed, err = b.explore(ctx, pkg, test+"Fixed")
	return r, err
}

// race counts the processes of a test that report a race.
func (b *bench) race(ctx context.Context, name, pkg, test string) (n int, err error) {
	if b.runs == 0 {
		return 0, nil
	}
	binary := filepath.Join(b.Dir, name+".test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-race", "-c", "-o", binary, pkg).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	defer os.Remove(binary)
	env := []string{"GORACE=atexit_sleep_ms=50"}
	for range b.runs {
		m, err := session.Measure(ctx, time.Minute, 0, b.Dir, env, binary, "-test.run=^"+test+"$")
		if err != nil {
			return 0, err
		}
		n += count(bytes.Contains(m.Stderr.Bytes(), []byte("DATA RACE")) || bytes.Contains(m.Stdout.Bytes(), []byte("DATA RACE")))
	}
	return n, nil
}

// explore runs presage explore on one test.
func (b *bench) explore(ctx context.Context, pkg, test string) (e explored, err error) {
	args := []string{b.Presage, "explore", "-json", "-vet=off", "-time", b.time, "-run", "^" + test + "$", pkg}
	m, err := session.Measure(ctx, b.limit, 10*time.Second, ".", nil, args...)
	if err != nil {
		return e, err
	}
	e.cpu = m.CPU.Seconds()
	if m.Late {
		return e, fmt.Errorf("presage explore of %s passed %v", test, b.limit)
	}
	return e, e.read(m.Stdout.Bytes(), m.Stderr.Bytes(), test)
}

// read reads what presage explore says about a test.
func (e *explored) read(stdout, stderr []byte, test string) error {
	o, err := session.Read(stdout)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, stderr)
	}
	e.race = len(o.Races) > 0
	for _, t := range o.Summary.Explored {
		if t.Test == test {
			e.none, e.first, e.runs = t.NoRace, t.FirstRace, t.Runs
			return nil
		}
	}
	return fmt.Errorf("presage explore says nothing about %s\n%s", test, stderr)
}
