// Leftout repeats the experiment of RDIT's thesis (5.2.1, Table 5.3) on Go modules: one full trace of each package's tests, the races that maximal
// causality finds in it; then every function that contains an operation of synchronisation becomes a missing method, and the detectors look at what is left.
//
//	go run ./bench/leftout ./examples/...
//	go run ./bench/leftout -dir scratch github.com/sourcegraph/conc@v0.3.0/pool github.com/panjf2000/ants/v2@v2.11.3
//
// The rules:
//
//  1. A missing method is one call of such a function: what its own code does is dropped (accesses, synchronisation, code that it calls and that is not traced); functions that it calls
//     and that are traced stay, unless they contain synchronisation themselves. Go statements stay: the runtime sees them, whoever does them.
//  2. The D of a call is what the recorder has found when it was entered, by its parameters, captured variables and the package-level variables that it
//     names, and what the dropped events act on. How many of these the recorder had not found, and were not allocated since, is printed: escaped.
//  3. True are the races of maximal causality on the full trace; found are pairs of positions, of the true ones those of which both are left.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"presage/bench/session"
	"presage/internal/analyse"
	"presage/internal/barrier"
	"presage/internal/record"
	"presage/internal/trace"
	"presage/internal/window"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("leftout: ")
	dir := flag.String("dir", "", "scratch directory; default: a temporary one")
	run := flag.String("run", "", "of go test")
	limit := flag.Int("events", 2_000_000, "of a trace; what comes after them is not looked at")
	show := flag.Bool("v", false, "print the races that are false")
	flag.Parse()
	if *dir == "" {
		d, err := os.MkdirTemp("", "presage-bench-")
		if err != nil {
			log.Fatal(err)
		}
		*dir = d
	}
	abs, err := filepath.Abs(*dir)
	if err != nil {
		log.Fatal(err)
	}
	b := bench{session: &session.Session{Dir: abs}, run: *run, limit: *limit, show: *show}
	fmt.Printf("%-46s %9s %7s %6s %8s | %5s %5s | %11s %11s %11s %11s\n", "package", "events", "calls", "gone %", "escaped", "true", "left", "HB", "not minded", "barrier", "RDIT")
	for _, arg := range flag.Args() {
		if err := b.module(context.Background(), arg); err != nil {
			log.Fatalf("%s: %v", arg, err)
		}
	}
	b.total.print("total")
	if b.total.found[rdit].wrong > 0 {
		os.Exit(1)
	}
}

type bench struct {
	session *session.Session
	run     string
	limit   int
	show    bool
	total   row
}

// The detectors, beside the modes of package barrier.
const (
	rdit = int(barrier.Reachable)
	hb   = 3
)

// row is a line of the table.
type row struct {
	events, calls, gone, escaped int
	races, left                  int
	found                        [4]struct{ right, wrong int }
}

func (r *row) add(x *row) {
	r.events, r.calls, r.gone, r.escaped, r.races, r.left = r.events+x.events, r.calls+x.calls, r.gone+x.gone, r.escaped+x.escaped, r.races+x.races, r.left+x.left
	for i := range r.found {
		r.found[i].right += x.found[i].right
		r.found[i].wrong += x.found[i].wrong
	}
}

func (r *row) print(name string) {
	cell := func(i int) string {
		return fmt.Sprintf("%d (%d)", r.found[i].right+r.found[i].wrong, r.found[i].wrong)
	}
	fmt.Printf("%-46s %9d %7d %6.1f %8d | %5d %5d | %11s %11s %11s %11s\n", name, r.events, r.calls, 100*float64(r.gone)/float64(max(1, r.events)), r.escaped,
		r.races, r.left, cell(hb), cell(int(barrier.Ignore)), cell(int(barrier.Everything)), cell(rdit))
}

// module records the tests of module@version/package, or of packages of this module, and looks at the traces.
func (b *bench) module(ctx context.Context, arg string) error {
	path, rest, fetched := strings.Cut(arg, "@")
	version, pkg, _ := strings.Cut(rest, "/")
	c := record.Config{Test: true, Packages: []string{arg}, Around: true, Stdout: os.Stderr, Stderr: os.Stderr}
	name := arg
	if fetched {
		dir, err := b.session.Module(ctx, path, version)
		if err != nil {
			return err
		}
		c.Dir, c.Flags, c.Packages = dir, []string{"-C=" + dir}, []string{"./" + pkg}
		name = filepath.Join(filepath.Base(path), pkg)
	}
	if b.run != "" {
		c.Flags = append(c.Flags, "-run="+b.run)
	}
	rec, err := record.Run(ctx, c)
	if err != nil {
		return err
	}
	defer os.RemoveAll(rec.Dir)
	p, err := rec.Plan(ctx)
	if err != nil {
		return err
	}
	var sum row
	for _, name := range rec.Traces {
		t, err := trace.Open(name)
		if err != nil {
			return err
		}
		h, err := readHidden(t, p, b.limit)
		t.Close()
		if err != nil {
			return err
		}
		x, err := b.judge(ctx, h)
		if err != nil {
			return err
		}
		sum.add(x)
	}
	sum.print(name)
	b.total.add(&sum)
	return nil
}

type sites [2]trace.Site

// judge compares what is found in what is left with the races of the whole.
func (b *bench) judge(ctx context.Context, h *hidden) (*row, error) {
	x := &row{events: len(h.all.events), calls: h.calls, gone: h.gone, escaped: h.escaped}
	full, err := h.all.analyse(ctx, barrier.Reachable)
	if err != nil {
		return nil, err
	}
	really := map[sites]bool{}
	for i := range full.Races {
		really[sitesOf(full.Races[i].A.Site, full.Races[i].B.Site)] = true
	}
	for q := range really {
		if h.left[q[0]] && h.left[q[1]] {
			x.left++
		}
	}
	x.races = len(really)
	for m := barrier.Reachable; m <= barrier.Ignore; m++ {
		res, err := h.rest.analyse(ctx, m)
		if err != nil {
			return nil, err
		}
		for i := range res.Races {
			b.count(x, int(m), really, res.Races[i].A.Site, res.Races[i].B.Site, h)
		}
		if m == barrier.Ignore {
			for _, r := range res.HB {
				b.count(x, hb, really, r.A.Site, r.B.Site, h)
			}
		}
		if res.Counts.Rejected > 0 {
			return nil, fmt.Errorf("%d witnesses rejected: %v", res.Counts.Rejected, res.Rejected[0])
		}
	}
	return x, nil
}

func (b *bench) count(x *row, detector int, really map[sites]bool, p, q trace.Site, h *hidden) {
	if really[sitesOf(p, q)] {
		x.found[detector].right++
		return
	}
	if x.found[detector].wrong++; b.show && detector == rdit {
		fmt.Printf("not true: %s and %s\n", h.all.meta.Position(p), h.all.meta.Position(q))
	}
}

func sitesOf(a, b trace.Site) sites { return sites{min(a, b), max(a, b)} }

// stretch is a trace in memory, with what its walk has found.
type stretch struct {
	meta   *trace.Meta
	events []trace.Event
	flows  []window.Flow
}

func (s *stretch) analyse(ctx context.Context, m barrier.Mode) (*analyse.Result, error) {
	return analyse.Run(ctx, &reader{s, 0}, s.meta, analyse.Options{Level: analyse.Causal, Walker: walked(s.flows), Missing: m})
}
