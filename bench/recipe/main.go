// Command recipe measures presage on RECIPE's small programs (Table II of the paper), written anew
// in Go from their descriptions: ConTest's critical, airline, account, pingpong, bbuffer,
// bubblesort, bufwriter and mergesort, Java Grande's raytracer, montecarlo and moldyn. Each is
// recorded once, in an ordinary run on one processor (so that the run is much the same each time),
// and this one trace is analysed at each level.
//
//	go run ./bench/recipe [-only name] [-races] [-dir scratch] [-presage command]
//
// # Columns
//
// They are the paper's, in its order:
//
//	Th       goroutines that run the program's code, main among them
//	Reads    reads of memory that several goroutines access and one writes; Writes as well
//	Base     of these reads, those whose value an address is made of
//	Br       branches: that depend on such a read / all
//	Sync     operations on locks, conditions, channels, wait groups; go statements
//	Total    events of the program
//	value    races at level value, the paper's Recipe-s; path: at level path, Recipe; causal: RV. A race is a pair of positions and kinds
//	Diff     found at level path and not at level causal; Diff': the other way about
//	sec, MB  user and system time and peak memory of the analysis at the highest level; RV s: at level causal
//
// Observed is not in the paper: how many of the causal ones no synchronisation orders in the
// recorded run itself. Its definition of a race has no such thing, since it asks for two accesses
// next to each other.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/presage-race/presage/bench/session"
	"github.com/presage-race/presage/internal/report"
)

// programs are the rows of Table II that are here, in its order, with what it has for RECIPE's
// columns.
var programs = []string{"critical", "airline", "account", "pingpong", "bbuffer", "bubblesort", "bufwriter", "mergesort", "raytracer", "montecarlo", "moldyn"}

// levels are analysed in this order; the highest that the command knows is RECIPE.
var levels = []string{"causal", "value", "path"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("recipe: ")
	only := flag.String("only", "", "only the program of this name")
	races := flag.Bool("races", false, "list the races of the highest level")
	dir := flag.String("dir", "", "scratch directory")
	command := flag.String("presage", "", "a presage that is built already")
	flag.Parse()
	ctx := context.Background()
	s, err := newSession(ctx, *dir, *command)
	if err != nil {
		log.Fatal(err)
	}
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
			log.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	table(os.Stdout, rows)
	if *races {
		for _, r := range rows {
			r.list(os.Stdout)
		}
	}
}

func newSession(ctx context.Context, dir, command string) (*session.Session, error) {
	if command == "" {
		return session.New(ctx, dir)
	}
	if dir == "" {
		d, err := os.MkdirTemp("", "presage-bench-")
		if err != nil {
			return nil, err
		}
		dir = d
	}
	command, err := filepath.Abs(command)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	return &session.Session{Presage: command, Dir: dir}, err
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
	cmd := exec.CommandContext(ctx, s.Presage, "run", "-q", "-level", "none", "-o", file, "./bench/recipe/"+name)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("recording: %w\n%s", err, out)
	}
	r := &row{name: name, found: make(map[string]*analysis)}
	var err error
	if r.trace, err = shapeOf(ctx, file, "github.com/presage-race/presage/bench/recipe/"+name); err != nil {
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

// key is a pair of positions and kinds. IDs are not used: they tell pairs apart by number.
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
