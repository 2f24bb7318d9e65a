// Package recipe measures presage on the programs of Table II of RECIPE's paper. The eleven small
// ones are written anew in Go from their descriptions: ConTest's critical, airline, account,
// pingpong, bbuffer, bubblesort, bufwriter and mergesort, and Java Grande's raytracer, montecarlo
// and moldyn. They are in programs/recipe. In place of the five large ones (ftpserver, jigsaw,
// sunflow, xalan, lusearch) are Go programs of the same kinds: programs/large.
//
//	go -C bench run ./recall recipe [-only name] [-races] [-dir scratch] [-presage command]
//	go -C bench run ./recall recipe -large [-faults] [-only name] ...
//
// The large programs are a module of their own, so that no other command of bench needs their forty
// dependencies. The modules that a program is about are recorded as well as the program.
//
// A program is recorded once; a small one on one processor, so that runs differ little. This one
// trace is analysed at each level, each time by a process of its own.
//
// # Columns
//
// They are the paper's, in its order:
//
//	Th         goroutines that run the program's code, main among them
//	Reads      reads of memory that several goroutines access and one writes; Writes as well
//	Base       those of these reads whose value an address is made of
//	Br         branches: that depend on such a read / all
//	Sync       operations on locks, conditions, channels, wait groups; go statements
//	Total      events of the program
//	RV         races of executions in which every read has its recorded value
//	Recipe-s   and of those in which reads differ, and every branch goes as recorded
//	Recipe     and of those in which a goroutine leaves its recorded path
//	Diff       found by Recipe and not by RV; Diff': the reverse
//	Recipe/RV  the ratio of the two columns; /Recipe-s: of Recipe and Recipe-s
//	s          CPU time of RV and of Recipe; MB: peak memory of Recipe
//
// A race is a pair of source positions and kinds. It has a reordering after which both accesses are
// next (the paper's O'(a) = O'(b)). RV is the paper's baseline with the branches that RECIPE's
// authors find in it: one before every shared access, so that all reads before a racing access keep
// their values. Presage has this as an analysis without a walk of the program.
//
// The paper's RV ⊆ Recipe-s ⊆ Recipe and Diff' = 0 are checked (the paper's own Diff' is not 0,
// because its solver gives up). A race that a level misses counts as lost unless the level gave up
// a pair or did not search the whole trace.
//
// # Seeded faults
//
// With -faults each large program is run, with a smaller workload, once for each line of
// faults.txt: without the synchronisation of one object (package seeded). One run can show a fault
// if the hybrid detector has a candidate that the original program has not, or -race or presage
// reports a race that it has not. Found means that presage reports one. The rule that chose the
// faults is that of flag -list.
//
// # Where the columns differ from the paper's
//
//   - A race of presage is a pair of accesses that Go's memory model leaves unordered. Column
//     causal is presage's own level: only reads on which a branch or an address depends keep their
//     values. Column ours has all races of level path. Of these, column observed has those that
//     the recorded run leaves unordered, and column unmet those of the observed races that have
//     no reordering with both accesses next to each other: RV, Recipe-s and Recipe leave them out.
//   - Column unknown counts pairs of accesses on which level path gave up.
//   - RV keeps the values of reads, from whichever write. So does its original.
//   - Recipe-s keeps the base objects of the recorded run, as the paper does. Recipe lets a base
//     object differ if the accesses that follow can be modelled: the paper's future work.
//   - Path exploration of the paper ends at recursion, collections, and calls of objects that are
//     not known. Ours follows recursion and calls up to bounds, and ends at maps and at calls of
//     code that is not recorded.
//   - Windows hold 10,000 events that matter, in place of 1,000 events.
//   - Local accesses, which the paper's Total has, are events of a trace only where the variable
//     may escape.
package recipe

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// programs are the rows of Table II that are here, in its order, with what it has for RECIPE's
// columns.
var programs = []string{"critical", "airline", "account", "pingpong", "bbuffer", "bubblesort", "bufwriter", "mergesort", "raytracer", "montecarlo", "moldyn"}

// Main prints the table.
func Main(args []string) int {
	flags := command.Flags("recall recipe", "[-large [-faults | -list]] [-only name] [-races] [-dir scratch] [-presage command]")
	only := flags.String("only", "", "only the program of this name")
	races := flags.Bool("races", false, "list the races of each level")
	isLarge := flags.Bool("large", false, "the large programs in place of the small ones")
	withFaults := flags.Bool("faults", false, "with -large: run each program with its seeded faults instead")
	list := flags.Bool("list", false, "with -large: print the seeded faults that the rule chooses")
	confirm := flags.String("confirm", "5m", "with -large: time for the replays of a program")
	raceRuns := flags.Int("n", 3, "with -faults: runs of Go's race detector")
	dir := command.Dir(flags)
	built := command.Presage(flags)
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	s, err := session.With(ctx, *dir, *built)
	command.Check(err)
	if *dir == "" {
		defer os.RemoveAll(s.Dir)
	}
	if *isLarge {
		var chosen []*program
		for _, p := range large {
			if *only == "" || p.name == *only {
				chosen = append(chosen, p)
			}
		}
		switch {
		case *list:
			for _, p := range chosen {
				command.Check(listFaults(ctx, s, p))
			}
			return 0
		case *withFaults:
			return faultTable(ctx, s, chosen, *confirm, *raceRuns, figures)
		}
		return largeTable(ctx, s, chosen, *confirm, figures, *races)
	}
	var rows []*row
	for _, name := range programs {
		if *only != "" && name != *only {
			continue
		}
		r, err := measure(ctx, s, name)
		if err != nil {
			return command.Fail(fmt.Errorf("%s: %w", name, err))
		}
		rows = append(rows, r)
	}
	return finish(rows, figures, *races)
}

// finish prints the rows. A lost race or an error of presage is a bad result.
func finish(rows []*row, figures *command.Figures, races bool) int {
	table(os.Stdout, rows)
	good := true
	for _, r := range rows {
		for _, level := range levels {
			a := r.found[level]
			figures.Print(r.name+"/level="+level, command.Count(len(a.adjacent()), "races"), command.Figure{Value: a.seconds, Unit: "cpu-s"}, command.Count(a.mb, "peak-MB"))
		}
		for _, k := range r.lost() {
			fmt.Println("lost:", r.name, k)
			good = false
		}
		if n := r.broken(); n > 0 {
			fmt.Println("errors of presage:", r.name, n)
			good = false
		}
		if races {
			r.list(os.Stdout)
		}
	}
	return command.Code(good)
}

// largeTable measures large programs.
func largeTable(ctx context.Context, s *session.Session, chosen []*program, confirm string, figures *command.Figures, races bool) int {
	var rows []*row
	for _, p := range chosen {
		r, err := measureLarge(ctx, s, p, confirm)
		if err != nil {
			return command.Fail(fmt.Errorf("%s: %w", p.name, err))
		}
		r.print()
		rows = append(rows, r.row)
	}
	return finish(rows, figures, races)
}

// faultTable runs large programs with their seeded faults.
func faultTable(ctx context.Context, s *session.Session, chosen []*program, confirm string, n int, figures *command.Figures) int {
	// A cache of their own: a cache keeps 16 instrumented programs, and a trace with modules needs
	// its own to be analysed again.
	command.Check(os.Setenv("PRESAGE_CACHE", filepath.Join(s.Dir, "cache")))
	var all []*fault
	for _, p := range chosen {
		fmt.Println(p.name)
		faults, err := runFaults(ctx, s, p, confirm, n)
		if err != nil {
			return command.Fail(fmt.Errorf("%s: %w", p.name, err))
		}
		all = append(all, faults...)
		printFaults(os.Stdout, faults)
	}
	if len(chosen) > 1 {
		fmt.Println("\nall")
		printFaults(os.Stdout, all)
	}
	return 0
}

// row is one program.
type row struct {
	name  string
	trace *shape
	found map[string]*analysis // by level
}

func measure(ctx context.Context, s *session.Session, name string) (*row, error) {
	file := filepath.Join(s.Dir, name+".trace")
	cmd := exec.CommandContext(ctx, s.Presage, "run", "-q", "-level", "none", "-o", file, "./programs/recipe/"+name)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("recording: %w\n%s", err, out)
	}
	pkg := "github.com/presage-race/presage/bench/programs/recipe/" + name
	return measureTrace(ctx, name, file, func(p string) bool { return p == pkg })
}

// measureTrace fills the row of a trace. Ours are the packages whose events are counted.
func measureTrace(ctx context.Context, name, file string, ours func(pkg string) bool) (*row, error) {
	r := &row{name: name, found: make(map[string]*analysis)}
	var err error
	if r.trace, err = shapeOf(ctx, file, ours); err != nil {
		return nil, err
	}
	for _, level := range levels {
		if r.found[level], err = analyseApart(ctx, file, level); err != nil {
			return nil, fmt.Errorf("level %s: %w", level, err)
		}
	}
	return r, nil
}

// lost are the races that a level has and a higher one has not, although it searched everything.
func (r *row) lost() (all []string) {
	for i, low := range levels {
		for _, high := range levels[i+1:] {
			if a := r.found[high]; a.Unknown == 0 && a.Unsearched == 0 {
				for _, k := range without(r.found[low].adjacent(), a.adjacent()) {
					all = append(all, low+" without "+high+": "+k)
				}
			}
		}
	}
	return all
}

// diff is the number of races of a level that another one has not.
func (r *row) diff(a, b string) int {
	return len(without(r.found[a].adjacent(), r.found[b].adjacent()))
}

// faults of presage itself: rejected witnesses, windows that refuse the recorded order,
// mismatches.
func (r *row) broken() (n int64) {
	for _, a := range r.found {
		n += a.Rejected + a.Refusing + a.Mismatches
	}
	return n
}
