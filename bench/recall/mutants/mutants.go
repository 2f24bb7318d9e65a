// Package mutants compares presage with go test -race on mutants of real modules. A mutant
// removes, narrows or weakens the synchronisation at one point of the source.
//
//	go -C bench run ./recall mutants [-state file] [-dir scratch] [-only part,part] [-limit n]
//		[-seed n]
//		[-tools race,hb,default] [-runs n] [-extra n]
//		[-presage command] [-confirm 2m] [-timeout 10m]
//	go -C bench run ./recall mutants -list [-only part,part]
//	go -C bench run ./recall mutants -table -state file
//
// modules.txt lists the modules and which of their tests are run.
//
// # Mutants
//
//   - A mutant changes one operation or one critical section. The file is not a test, and the
//     tests execute the line. Lines keep their numbers. The operators are:
//
//     unlock    a Lock and its Unlocks are removed: one critical section has no lock
//     runlock   the same for an RLock and its RUnlocks
//     rlock     the Lock of a sync.RWMutex becomes RLock
//     early     an Unlock moves up, before the last statement of its critical section
//     late      a Lock moves down, after the first statement of its critical section
//     plain     an atomic Load, Store or Add becomes a plain read or write
//     wait      a Wait of a sync.WaitGroup is removed
//     receive   a receive whose value is not used is removed
//
// A critical section is part of one statement list: from Lock to Unlock, or from Lock and defer
// Unlock to the end of the list. Unlocks in nested statements belong to it. Sections that lock
// again, or unlock in a function literal, are left out.
//
// -seed determines the random order of the candidates. A mutant counts if it compiles and its
// tests pass once without a detector. The first -limit mutants of each module are used. A module
// is dropped if without a change its tests pass in none of three plain runs or in no run of
// -race, or if any run of -race reports a race.
//
// # Racing locations
//
// A detector reports a race as two accesses. Pairs of lines are too strict a measure: a variable
// rarely has only one racing pair, and which one is reported varies from run to run. Variables
// cannot be compared, because -race prints only an address. So:
//
//   - Locations: lines are nodes, and each race that any run of -race reports on a mutant is an
//     edge. A racing location is a connected component. Most components are the uses of one
//     variable. Two variables that are used in one line share a location, and one variable can
//     have several locations. Both happen to all detectors alike.
//   - Match: a race is at a location if one of its accesses is on a line of the location, and the
//     other is on such a line or in a function that has one: the same declared function in the
//     same file. The second half accepts another use of the variable in the same function. The
//     first half keeps other variables apart.
//   - Lines: the line of an access is that of the innermost frame in a file of the module. Both
//     detectors see accesses inside the standard library or a dependency, but presage reports the
//     call that makes them. If the stack has no frame in the module, the line is that of the
//     innermost frame outside the runtime and package sync. The state file keeps the innermost
//     frame as well. Where a stack is lost the line is unknown. So is that of an atomic operation
//     under -race, whose stack lacks the function that makes the operation. An unknown line is
//     near every line.
//   - Alone: races of presage at no location of -race are grouped among themselves as above, and
//     counted as found by presage alone. Groups that presage also reports on the unchanged module
//     are counted apart. If no replay confirmed a race of a group, -race is run -extra times more.
//     What is still reported by presage alone is listed for a human.
//
// Level hb is presage test -level hb -confirm=off. Level default is presage test without -level.
// The row observed has those races of the default level that are unordered in the recorded run
// itself.
//
// # Races that are rare
//
// Races that -race finds in some run of many: give -race three runs, then fifty to the mutants on
// which these have none, and presage one:
//
//	go -C bench run ./recall mutants -state file -tools race
//	go -C bench run ./recall mutants -state file -tools race -quiet -runs 50
//	go -C bench run ./recall mutants -state file -tools default -quiet -runs 1
//
// # State
//
// Each run of a tool adds one line to the file of -state: module, mutant, tool, number of the
// run, outcome, seconds, races as JSON. What is in the file is not run again. So an experiment
// can be stopped and continued, and -tools=hb,default adds presage to the mutants that -race was
// run on, and to no others. Several commands may add to one file at the same time if they run
// different modules (-only). A mutant is named by operator and position. The seed determines only
// the order, and mutants of the file come first.
package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// operators are all operators, in the order of the table.
var operators = []string{"unlock", "runlock", "rlock", "early", "late", "plain", "wait", "receive"}

type bench struct {
	session *session.Session
	state   *state
	runs    int
	extra   int
	limit   int
	tools   []string
	seed    uint64
	confirm string
	raced   bool
	quiet   bool
	timeout time.Duration
	places  places
}

// Main runs the tools on mutants, or lists mutants or results.
func Main(args []string) int {
	flags := command.Flags("recall mutants", "[-state file] [-dir scratch] [-only part,part] [-limit n] [-tools race,hb,default] [-runs n] [-list | -table] [more flags]")
	b := &bench{}
	dir := command.Dir(flags)
	stateName := flags.String("state", "", "file that keeps what was run")
	only := command.Only(flags, "modules")
	flags.IntVar(&b.limit, "limit", 15, "mutants of a module")
	flags.Uint64Var(&b.seed, "seed", 1, "seed of the order of a module's mutants")
	tools := flags.String("tools", "race,hb,default", "tools to run on a mutant whose tests pass, with commas between them; empty: only the plain run")
	flags.IntVar(&b.runs, "runs", 3, "runs of each tool on a mutant")
	flags.IntVar(&b.extra, "extra", 5, "additional runs of -race where presage alone reports a location that no replay confirmed")
	built := command.Presage(flags)
	flags.StringVar(&b.confirm, "confirm", "2m", "flag -confirm of presage at the default level")
	flags.DurationVar(&b.timeout, "timeout", 10*time.Minute, "time limit for a run of presage")
	flags.BoolVar(&b.raced, "raced", false, "only mutants on which the state has a race of -race")
	flags.BoolVar(&b.quiet, "quiet", false, fmt.Sprintf("only mutants on which the state has %d runs of -race, and no race in the first %[1]d", usual))
	show := flags.Bool("list", false, "list the mutants and run nothing but the tests' coverage")
	table := flags.Bool("table", false, "print the table of -state and run nothing")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	b.state, err = openState(*stateName)
	command.Check(err)
	if *table {
		printState(b.state, figures)
		return 0
	}
	command.Check(b.open(ctx, *tools, *dir, *built, *show))
	modules, err := parse(list)
	command.Check(err)
	fmt.Printf("seed %d\n", b.seed)
	whole := b.modules(ctx, modules, only, *show)
	if !*show {
		printState(b.state, figures)
	}
	return command.Code(whole)
}

// open reads the names of the tools and builds presage if one of them needs it.
func (b *bench) open(ctx context.Context, tools, dir, built string, show bool) (err error) {
	for _, t := range strings.Split(tools, ",") {
		if t == "" {
			continue
		}
		if !slices.Contains([]string{"race", "hb", "default"}, t) {
			return fmt.Errorf("-tools: no tool %q", t)
		}
		b.tools = append(b.tools, t)
	}
	b.session, err = newSession(ctx, dir, built, show || !slices.ContainsFunc(b.tools, func(t string) bool { return t != "race" }))
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	env := strings.Fields(string(out))
	b.places = places{goroot: env[0], cache: env[1]}
	return nil
}

// modules runs the tools on the mutants of modules, and reports whether that worked for all.
func (b *bench) modules(ctx context.Context, list []*module, only *command.Parts, show bool) (whole bool) {
	whole = true
	for _, m := range list {
		if ctx.Err() != nil {
			break
		}
		if !only.Match(m.path) {
			continue
		}
		if err := b.module(ctx, m, show); err != nil {
			fmt.Printf("%s failed: %v\n", m, err)
			whole = false
		}
	}
	return whole
}

// printState prints the table of a state.
func printState(st *state, figures *command.Figures) {
	t := summarise(st)
	t.print(os.Stdout, st)
	for _, l := range levels {
		s := t.levels[l]
		figures.Print("level="+l, command.Count(s.mutants, "mutants"), command.Count(t.often, "often"), command.Count(s.often.some, "often-found"), command.Count(t.once, "once"), command.Count(s.once.some, "once-found"), command.Count(s.alone, "alone"))
	}
}

// tries is how often the tests of an unchanged module are run until they pass plain.
const tries = 3

// newSession builds presage if it is needed and not given.
func newSession(ctx context.Context, dir, built string, unneeded bool) (*session.Session, error) {
	if built != "" || !unneeded {
		return session.With(ctx, dir, built)
	}
	dir, err := session.Scratch(dir)
	return &session.Session{Dir: dir}, err
}

// module runs the tools on the mutants of one module.
func (b *bench) module(ctx context.Context, m *module, show bool) error {
	if why := b.state.dropped(m.String()); why != "" {
		fmt.Printf("%s dropped: %s\n", m, why)
		return nil
	}
	if err := m.fetch(ctx, b.session); err != nil {
		return err
	}
	list, tests, err := m.mutants(ctx, b.seed)
	if err != nil {
		return err
	}
	list = b.chosen(m, list, show)
	fmt.Printf("%s: %d candidates\n", m, len(list))
	if show {
		for _, x := range list {
			fmt.Printf("  %-40s %s in %s\n", x.id(), x.what, x.fn)
		}
		return nil
	}
	r := &runner{module: m, places: b.places, scratch: filepath.Dir(m.dir), presage: b.session.Presage, confirm: b.confirm, limit: b.timeout}
	r.places.dir = m.dir
	if err := b.mutant(ctx, r, &mutant{op: original, tests: tests}); err != nil {
		return err
	}
	if why := b.state.dropped(m.String()); why != "" {
		fmt.Printf("%s dropped: %s\n", m, why)
		return nil
	}
	used := 0
	for _, x := range list {
		if used == b.limit {
			break
		}
		if err := b.mutant(ctx, r, x); err != nil {
			return fmt.Errorf("%s: %w", x.id(), err)
		}
		if b.state.passes(m.String(), x.id()) {
			used++
		}
	}
	return nil
}

// chosen returns the mutants that the flags ask for, those that the state has first.
func (b *bench) chosen(m *module, list []*mutant, show bool) []*mutant {
	// What was executed varies from run to run; what the state has stays.
	known := func(x *mutant) bool { return len(b.state.find(m.String(), x.id(), "plain")) > 0 }
	list = slices.DeleteFunc(list, func(x *mutant) bool { return !x.executed && !known(x) })
	slices.SortStableFunc(list, func(x, y *mutant) int {
		switch {
		case known(x) == known(y):
			return 0
		case known(x):
			return -1
		}
		return 1
	})
	if !show && len(b.tools) > 0 && !slices.Contains(b.tools, "race") {
		list = slices.DeleteFunc(list, func(x *mutant) bool { return len(b.state.find(m.String(), x.id(), "race")) == 0 })
	}
	if b.raced {
		list = slices.DeleteFunc(list, func(x *mutant) bool {
			return !slices.ContainsFunc(b.state.find(m.String(), x.id(), "race"), func(r *row) bool { return len(r.races) > 0 })
		})
	}
	if b.quiet {
		list = slices.DeleteFunc(list, func(x *mutant) bool { return !b.state.quiet(m.String(), x.id()) })
	}
	return list
}

// mutant runs what the state lacks on one mutant, and prints a line.
func (b *bench) mutant(ctx context.Context, r *runner, m *mutant) error {
	name := r.module.String()
	err := r.in(m, func() error {
		most := 1
		if m.op == original { // one flaky test is no reason to drop a module
			most = tries
		}
		for n := 1; n <= most && !b.state.passes(name, m.id()); n++ {
			if err := b.repeat(name, m, "plain", n, func() (string, []race, error) {
				outcome, err := r.plain(ctx, m.tests)
				return outcome, nil, err
			}); err != nil {
				return err
			}
		}
		if !b.state.passes(name, m.id()) {
			return nil
		}
		again := func() (string, []race, error) { return r.race(ctx, m.tests) }
		for _, tool := range b.tools {
			do := again
			if tool != "race" {
				do = func() (string, []race, error) { return r.predict(ctx, tool, m.tests) }
			}
			if err := b.repeat(name, m, tool, b.runs, do); err != nil {
				return err
			}
		}
		runs := b.state.runs(name, m.id())
		if m.op == original || len(runs["race"]) == 0 {
			return nil
		}
		if v := judge(runs, b.state.runs(name, original)); slices.ContainsFunc(v.alone, alone.suspicious) {
			return b.repeat(name, m, "extra", b.extra, again)
		}
		return nil
	})
	if err == nil {
		fmt.Println(b.line(name, m))
	}
	return err
}

// repeat runs a tool until the state has n runs of it.
func (b *bench) repeat(module string, m *mutant, tool string, n int, do func() (string, []race, error)) error {
	for i := len(b.state.find(module, m.id(), tool)); i < n; i++ {
		start := time.Now()
		outcome, races, err := do()
		if err != nil {
			return err
		}
		if err := b.state.add(&row{module, m.id(), tool, i + 1, outcome, time.Since(start).Seconds(), races}); err != nil {
			return err
		}
	}
	return nil
}

// line says what became of a mutant: outcomes by tool, and each location of -race with the number
// of runs that have it.
func (b *bench) line(module string, m *mutant) string {
	text := fmt.Sprintf("%s %s", module, m.id())
	if m.fn != "" {
		text += fmt.Sprintf(" (%s in %s)", m.what, m.fn)
	}
	for _, tool := range []string{"plain", "race", "hb", "default", "extra"} {
		var outcomes []string
		for _, r := range b.state.find(module, m.id(), tool) {
			outcomes = append(outcomes, r.outcome)
		}
		if len(outcomes) > 0 {
			text += fmt.Sprintf("; %s %s", tool, strings.Join(outcomes, " "))
		}
	}
	v := judge(b.state.runs(module, m.id()), b.state.runs(module, original))
	for _, f := range v.found {
		text += fmt.Sprintf("; [%s: -race %d, hb %d, default %d]", f.name(), f.race, f.level["hb"], f.level["default"])
	}
	for _, a := range v.alone {
		text += fmt.Sprintf("; [%s: presage alone, hb %d, default %d]", a.name(), a.level["hb"], a.level["default"])
	}
	return text
}
