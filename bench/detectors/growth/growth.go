// Package growth measures how the time and the memory of presage analyze grow with the events, the
// goroutines and the locks of a trace.
//
//	go -C bench run ./detectors growth [-only part,part] [-level path,hb] [-dir scratch]
//		[-cpuprofile dir] [-benchfmt]
//
// Traces are those of package synthetic, each with five seeded races. A process of its own
// analyses each. Three series change one number and leave the others as they are:
//
//	events      1 to 30 million; 16 goroutines, 64 locks
//	goroutines  10 to 100,000, all alive together; 3 million events, 64 locks
//	locks       10 to a million; 3 million events, 16 goroutines, critical sections of 2 accesses
//
// The number of variables stays near 40,000, so that the memory of the program does not grow. With
// more locks than that, each has one variable.
//
// CPU time is user and system time of the process. Memory is its largest resident set.
//
// The exit code is 1 if an analysis fails, or does not find exactly the seeded races. Level hb may
// find fewer, because critical sections order the two accesses of some.
package growth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/bench/internal/synthetic"
)

// Main measures the rows that -only names.
func Main(args []string) int {
	flags := command.Flags("detectors growth", "[-only part,part] [-level path,hb] [-dir scratch] [-cpuprofile dir]")
	only := command.Only(flags, "rows")
	levels := flags.String("level", "path,hb", "levels of analysis, with commas between them")
	dir := command.Dir(flags)
	profiles := flags.String("cpuprofile", "", "directory for CPU profiles of presage")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{levels: strings.Split(*levels, ","), profiles: *profiles, figures: figures}
	if *profiles != "" {
		command.Check(os.MkdirAll(*profiles, 0o777))
	}
	var err error
	b.Session, err = session.New(ctx, *dir)
	command.Check(err)
	whole := true
	fmt.Printf("%-20s %-5s %9s %10s %8s %8s %9s %8s %6s %8s\n", "row", "level", "events", "goroutines", "locks", "CPU s", "CPU s/M", "peak MB", "races", "unknown")
	for _, s := range sizes() {
		if only.Match(s.name) && ctx.Err() == nil {
			if err := b.trace(ctx, s); err != nil {
				log.Printf("%s: %v", s.name, err)
				whole = false
			}
		}
	}
	if *dir == "" {
		os.RemoveAll(b.Dir)
	}
	return command.Code(whole)
}

// size is one trace.
type size struct {
	name string
	synthetic.Config
}

// variables is the number of those of all goroutines, and of all locks.
const variables = 20_000

// sizes are the rows of the table.
func sizes() (list []size) {
	add := func(series string, n, events, threads, locks, section int) {
		c := synthetic.Default
		c.Events, c.Threads, c.Locks, c.Section = events, threads, locks, section
		c.Kinds = min(locks, 64)
		c.Vars, c.Own = max(1, variables/locks), max(1, variables/threads)
		list = append(list, size{fmt.Sprintf("%s=%d", series, n), c})
	}
	const million = 1_000_000
	for _, n := range []int{1, 3, 10, 30} {
		add("events", n*million, n*million, 16, 64, 20)
	}
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		add("goroutines", n, 3*million, n, 64, 20)
	}
	for _, n := range []int{10, 100, 1000, 10_000, 100_000, million} {
		add("locks", n, 3*million, 16, n, 2)
	}
	return list
}

type bench struct {
	*session.Session
	levels   []string
	profiles string
	figures  *command.Figures
}

// trace makes one trace and analyses it at each level.
func (b *bench) trace(ctx context.Context, s size) error {
	name := filepath.Join(b.Dir, "growth.std")
	defer os.Remove(name)
	f, err := os.Create(name)
	if err == nil {
		err = errors.Join(synthetic.Write(f, s.Config), f.Close())
	}
	if err != nil {
		return err
	}
	for _, level := range b.levels {
		err = errors.Join(err, b.analyse(ctx, s, name, level))
	}
	return err
}

// analyse runs presage once and prints its row.
func (b *bench) analyse(ctx context.Context, s size, name, level string) error {
	cmd := exec.CommandContext(ctx, b.Presage, "analyze", "-json", "-q", "-level", level, name)
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	cmd.Env = os.Environ()
	if b.profiles != "" {
		cmd.Env = append(cmd.Env, "PRESAGE_CPUPROFILE="+filepath.Join(b.profiles, s.name+"-"+level+".prof"))
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	o, err := session.Read(out.Bytes())
	if err != nil {
		return fmt.Errorf("level %s: %w\n%s", level, err, text.Bytes())
	}
	m, ps := &o.Summary, cmd.ProcessState
	cpu, peak := (ps.UserTime() + ps.SystemTime()).Seconds(), float64(ps.SysUsage().(*syscall.Rusage).Maxrss)/1024
	millions := max(1e-6, float64(m.Events)/1e6)
	fmt.Printf("%-20s %-5s %9d %10d %8d %8.1f %9.2f %8.0f %6d %8d\n", s.name, level, m.Events, m.Goroutines, s.Locks, cpu, cpu/millions, peak, m.Races, m.Undecided)
	b.figures.Print(s.name+"/level="+level, command.Figure{Value: cpu, Unit: "cpu-s"}, command.Figure{Value: cpu / millions, Unit: "cpu-s/Mevent"},
		command.Figure{Value: peak, Unit: "peak-MB"}, command.Count(m.Races, "races"), command.Count(m.Undecided, "unknown"))
	if level != "hb" && m.Races != s.Races || m.Races > s.Races {
		// hb finds those that nothing orders in the run
		return fmt.Errorf("level %s: %d races, and %d are seeded", level, m.Races, s.Races)
	}
	return nil
}
