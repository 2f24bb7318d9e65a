package leftout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/internal/record"
)

// campaign is the experiment on the modules of modules.txt: the programs as they are, then with
// races that are seeded, by turns: an object of each module, then the next of each, so that
// whenever the time is over all modules have had their share. Modules run side by side, the
// programs of one after the other: they are built at the same place, so the go command builds anew
// what has changed.
type campaign struct {
	*bench
	operators []seeded.Operator // none: no seeds
	until     time.Time         // after which no program is begun
	each      time.Duration     // of one
	// of unchanged programs only the uses of objects are recorded
	bare bool

	mu    sync.Mutex
	save  *os.File // a line for each program, at once
	done  map[string]*outcome
	all   []*outcome
	seeds []*seeds
}

// outcome is what became of one program.
type outcome struct {
	Subject  string
	Number   int // of the subject in modules.txt
	Operator seeded.Operator
	Name     string // of the object; "": the program as it is
	How      string // ran, panicked, timed out (its tests), stopped (after each), failed, not run
	Why      string
	Seconds  float64
	Rows     []row // by variant

	used []*used
}

func (o *outcome) key() string {
	return fmt.Sprintf("%d %s %s %s", o.Number, o.Subject, o.Operator, o.Name)
}

// seeds is what there is to seed in a module.
type seeds struct {
	module string
	// there, in tests, that stay, that no two goroutines have used together
	found, tests, kept, alone map[seeded.Operator]int
}

// module is what modules.txt has of one.
type module struct {
	name     string
	subjects []*subject
	numbers  []int

	dir  string
	todo []task
	busy bool
	did  int
}

// task is to run the subjects that use an object, without its operations.
type task struct {
	seed *seeded.Seed
	of   []int // of the subjects
}

// modules runs the experiment on the modules of modules.txt that are asked for.
func (c *campaign) modules(ctx context.Context, only []string, workers int) error {
	all, err := parse(list)
	if err != nil {
		return err
	}
	var mods []*module
	for i, s := range all {
		if len(only) > 0 && !slices.ContainsFunc(only, func(o string) bool { return strings.HasPrefix(s.name(), o) }) {
			continue
		}
		if n := len(mods); n == 0 || mods[n-1].subjects[0].module != s.module {
			mods = append(mods, &module{name: s.module})
		}
		m := mods[len(mods)-1]
		m.subjects, m.numbers = append(m.subjects, s), append(m.numbers, i)
	}
	printHead()
	asTheyAre, wg := make(chan *module), sync.WaitGroup{}
	for range workers {
		wg.Go(func() {
			for m := range asTheyAre {
				if err := c.asItIs(ctx, m); err != nil {
					log.Printf("%s: %v", m.name, err)
				}
			}
		})
	}
	for _, m := range mods {
		asTheyAre <- m
	}
	close(asTheyAre)
	wg.Wait()
	for range workers {
		wg.Go(func() { c.mutants(ctx, mods) })
	}
	wg.Wait()
	c.report()
	return nil
}

// mutants does what there is to do, one task after the other: of the module that has had the
// fewest, and that nobody else is at.
func (c *campaign) mutants(ctx context.Context, mods []*module) {
	for {
		c.mu.Lock()
		var next *module
		for _, m := range mods {
			if !m.busy && len(m.todo) > 0 && (next == nil || m.did < next.did) {
				next = m
			}
		}
		if next == nil {
			c.mu.Unlock()
			return // other workers finish the last tasks
		}
		t := next.todo[0]
		next.todo, next.busy, next.did = next.todo[1:], true, next.did+1
		c.mu.Unlock()
		c.mutant(ctx, next, t)
		c.mu.Lock()
		next.busy = false
		c.mu.Unlock()
	}
}

// asItIs runs the programs of a module as they are, and finds what there is to seed.
func (c *campaign) asItIs(ctx context.Context, m *module) (err error) {
	if m.dir, err = c.session.Module(ctx, m.subjects[0].module, m.subjects[0].version); err != nil {
		return err
	}
	place, err := m.fresh()
	if err != nil {
		return err
	}
	ran := make([]*outcome, len(m.subjects))
	for i, s := range m.subjects {
		ran[i] = c.program(ctx, &outcome{Subject: s.name(), Number: m.numbers[i]}, s, place)
	}
	if len(c.operators) == 0 {
		return nil
	}
	x := &seeds{m.name, map[seeded.Operator]int{}, map[seeded.Operator]int{}, map[seeded.Operator]int{}, map[seeded.Operator]int{}}
	c.mu.Lock()
	c.seeds = append(c.seeds, x)
	c.mu.Unlock()
	all, err := c.find(ctx, m)
	if err != nil {
		return err
	}
	for _, seed := range all {
		var of []int
		for i, o := range ran {
			if slices.ContainsFunc(o.used, func(u *used) bool { return u.together(seed, place) }) {
				of = append(of, i)
			}
		}
		switch x.found[seed.Operator]++; {
		case strings.HasSuffix(seed.File, "_test.go"):
			x.tests[seed.Operator]++
		case seed.Kept != "":
			x.kept[seed.Operator]++
		case len(of) == 0:
			x.alone[seed.Operator]++
		default:
			m.todo = append(m.todo, task{seed, of})
		}
	}
	return nil
}

// find lists what can be seeded in the packages that are tested.
func (c *campaign) find(ctx context.Context, m *module) ([]*seeded.Seed, error) {
	var flags, patterns []string
	for _, s := range m.subjects {
		if !slices.Contains(patterns, s.pkg) {
			patterns = append(patterns, s.pkg)
		}
	}
	for _, f := range m.subjects[0].flags {
		if strings.HasPrefix(f, "-tags") || strings.HasPrefix(f, "-mod") {
			flags = append(flags, f)
		}
	}
	all, err := seeded.Find(ctx, m.dir, flags, patterns...)
	return slices.DeleteFunc(all, func(s *seeded.Seed) bool { return !slices.Contains(c.operators, s.Operator) }), err
}

// fresh makes a copy of a module, at the same place for all programs of it, seeded or not: what
// they have in common is compiled once.
func (m *module) fresh() (string, error) {
	to := filepath.Join(filepath.Dir(m.dir), "seeded", filepath.Base(m.dir))
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	return to, record.CopyTree(m.dir, to)
}

// mutant runs the programs of a module of which two goroutines use an object, without its
// operations.
func (c *campaign) mutant(ctx context.Context, m *module, t task) {
	to, err := m.fresh()
	if err == nil {
		err = t.seed.Drop(to)
	}
	for _, i := range t.of {
		o := &outcome{Subject: m.subjects[i].name(), Number: m.numbers[i], Operator: t.seed.Operator, Name: t.seed.Name}
		if err != nil {
			o.How, o.Why = "failed", err.Error()
			c.note(o)
			continue
		}
		c.program(ctx, o, m.subjects[i], to)
	}
}

// program runs one, if it has not run and there is time.
func (c *campaign) program(ctx context.Context, o *outcome, s *subject, dir string) *outcome {
	if x := c.done[o.key()]; x != nil && o.Name != "" {
		c.note(x)
		return x
	}
	if o.How = "not run"; ctx.Err() == nil && (o.Name == "" || time.Now().Before(c.until)) {
		c.run1(ctx, o, s, dir)
	}
	if ctx.Err() != nil { // interrupted
		*o = outcome{Subject: o.Subject, Number: o.Number, Operator: o.Operator, Name: o.Name, How: "not run"}
	}
	c.note(o)
	return o
}

// run1 runs one. It ends.
func (c *campaign) run1(ctx context.Context, o *outcome, s *subject, dir string) {
	began := time.Now()
	limit := c.each
	if o.Name == "" {
		limit *= 3
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b := *c.bench
	b.limit = s.events
	name := o.Subject
	if o.Name != "" {
		name += fmt.Sprintf(" without %s %s", o.Operator, o.Name)
	}
	measure := b.measure
	if c.bare && o.Name == "" {
		measure = b.uses
	}
	r, err := measure(ctx, name, s.config(dir))
	o.Seconds = time.Since(began).Seconds()
	switch {
	case errors.Is(err, context.DeadlineExceeded) || err != nil && ctx.Err() != nil:
		o.How = "stopped"
	case err != nil:
		o.How, o.Why = "failed", err.Error()
	case bytes.Contains(r.out, []byte("panic: test timed out")):
		o.How = "timed out"
	case bytes.Contains(r.out, []byte("\npanic: ")) || bytes.Contains(r.out, []byte("fatal error: ")):
		o.How = "panicked"
	default:
		o.How = "ran"
	}
	if err == nil {
		o.Rows, o.used = r.rows, r.used
	}
}

// note prints and keeps an outcome.
func (c *campaign) note(o *outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, o)
	name := o.Subject
	if o.Name != "" {
		name = fmt.Sprintf("%s - %s %s", o.Subject, o.Operator, o.Name)
	}
	for i := range o.Rows {
		o.Rows[i].print(name, c.variants[i])
	}
	log.Printf("%s: %s, %.0f s; %d programs %s", name, o.How, o.Seconds, len(c.all), o.Why)
	if c.save != nil && o.How != "not run" && c.done[o.key()] == nil {
		if data, err := json.Marshal(o); err == nil {
			c.save.Write(append(data, '\n'))
		}
	}
}

// restore reads what has run already, and saves what runs.
func (c *campaign) restore(name string) error {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	c.done = map[string]*outcome{}
	for text := range bytes.Lines(data) {
		o := &outcome{}
		if json.Unmarshal(text, o) == nil && len(o.Rows) == len(c.variants) {
			c.done[o.key()] = o
		}
	}
	c.save, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return err
}

// hows is what may become of a program.
var hows = []string{"ran", "panicked", "timed out", "stopped", "failed", "not run"}

// report prints the tables of the whole: what was seeded, by module and by operator, and the sums.
func (c *campaign) report() {
	slices.SortStableFunc(c.all, func(x, y *outcome) int { return cmp.Compare(x.Number, y.Number) })
	slices.SortFunc(c.seeds, func(x, y *seeds) int { return strings.Compare(x.module, y.module) })
	asItIs, how := map[variant]*row{}, map[string]int{}
	for _, o := range c.all {
		if o.Name == "" {
			how[o.How]++
		}
		for i := range o.Rows {
			if o.Name == "" {
				addTo(asItIs, c.variants[i], &o.Rows[i])
			}
			c.wrong += o.Rows[i].found[rdit].wrong
		}
	}
	fmt.Println()
	printHead()
	c.printSum("as it is", asItIs)
	if c.bare {
		fmt.Printf("not measured (-bare); ")
	}
	fmt.Printf("as they are:")
	for _, h := range hows {
		fmt.Printf(" %d %s", how[h], h)
	}
	fmt.Println("; an object that only programs use which were not looked at counts as one that no two goroutines use without an order")
	if len(c.operators) == 0 {
		return
	}
	c.table("module", func(o *outcome) string { return strings.SplitN(o.Subject, "/", 2)[0] })
	c.causes()
	c.table("operator", func(o *outcome) string { return string(o.Operator) })
	fmt.Printf("\n%-40s %8s %8s %8s %8s\n", "objects", "found", "in tests", "kept", "alone")
	for _, x := range c.seeds {
		for _, op := range c.operators {
			fmt.Printf("%-40s %8d %8d %8d %8d\n", x.module+" "+string(op), x.found[op], x.tests[op], x.kept[op], x.alone[op])
		}
	}
}

// table prints how the seeded programs ran and what was found in them, one line for each group, and
// for all.
func (c *campaign) table(title string, of func(*outcome) string) {
	var names []string
	count, racy, rows := map[string]map[string]int{}, map[string]int{}, map[string]map[variant]*row{}
	for _, o := range c.all {
		if o.Name == "" {
			continue
		}
		for _, n := range []string{of(o), "total seeded"} {
			if count[n] == nil {
				if names = append(names, n); n == "total seeded" {
					names = names[:len(names)-1]
				}
				count[n], rows[n] = map[string]int{}, map[variant]*row{}
			}
			count[n][o.How]++
			for i := range o.Rows {
				addTo(rows[n], c.variants[i], &o.Rows[i])
			}
			if len(o.Rows) > 0 && o.Rows[0].races > 0 {
				racy[n]++
			}
		}
	}
	names = append(names, "total seeded")
	fmt.Printf("\n%-16s", title)
	for _, h := range hows {
		fmt.Printf(" %9s", h)
	}
	fmt.Printf(" %9s\n", "racy")
	for _, n := range names {
		fmt.Printf("%-16s", n)
		for _, h := range hows {
			fmt.Printf(" %9d", count[n][h])
		}
		fmt.Printf(" %9d\n", racy[n])
	}
	fmt.Println()
	printHead()
	for _, n := range names {
		c.printSum(n, rows[n])
	}
}

func (c *campaign) printSum(name string, sum map[variant]*row) {
	for _, v := range c.variants {
		if t := sum[v]; t != nil {
			t.print(name, v)
		}
	}
}

// causes prints what keeps apart what RDIT does not find in the seeded programs.
func (c *campaign) causes() {
	for i, v := range c.variants {
		var all row
		for _, o := range c.all {
			if o.Name != "" && len(o.Rows) > 0 {
				all.add(&o.Rows[i])
			}
		}
		fmt.Printf("\nnot found by RDIT, %s\n", v)
		for _, why := range slices.SortedFunc(maps.Keys(all.missed), func(x, y string) int {
			return cmp.Or(cmp.Compare(all.missed[y], all.missed[x]), strings.Compare(x, y))
		}) {
			fmt.Printf("%6d %s\n", all.missed[why], why)
		}
	}
}
