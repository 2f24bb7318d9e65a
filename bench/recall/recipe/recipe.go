// Package recipe measures presage on RECIPE's small programs (Table II of the paper), written anew
// in Go from their descriptions: ConTest's critical, airline, account, pingpong, bbuffer,
// bubblesort, bufwriter and mergesort, and Java Grande's raytracer, montecarlo and moldyn. They
// are in programs/recipe. Each is recorded once, on one processor, so that runs differ little.
// This one trace is analysed at each level.
//
//	go -C bench run ./recall recipe [-only name] [-races] [-dir scratch] [-presage command]
//
// # Columns
//
// They are the paper's, in its order:
//
//	Th       goroutines that run the program's code, main among them
//	Reads    reads of memory that several goroutines access and one writes; Writes as well
//	Base     those of these reads whose value an address is made of
//	Br       branches: that depend on such a read / all
//	Sync     operations on locks, conditions, channels, wait groups; go statements
//	Total    events of the program
//	value    races at level value, the paper's Recipe-s; path: Recipe; causal: RV. A race is a
//	         pair of source lines and kinds
//	Diff     found at level path and not at level causal; Diff': the reverse
//	sec, MB  CPU time and peak memory of the analysis at the highest level; RV s: at causal
//
// Column observed is not in the paper: the number of the causal races that no synchronisation
// orders in the recorded run itself. The paper's definition of a race has no such case, since it
// requires two accesses next to each other.
package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// programs are the rows of Table II that are here, in its order, with what it has for RECIPE's
// columns.
var programs = []string{"critical", "airline", "account", "pingpong", "bbuffer", "bubblesort", "bufwriter", "mergesort", "raytracer", "montecarlo", "moldyn"}

// levels are analysed in this order; the highest that the command knows is RECIPE.
var levels = []string{"causal", "value", "path"}

// Main prints the table.
func Main(args []string) int {
	flags := command.Flags("recall recipe", "[-only name] [-races] [-dir scratch] [-presage command]")
	only := flags.String("only", "", "only the program of this name")
	races := flags.Bool("races", false, "list the races of the highest level")
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
	table(os.Stdout, rows)
	for _, r := range rows {
		for _, level := range levels {
			a := r.found[level]
			if a == nil {
				continue
			}
			figures.Print(r.name+"/level="+level, command.Count(len(a.Races), "races"), command.Figure{Value: a.seconds, Unit: "cpu-s"}, command.Count(a.mb, "peak-MB"))
		}
	}
	if *races {
		for _, r := range rows {
			r.list(os.Stdout)
		}
	}
	return 0
}

// row is one program.
type row struct {
	name  string
	trace *shape
	found map[string]*analysis // by level; nil: presage has no such level
}

// analysis is the analysis of a trace at one level.
type analysis struct {
	*session.Outcome
	seconds float64 // CPU
	mb      int64   // peak memory
}

func measure(ctx context.Context, s *session.Session, name string) (*row, error) {
	file := filepath.Join(s.Dir, name+".trace")
	cmd := exec.CommandContext(ctx, s.Presage, "run", "-q", "-level", "none", "-o", file, "./programs/recipe/"+name)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("recording: %w\n%s", err, out)
	}
	r := &row{name: name, found: make(map[string]*analysis)}
	var err error
	if r.trace, err = shapeOf(ctx, file, "github.com/presage-race/presage/bench/programs/recipe/"+name); err != nil {
		return nil, err
	}
	for _, level := range levels {
		if r.found[level], err = analyse(ctx, s, file, level); err != nil {
			return nil, fmt.Errorf("level %s: %w", level, err)
		}
	}
	return r, nil
}

// analyse has a trace analysed; nil if presage does not know the level.
func analyse(ctx context.Context, s *session.Session, file, level string) (*analysis, error) {
	cmd := exec.CommandContext(ctx, s.Presage, "analyze", "-trust", "-q", "-json", "-level", level, file)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		switch {
		case exit.ExitCode() == 2 && strings.Contains(string(exit.Stderr), "is none of"):
			return nil, nil
		case exit.ExitCode() != 3:
			return nil, fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
	} else if err != nil {
		return nil, err
	}
	o, err := session.Read(out)
	if err != nil {
		return nil, err
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return &analysis{o, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), use.Maxrss >> 10}, nil
}

// top is the analysis at the highest level that presage knows.
func (r *row) top() *analysis {
	var top *analysis
	for _, level := range levels {
		if a := r.found[level]; a != nil {
			top = a
		}
	}
	return top
}

// key is a pair of positions and kinds. IDs are not used, because they number the pairs.
func key(r *report.Race) string {
	return fmt.Sprintf("%v %s %v %s", r.A.Position, r.A.Kind, r.B.Position, r.B.Kind)
}

// without counts the races of a that b does not have.
func without(a, b *analysis) (n int) {
	has := make(map[string]bool)
	for _, r := range b.Races {
		has[key(r)] = true
	}
	for _, r := range a.Races {
		if !has[key(r)] {
			n++
		}
	}
	return n
}
