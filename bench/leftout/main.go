// Leftout repeats the experiment of RDIT's thesis (5.2.1, Table 5.3) on Go modules: one full trace of each package's tests, the races that maximal
// causality finds in it; then every function that contains an operation of synchronisation becomes a missing method, and the detectors look at what is left.
//
//	go run ./bench/leftout ./examples/...
//	go run ./bench/leftout -modules [-seeded all] [-o lines.json] [zap conc…]
//	go run ./bench/leftout -dir scratch github.com/sourcegraph/conc@v0.3.0/pool github.com/panjf2000/ants/v2@v2.11.3
//	go run ./bench/leftout main:./bench/recipe/account known:memberlist known: racetests:
//
// An argument is a package of this module (its tests, after main: its command), a module@version/package, a known race of bench/realraces before its fix (known: alone is
// all of them; both tests of the driver, one trace each), or the tests of Go's race detector.
//
// -modules runs what modules.txt lists: real modules, what of their tests is run, and how many events are looked at; arguments are names of some of them. Their tests have hardly a
// race, so with -seeded each is run again without the synchronisation of one object, for one object after the other: those that at least two goroutines have used in what was looked
// at, and not one of them before it started the other, by the operators of package seeded that are named. Which pairs race then is what maximal causality finds in the full trace of this program, as always. What of them panics, is timed out (its
// tests), stopped (all of it), does not build or is not begun (-budget) is counted. Progress, with how long each stage took, is on stderr. -o keeps a line for each program: what is interrupted goes on there.
//
// The rules:
//
//  1. A missing method is one call of such a function. What of its own code's events is left -seen says: nothing (code that it calls and that is not traced goes as well), or
//     accesses, as in the thesis, whose traces lose the synchronisation alone, or synchronisation, or hooks, which is what presage records with -reach=kept: synchronisation
//     that is flagged as that of code outside, which keeps its order with all on the same object; or touched, which it records of packages that are left out by default: that, and the
//     accesses, without values. With touched there are no BarrierPairs and no D, so the columns of barrier and RDIT are alike.
//     Functions that it calls and that are traced stay, unless they contain synchronisation themselves. Go statements stay: the runtime sees them, whoever does them. So do Enter and Exit, which tell what calls what; what the method has deferred is part of it.
//  2. The D of a call is what the recorder has found when it was entered and since, by its parameters, captured variables and the package-level variables that it
//     names, and what the dropped events act on, but where every execution has that in order with all that conflicts (B12 of package
//     barrier; must.go). How many of these the recorder had not found, and were not allocated since, is printed: escaped. Where
//     synchronisation is seen, the memory of its objects is not in the D: it is touched by operations that are in the trace.
//     With exact D it is what the dropped events act on alone: what the rules could find, if D were perfect.
//  3. True are the races of maximal causality on the full trace; found are pairs of positions. Left are the true ones of which both accesses are; the false are in brackets.
//  4. The thesis has the methods missing that contain "Lock/Unlock and ThreadFork/ThreadJoin"; accesses to volatile variables are reads and writes of its model, and stay. So a function is missing that has
//     an operation of a lock, a channel, a sync.WaitGroup, Once or Cond, or a go statement; atomic operations alone do not make one (-atomics: they do).
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"presage/bench/seeded"
	"presage/bench/session"
	"presage/internal/analyse"
	"presage/internal/barrier"
	"presage/internal/plan"
	"presage/internal/record"
	"presage/internal/trace"
	"presage/internal/wcp"
	"presage/internal/window"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("leftout: ")
	dir := flag.String("dir", "", "scratch directory; default: a temporary one")
	run := flag.String("run", "", "of go test")
	limit := flag.Int("events", 2_000_000, "of a trace; what comes after them is not looked at")
	left := flag.String("seen", string(nothing), "what is left of missing methods: nothing, accesses, synchronisation, hooks or touched; all: one after the other")
	flag.IntVar(&tries, "tries", tries, "pairs of accesses of two positions that are tried in a window")
	flags := flag.String("flags", "", "more of go test, separated by spaces")
	show := flag.Bool("v", false, "print the races that are false")
	list := flag.Bool("list", false, "print the true races that RDIT does not find, with the missing method that keeps them apart, and what escaped")
	modules := flag.Bool("modules", false, "the modules of modules.txt")
	seed := flag.String("seeded", "", "and them with races that are seeded: operators of package seeded, with commas; all")
	save := flag.String("o", "", "file that gets a line for each program of -modules; what has run by it is not run again")
	workers := flag.Int("j", 2, "modules side by side")
	each := flag.Duration("each", 2*time.Minute, "of a seeded program: it is stopped then; of one as it is, whose imports may have to be compiled, three times that")
	exact := flag.Bool("exact", true, "exact Ds as well")
	bare := flag.Bool("bare", false, "with -seeded: of the programs as they are look at nothing but who uses which object; their rows are not measured, which is said")
	budget := flag.Duration("budget", 28*time.Minute, "after which no seeded program more is begun; these are counted")
	atomics := flag.Bool("atomics", false, "functions are missing, too, of which the only synchronisation is that of sync/atomic: rule 4")
	keep := flag.String("keep", "", "directory for recordings that have a true race, for -again")
	again := flag.Bool("again", false, "arguments are files of -keep")
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
	if err := os.MkdirAll(abs, 0o777); err != nil {
		log.Fatal(err)
	}
	if os.Getenv("PRESAGE_CACHE") == "" { // what others do with theirs is no concern of this
		os.Setenv("PRESAGE_CACHE", filepath.Join(abs, "cache"))
	}
	if *keep != "" {
		if err := os.MkdirAll(*keep, 0o777); err != nil {
			log.Fatal(err)
		}
	}
	b := bench{session: &session.Session{Dir: abs}, run: *run, limit: *limit, show: *show, list: *list, kept: *keep, atomics: *atomics, flags: strings.Fields(*flags), total: map[variant]*row{}}
	for _, s := range []seen{nothing, accesses, synchronisation, hooks, outside} {
		if *left == "all" || *left == string(s) {
			if b.variants = append(b.variants, variant{s, false}); *exact && s != outside {
				b.variants = append(b.variants, variant{s, true})
			}
		}
	}
	if *again {
		if err := b.again(context.Background(), flag.Args()); err != nil {
			log.Fatal(err)
		}
	} else if *modules || *seed != "" {
		c := &campaign{bench: &b, until: time.Now().Add(*budget), each: *each, bare: *bare && *seed != ""}
		c.operators = operators(*seed)
		if *save != "" {
			if err := c.restore(*save); err != nil {
				log.Fatal(err)
			}
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // the tables are of what has run
		defer stop()
		if err := c.modules(ctx, flag.Args(), *workers); err != nil {
			log.Fatal(err)
		}
	} else {
		printHead()
		for _, arg := range flag.Args() {
			if err := b.argument(context.Background(), arg); err != nil {
				log.Printf("%s: %v", arg, err)
			}
		}
	}
	if b.wrong += b.printTotal("total"); b.wrong > 0 {
		os.Exit(1)
	}
}

// operators are those that -seeded names.
func operators(names string) (list []seeded.Operator) {
	switch names {
	case "":
		return nil
	case "all":
		return seeded.Operators
	}
	for _, o := range strings.Split(names, ",") {
		if !slices.Contains(seeded.Operators, seeded.Operator(o)) {
			log.Fatalf("-seeded=%s: the operators are %v", o, seeded.Operators)
		}
		list = append(list, seeded.Operator(o))
	}
	return list
}

func printHead() {
	fmt.Printf("%-50s %-16s %8s %6s %6s %7s | %5s %5s | %9s %9s %9s %9s %9s\n", "package", "seen", "events", "calls", "gone %", "escaped", "true", "left", "HB", "WCP", "MC", "barrier", "RDIT")
}

// printTotal prints the sum of all, and returns how many of RDIT's races are false.
func (b *bench) printTotal(name string) (wrong int) {
	for _, s := range b.variants {
		if t := b.total[s]; t != nil {
			t.print(name, s)
			wrong += t.found[rdit].wrong
		}
	}
	return wrong
}

// variant is what is left of missing methods, and whether Ds are exact.
type variant struct {
	seen  seen
	exact bool
}

func (v variant) String() string {
	if v.exact {
		return string(v.seen[:4]) + ", exact D"
	}
	return string(v.seen)
}

type bench struct {
	session  *session.Session
	run      string
	flags    []string
	limit    int
	show     bool
	list     bool
	kept     string // directory for recordings
	atomics  bool   // also functions are missing of which the only synchronisation is atomic
	variants []variant
	total    map[variant]*row
	wrong    int // of RDIT's
}

// The detectors, beside the modes of package barrier.
const (
	rdit    = int(barrier.Reachable)
	hb      = 3
	weakly  = 4
	engines = 5
)

// row is a line of the table.
type row struct {
	events, calls, gone, escaped int
	races, left                  int
	found                        [engines]struct{ right, wrong int }
	missed                       map[string]int // the true ones that RDIT does not find, by what keeps them apart
}

func (r *row) add(x *row) {
	r.events, r.calls, r.gone, r.escaped, r.races, r.left = r.events+x.events, r.calls+x.calls, r.gone+x.gone, r.escaped+x.escaped, r.races+x.races, r.left+x.left
	for i := range r.found {
		r.found[i].right += x.found[i].right
		r.found[i].wrong += x.found[i].wrong
	}
	for why, n := range x.missed {
		if r.missed == nil {
			r.missed = map[string]int{}
		}
		r.missed[why] += n
	}
}

func (r *row) print(name string, s variant) {
	cell := func(i int) string {
		return fmt.Sprintf("%d (%d)", r.found[i].right+r.found[i].wrong, r.found[i].wrong)
	}
	fmt.Printf("%-50s %-16s %8d %6d %6.1f %7d | %5d %5d | %9s %9s %9s %9s %9s\n", name, s, r.events, r.calls, 100*float64(r.gone)/float64(max(1, r.events)), r.escaped,
		r.races, r.left, cell(hb), cell(weakly), cell(int(barrier.Ignore)), cell(int(barrier.Everything)), cell(rdit))
}

// argument looks at what an argument names.
func (b *bench) argument(ctx context.Context, arg string) error {
	kind, rest, ok := strings.Cut(arg, ":")
	switch {
	case ok && kind == "main":
		return b.record(ctx, filepath.Base(rest), record.Config{Packages: []string{rest}})
	case ok && kind == "known":
		list, err := session.KnownRaces(rest)
		if err != nil {
			return err
		}
		for _, k := range list {
			dir, err := b.session.Driven(ctx, k, k.Before)
			if err != nil {
				return err
			}
			for _, test := range []string{"TestTogether", "TestMasked"} {
				c := record.Config{Test: true, Dir: dir, Flags: []string{"-C=" + dir, "-vet=off", "-count=1", "-run=^" + test + "$"}, Packages: []string{"./presagedriver"}}
				if err := b.record(ctx, k.Name+" "+test, c); err != nil {
					log.Printf("%s %s: %v", k.Name, test, err)
				}
			}
		}
		return nil
	case ok && kind == "racetests":
		dir, _, _, err := session.RaceTests(b.session.Dir)
		if err != nil {
			return err
		}
		return b.record(ctx, "runtime/race/testdata", record.Config{Test: true, Dir: dir, Flags: append([]string{"-C=" + dir, "-vet=off", "-count=1"}, b.testFlags()...), Packages: []string{"."}})
	}
	path, rest, fetched := strings.Cut(arg, "@")
	version, pkg, _ := strings.Cut(rest, "/")
	c := record.Config{Test: true, Packages: []string{arg}, Flags: append([]string{"-vet=off", "-count=1"}, b.testFlags()...)}
	name := arg
	if fetched {
		dir, err := b.session.Module(ctx, path, version)
		if err != nil {
			return err
		}
		c.Dir, c.Flags, c.Packages = dir, append([]string{"-C=" + dir}, c.Flags...), []string{"./" + pkg}
		name = filepath.Join(filepath.Base(dir), pkg)
	}
	return b.record(ctx, name, c)
}

func (b *bench) testFlags() []string {
	if b.run == "" {
		return b.flags
	}
	return append([]string{"-run=" + b.run}, b.flags...)
}

// record records a program, looks at the traces, and prints what is found.
func (b *bench) record(ctx context.Context, name string, c record.Config) error {
	m, err := b.measure(ctx, name, c)
	if err != nil {
		return err
	}
	for i, s := range b.variants {
		m.rows[i].print(name, s)
		b.add(s, &m.rows[i])
	}
	return nil
}

func (b *bench) add(s variant, x *row) { addTo(b.total, s, x) }

func addTo(total map[variant]*row, s variant, x *row) {
	if total[s] == nil {
		total[s] = &row{}
	}
	total[s].add(x)
}

type sites [2]trace.Site

// judged compares what is found in what is left with the races of the whole. What RDIT finds and these lack may be one of which too few pairs of accesses were tried: then more are, for all detectors alike.
func (b *bench) judged(ctx context.Context, h *hidden, really map[sites]bool, p *plan.Plan, s variant) (*row, map[sites]bool, error) {
	x, err := b.judge(ctx, h, really, p, s)
	if err != nil || x.found[rdit].wrong == 0 || tries >= thorough {
		return x, really, err
	}
	if really, err = h.all.races(ctx, thorough); err != nil {
		return nil, nil, err
	}
	x, err = b.judge(ctx, h, really, p, s)
	return x, really, err
}

// judge compares what is found in what is left with the races of the whole.
func (b *bench) judge(ctx context.Context, h *hidden, really map[sites]bool, p *plan.Plan, s variant) (*row, error) {
	x := &row{events: len(h.all.events), calls: h.calls, gone: h.gone, escaped: h.escaped}
	for q := range really {
		if h.left[q[0]] && h.left[q[1]] {
			x.left++
		}
	}
	x.races = len(really)
	x.precedes(b, really, h)
	for m := barrier.Reachable; m <= barrier.Ignore; m++ {
		var explain func(a, b trace.Site) bool
		if b.list && m == barrier.Reachable {
			explain = asked(really)
		}
		res, err := h.rest.analyse(ctx, m, tries, explain)
		if err != nil {
			return nil, err
		}
		for i := range res.Races {
			b.count(x, int(m), really, res.Races[i].A.Site, res.Races[i].B.Site, h)
		}
		if m == barrier.Reachable {
			list := h.missed(res, really, p)
			x.missed = causes(list)
			if x.races > x.left {
				x.missed["an access is in a missing method"] = x.races - x.left
			}
			if b.list {
				fmt.Printf("-- %s\n", s)
				h.printAll(p)
				h.printMissed(list, res)
			}
		}
		if m == barrier.Ignore {
			for q := range sitesOfHB(res) {
				b.count(x, hb, really, q[0], q[1], h)
			}
		}
		if res.Counts.Rejected > 0 {
			return nil, fmt.Errorf("%d witnesses rejected: %v", res.Counts.Rejected, res.Rejected[0])
		}
	}
	return x, nil
}

// sitesOfHB are the pairs of positions that happens-before leaves unordered.
func sitesOfHB(res *analyse.Result) map[sites]bool {
	all := map[sites]bool{}
	for _, r := range res.HB {
		all[sitesOf(r.A.Site, r.B.Site)] = true
	}
	return all
}

// precedes counts what weak-causally-precedes leaves unordered, which is no less than what causally-precedes does.
func (x *row) precedes(b *bench, really map[sites]bool, h *hidden) {
	d := wcp.New()
	for i := range h.rest.events {
		d.Step(&h.rest.events[i])
	}
	seen := map[sites]bool{}
	for _, p := range d.Pairs() {
		if q := sitesOf(p.A, p.B); !seen[q] {
			seen[q] = true
			b.count(x, weakly, really, p.A, p.B, h)
		}
	}
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

// races are those of maximal causality.
func (s *stretch) races(ctx context.Context, tries int) (map[sites]bool, error) {
	full, err := s.analyse(ctx, barrier.Reachable, tries, nil)
	if err != nil {
		return nil, err
	}
	really := map[sites]bool{}
	for i := range full.Races {
		really[sitesOf(full.Races[i].A.Site, full.Races[i].B.Site)] = true
	}
	return really, nil
}

// tries is how many pairs of accesses of two positions are tried in a window: of positions that meet in many ways, few of them may be a race.
var tries = thorough

const thorough = 64

func (s *stretch) analyse(ctx context.Context, m barrier.Mode, tries int, explain func(a, b trace.Site) bool) (*analyse.Result, error) {
	return analyse.Run(ctx, &reader{s, 0}, s.meta, analyse.Options{Level: analyse.Causal, Walker: walked(s.flows), Missing: m, Tries: tries, Total: 16 * tries, Explain: explain})
}
