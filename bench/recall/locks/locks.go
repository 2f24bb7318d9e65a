// Package locks measures what presage finds in real test suites from which one lock was taken.
//
//	go -C bench run ./recall locks [-only part,part] [-from 0] [-seeds 3] [-confirm 2m]
//		[-limit 10m] [-effort 3000] [-dir scratch] [-presage command]
//
// For each suite of bench/internal/suites, and each seed, a mutex or RWMutex of the module loses
// its operations (package seeded). Which one is drawn with the seed from those in whose Lock the
// tests come, as the tests' coverage says. The suite is run once under presage. A line has
//
//	lock         the variable
//	tests        ok, or failed: without the lock the tests need not pass
//	observed     races that are unordered in the recorded run
//	predicted    races that were predicted with every read keeping its value
//	by value     in which reads return other values
//	by path      in which goroutines leave their recorded paths
//	confirmed    of the predicted ones, those that a replay confirms; and those that none confirms
//
// Races that the suite has with all its locks count in each line; seed 0 is the suite unchanged.
package locks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/bench/internal/suites"
	"github.com/presage-race/presage/internal/report"
)

type bench struct {
	*session.Session
	confirm string
	effort  int
	limit   time.Duration
	total   row
}

// row is what one run has found.
type row struct {
	lock                                 string
	failed                               bool
	observed, predicted, byValue, byPath int
	confirmed, unconfirmed               int
	seconds                              float64
}

// Main runs the suites.
func Main(args []string) int {
	flags := command.Flags("recall locks", "[-only part,part] [-from 0] [-seeds 3] [-confirm 2m] [-limit 10m] [-effort 3000] [-dir scratch] [-presage command]")
	b := &bench{}
	only := command.Only(flags, "suites")
	from := flags.Int("from", 0, "the first seed that is run; 0: the suite unchanged")
	seeds := flags.Int("seeds", 3, "locks that are taken from each suite, one at a time")
	flags.StringVar(&b.confirm, "confirm", "2m", "flag -confirm of presage")
	flags.IntVar(&b.effort, "effort", 3000, "flag -effort of presage")
	flags.DurationVar(&b.limit, "limit", 10*time.Minute, "time limit of a run of presage")
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
	list, err := suites.All()
	command.Check(err)
	fmt.Printf("%-10s %4s %-44s %-6s %8s %9s %8s %7s %9s %6s\n", "suite", "seed", "lock", "tests", "observed", "predicted", "by value", "by path", "confirmed", "s")
	whole := true
	for _, u := range list {
		if !only.Match(u.Name) {
			continue
		}
		if err := b.suite(ctx, u, *from, *seeds); err != nil {
			fmt.Printf("%-10s failed: %v\n", u.Name, err)
			whole = false
		}
	}
	t := &b.total
	b.print("all", "", t)
	figures.Print("locks", command.Count(t.observed, "observed"), command.Count(t.predicted, "predicted"), command.Count(t.byValue, "by-value"), command.Count(t.byPath, "by-path"), command.Count(t.confirmed, "confirmed"), command.Count(t.unconfirmed, "unconfirmed"))
	return command.Code(whole)
}

func (b *bench) print(suite, seed string, r *row) {
	tests := "ok"
	if r.failed {
		tests = "failed"
	}
	fmt.Printf("%-10s %4s %-44s %-6s %8d %9d %8d %7d %9s %6.0f\n", suite, seed, r.lock, tests, r.observed, r.predicted, r.byValue, r.byPath,
		fmt.Sprintf("%d of %d", r.confirmed, r.confirmed+r.unconfirmed), r.seconds)
}

// suite runs a suite unchanged, and without each of some locks.
func (b *bench) suite(ctx context.Context, u *suites.Suite, from, seeds int) error {
	dir, err := u.Source(ctx, b.Session)
	if err != nil {
		return err
	}
	locks, err := executed(ctx, u, dir)
	if err != nil {
		return err
	}
	if from == 0 {
		r, err := b.run(ctx, u, dir)
		if err != nil {
			return err
		}
		b.print(u.Name, "0", r)
	}
	for n := range min(seeds, len(locks)) {
		rng := rand.New(rand.NewPCG(uint64(n+1), 0))
		k := rng.IntN(len(locks))
		lock := locks[k]
		locks = slices.Delete(locks, k, k+1)
		if n+1 < from {
			continue
		}
		r, err := b.without(ctx, u, dir, lock)
		if err != nil {
			return fmt.Errorf("%s: %w", lock.Name, err)
		}
		b.print(u.Name, fmt.Sprint(n+1), r)
		b.total.add(r)
	}
	return nil
}

func (t *row) add(r *row) {
	t.observed += r.observed
	t.predicted += r.predicted
	t.byValue += r.byValue
	t.byPath += r.byPath
	t.confirmed += r.confirmed
	t.unconfirmed += r.unconfirmed
	t.seconds += r.seconds
}

// executed lists the locks that can be taken out and that the tests lock.
func executed(ctx context.Context, u *suites.Suite, dir string) ([]*seeded.Seed, error) {
	flags, patterns := u.Arguments(), []string(nil)
	if i := slices.IndexFunc(flags, func(a string) bool { return !strings.HasPrefix(a, "-") }); i >= 0 {
		flags, patterns = flags[:i], flags[i:]
	}
	all, err := seeded.Find(ctx, dir, nil, patterns...)
	if err != nil {
		return nil, err
	}
	profile := filepath.Join(dir, "..", "locks.cover")
	cover := slices.Concat([]string{"go", "test", "-vet=off", "-coverpkg=./...", "-coverprofile=" + profile}, flags, patterns)
	if _, err := session.Measure(ctx, 10*time.Minute, 0, dir, nil, cover...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, errors.Join(errors.New("the tests have no coverage"), err)
	}
	lines := covered(text)
	return slices.DeleteFunc(all, func(s *seeded.Seed) bool {
		return s.Kept != "" || s.Operator != seeded.Mutex || !slices.ContainsFunc(lines, func(l line) bool { return s.Within(u.Path, l.file, l.from, l.to) })
	}), nil
}

// line is a stretch of lines that the tests execute, in a file named by its package's import path.
type line struct {
	file     string
	from, to int
}

// covered reads a coverage profile.
func covered(text []byte) (list []line) {
	for row := range bytes.Lines(text) {
		file, rest, ok := strings.Cut(string(row), ":")
		var l line
		var c1, c2, n, count int
		if k, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &l.from, &c1, &l.to, &c2, &n, &count); ok && k == 6 && count > 0 {
			l.file = file
			list = append(list, l)
		}
	}
	return list
}

// without runs a suite in a copy without a lock.
func (b *bench) without(ctx context.Context, u *suites.Suite, dir string, lock *seeded.Seed) (*row, error) {
	scratch, err := os.MkdirTemp(b.Dir, "lock")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	copied := filepath.Join(scratch, filepath.Base(dir))
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return nil, err
	}
	if err := lock.Drop(copied); err != nil {
		return nil, err
	}
	r, err := b.run(ctx, u, copied)
	if r != nil {
		r.lock = lock.Name
	}
	return r, err
}

// run runs presage on a suite.
func (b *bench) run(ctx context.Context, u *suites.Suite, dir string) (*row, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	start := time.Now()
	o, err := b.Test(ctx, dir, nil, slices.Concat([]string{"-q", "-vet=off", "-confirm=" + b.confirm, fmt.Sprintf("-effort=%d", b.effort)}, u.Arguments())...)
	if err != nil {
		return nil, err
	}
	r := &row{failed: o.Summary.ProgramCode != 0, seconds: time.Since(start).Seconds()}
	for _, race := range o.Races {
		switch race.Proof() {
		case report.Observed:
			r.observed++
			continue
		case report.ByValue:
			r.byValue++
		case report.ByPath:
			r.byPath++
		default:
			r.predicted++
		}
		if race.Tier == report.Confirmed {
			r.confirmed++
		} else {
			r.unconfirmed++
		}
	}
	return r, nil
}
