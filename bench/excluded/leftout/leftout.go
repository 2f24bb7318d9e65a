// Package leftout repeats the experiment of RDIT's thesis (5.2.1, Table 5.3) on Go modules. It
// records one full trace of each package's tests, and finds its races by maximal causality. Then
// every function that contains an operation of synchronisation is excluded, and the
// detectors analyse what is left.
//
//	go -C bench run ./excluded leftout [-runs 7] ../examples/...
//	go -C bench run ./excluded leftout -modules [-seeded all] [-o lines.json] [zap conc...]
//	go -C bench run ./excluded leftout -dir scratch github.com/sourcegraph/conc@v0.3.0/pool
//		github.com/panjf2000/ants/v2@v2.11.3
//	go -C bench run ./excluded leftout main:./programs/recipe/account known:memberlist known:
//		racetests:
//
// An argument is one of
//
//	PACKAGE           the tests of a package of bench; with ../ in front, of presage
//	main:PACKAGE      its command
//	MODULE@V/PACKAGE  the tests of a package of a module
//	known:NAME        a race of package known before its fix, a trace for each test; known: all
//	racetests:        the tests of Go's race detector
//
// # Modules and seeded races
//
// With -modules it runs what modules.txt lists: real modules, which of their tests are run, and
// how many events are analysed. Arguments are names of some of them.
//
// Their tests have hardly a race. So with -seeded each is run again without the synchronisation of
// one object, for one object after the other, by the named operators of package seeded. The
// objects are those that at least two goroutines have used in the analysed events, where no one of
// them used it only before it started the other. Which pairs race then is what maximal causality
// finds in the full trace of this program, as always. Counted are programs that panic, whose tests
// time out, that are stopped, that do not build, and that are not begun (-budget).
//
// Progress, with the time of each stage, is on stderr. -o keeps a line for each program, so that
// an interrupted run can be continued.
//
// # Rules
//
//  1. An excluded call is one call of such a function. -seen says what is left of the events of
//     its own code. Nothing: code that it calls and that is not traced goes as well. Accesses: as
//     in the thesis, whose traces lose the synchronisation alone. Synchronisation: the accesses
//     go. Hooks: what presage records with -reach=kept, which is synchronisation that is flagged
//     as that of code outside, and keeps its order with all on the same object. Touched: what
//     presage records of packages that are excluded by default, which is that, and the accesses,
//     without values; then there are no BarrierPairs and no D, so the columns of barrier and RDIT
//     are alike. Traced functions that it calls stay, unless they contain synchronisation
//     themselves. Go statements stay, because the runtime records them. So do Enter and Exit,
//     which are the call tree. Deferred calls of the method are part of it.
//  2. The D of a call has what the recorder has found when the call was entered and since, by its
//     parameters, captured variables and the package-level variables that it names. It also has
//     the memory of the dropped events, unless every execution has these in order with all that
//     conflicts (must.go). How much of this memory the recorder had not found, and was not
//     allocated since, is printed: escaped. Where synchronisation is seen, the memory of its
//     objects is not in the D, because operations in the trace touch it. With exact D, it has the
//     memory of the dropped events alone: what the rules could find with a perfect D.
//  3. True are the races of maximal causality on the full trace: pairs of source lines, each with
//     a witness that package witness has accepted. Left are those of which both accesses are in
//     what is left. Of each detector there are three counts, as in "59+10 (2)": 59 of those left;
//     10 more true ones, with an access in an excluded call that the trace still has (accesses,
//     touched); 2 that are not true.
//  4. The excluded calls of the thesis contain "Lock/Unlock and ThreadFork/ThreadJoin"; accesses
//     to volatile variables are reads and writes of its model, and stay. So a function is missing
//     that has an operation of a lock, a channel, a sync.WaitGroup, Once or Cond, or a go
//     statement. Atomic operations alone do not make one, unless -atomics is given.
//  5. All detectors analyse the same recording. "Written" is maximal causality with Algorithms 5
//     and 6 as the thesis writes them (AsWritten of package excluded) in place of package
//     excluded's rules. -runs records each program several times, because each recording is
//     another schedule. At the end it prints the medians of the sums, with the least and the
//     largest where they differ.
//
// The exit code is 1 if RDIT has reported a false race.
package leftout

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/known"
	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/wcp"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Main is the subcommand.
func Main(args []string) int {
	f := command.Flags("excluded leftout", "[flags] [package...]")
	dir := command.Dir(f)
	run := f.String("run", "", "flag -run of go test")
	limit := f.Int("events", 2_000_000, "events of a trace that are analysed")
	left := f.String("seen", string(nothing), "what is left of excluded calls: nothing, accesses, synchronisation, hooks or touched, with commas between them; or all")
	f.IntVar(&tries, "tries", tries, "pairs of accesses of two source lines that are tried in a window")
	more := f.String("flags", "", "more flags of go test, with spaces between them")
	show := f.Bool("v", false, "print the races that are false")
	list := f.Bool("list", false, "print the true races that RDIT does not find, with the excluded call that orders them, and what escaped")
	modules := f.Bool("modules", false, "run the modules of modules.txt")
	seed := f.String("seeded", "", "run the modules with seeded races: operators of package seeded, with commas between them; or all")
	save := f.String("o", "", "file for a line for each program of -modules; a program that has a line is not run again")
	workers := f.Int("j", 2, "modules side by side")
	each := f.Duration("each", 2*time.Minute, "time limit for a seeded program; three times as long for an unchanged one, whose imports may have to be compiled")
	exact := f.Bool("exact", true, "measure with exact Ds as well")
	bare := f.Bool("bare", false, "with -seeded: record which goroutine uses which object in the unchanged programs, and do not measure these")
	budget := f.Duration("budget", 28*time.Minute, "time after which no further seeded program is begun")
	atomics := f.Bool("atomics", false, "functions whose only synchronisation is that of sync/atomic are missing, too (rule 4)")
	keep := f.String("keep", "", "directory for recordings that have a true race, for -again")
	again := f.Bool("again", false, "analyse recordings of -keep, which the arguments name")
	runs := f.Int("runs", 1, "recordings of each program; not with -modules, -seeded and -again")
	figures := command.FiguresFlag(f)
	f.Parse(args)
	abs, err := session.Scratch(*dir)
	command.Check(err)
	if os.Getenv("PRESAGE_CACHE") == "" { // recordings of other commands stay apart
		os.Setenv("PRESAGE_CACHE", filepath.Join(abs, "cache"))
	}
	if *keep != "" {
		command.Check(os.MkdirAll(*keep, 0o777))
	}
	b := bench{session: &session.Session{Dir: abs}, run: *run, limit: *limit, show: *show, list: *list, kept: *keep, atomics: *atomics, flags: strings.Fields(*more), total: map[variant]*row{}}
	b.variants, err = variants(*left, *exact)
	command.Check(err)
	if *again {
		command.Check(b.again(context.Background(), f.Args()))
	} else if *modules || *seed != "" {
		c := &campaign{bench: &b, until: time.Now().Add(*budget), each: *each, bare: *bare && *seed != ""}
		c.operators, err = operators(*seed)
		command.Check(err)
		if *save != "" {
			command.Check(c.restore(*save))
		}
		// the tables are of what has run
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		command.Check(c.modules(ctx, f.Args(), *workers))
	} else {
		b.runs(context.Background(), f.Args(), *runs)
	}
	b.wrong += b.printTotal("total")
	b.figures(figures)
	return command.Code(b.wrong == 0)
}

// variants are those that -seen names, and with exact Ds as well if that is asked for.
func variants(names string, exact bool) (list []variant, err error) {
	known := []seen{nothing, accesses, synchronisation, hooks, outside}
	asked := known
	if names != "all" {
		asked = nil
		for _, name := range strings.Split(names, ",") {
			asked = append(asked, seen(name))
		}
	}
	for _, s := range asked {
		if !slices.Contains(known, s) {
			return nil, fmt.Errorf("-seen=%s: there are %v and all", s, known)
		}
		if list = append(list, variant{s, false}); exact && s != outside {
			list = append(list, variant{s, true})
		}
	}
	return list, nil
}

// operators are those that -seeded names.
func operators(names string) (list []seeded.Operator, err error) {
	switch names {
	case "":
		return nil, nil
	case "all":
		return seeded.Operators, nil
	}
	for _, o := range strings.Split(names, ",") {
		if !slices.Contains(seeded.Operators, seeded.Operator(o)) {
			return nil, fmt.Errorf("-seeded=%s: the operators are %v", o, seeded.Operators)
		}
		list = append(list, seeded.Operator(o))
	}
	return list, nil
}

// variant is what is left of excluded calls, and whether Ds are exact.
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

// argument looks at what an argument names.
func (b *bench) argument(ctx context.Context, arg string) error {
	kind, rest, ok := strings.Cut(arg, ":")
	switch {
	case ok && kind == "main":
		return b.record(ctx, filepath.Base(rest), placed(rest))
	case ok && kind == "known":
		list, err := known.Races(rest)
		if err != nil {
			return err
		}
		for _, k := range list {
			dir, err := known.Driven(ctx, b.session, k, k.Before)
			if err != nil {
				return err
			}
			for _, test := range known.Orders {
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
	c := placed(arg)
	c.Test, c.Flags = true, append(append(c.Flags, "-vet=off", "-count=1"), b.testFlags()...)
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

// placed is a package, in the module that has it.
func placed(pattern string) record.Config {
	dir, in := session.Place(pattern)
	c := record.Config{Packages: []string{in}}
	if dir != "." {
		c.Dir, c.Flags = dir, []string{"-C=" + dir}
	}
	return c
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

// judged compares what is found in what is left with the races of the whole. What RDIT finds and
// these lack may be one of which too few pairs of accesses were tried: then more are, for all
// detectors alike.
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
			if x.left++; !h.beyond[q[0]] && !h.beyond[q[1]] {
				x.between++
			}
		}
	}
	x.races = len(really)
	x.precedes(b, really, h)
	for m := excluded.Reachable; m <= excluded.Ignore; m++ {
		var explain func(a, b trace.Site) bool
		if b.list && m == excluded.Reachable {
			explain = asked(really)
		}
		res, err := h.rest.analyse(ctx, m, tries, explain)
		if err != nil {
			return nil, err
		}
		for i := range res.Races {
			b.count(x, int(m), really, res.Races[i].A.Site, res.Races[i].B.Site, h)
		}
		if m == excluded.Reachable {
			list := h.missed(res, really, p)
			x.missed = causes(list)
			if n := x.races - x.left - x.found[rdit].more; n > 0 {
				x.missed["an access is in an excluded call"] = n
			}
			if b.list {
				fmt.Printf("-- %s\n", s)
				h.printAll(p)
				h.printMissed(list, res, p)
				x.mechanisms = mechanisms(list, res)
			}
		}
		if m == excluded.Ignore {
			for q := range sitesOfHB(res) {
				b.count(x, hb, really, q[0], q[1], h)
			}
		}
		if res.Counts.Rejected > 0 {
			return nil, fmt.Errorf("%d witnesses rejected: %v", res.Counts.Rejected, res.Rejected[0])
		}
	}
	return x, x.written(ctx, b, really, h)
}

// written counts what maximal causality finds that keeps the orders of Algorithm 5 as the thesis
// writes it.
func (x *row) written(ctx context.Context, b *bench, really map[sites]bool, h *hidden) error {
	orders, err := excluded.AsWritten(h.rest.events)
	if err != nil {
		return err
	}
	enforced := stretch{meta: h.rest.meta}
	enforced.events, enforced.flows = tracetest.Enforced(h.rest.events, h.rest.flows, orders)
	res, err := enforced.analyse(ctx, excluded.Ignore, tries, nil)
	if err != nil {
		return err
	}
	for i := range res.Races {
		b.count(x, asWritten, really, res.Races[i].A.Site, res.Races[i].B.Site, h)
	}
	if res.Counts.Rejected > 0 {
		return fmt.Errorf("in Algorithm 5 as written %d witnesses were rejected: %v", res.Counts.Rejected, res.Rejected[0])
	}
	return nil
}

// sitesOfHB are the pairs of positions that happens-before leaves unordered.
func sitesOfHB(res *predict.Result) map[sites]bool {
	all := map[sites]bool{}
	for _, r := range res.HB {
		all[sitesOf(r.A.Site, r.B.Site)] = true
	}
	return all
}

// precedes counts what weak-causally-precedes leaves unordered, which is no less than what
// causally-precedes does.
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

// count counts a pair of positions that a detector reports (rule 3).
func (b *bench) count(x *row, detector int, really map[sites]bool, p, q trace.Site, h *hidden) {
	switch f := &x.found[detector]; {
	case !really[sitesOf(p, q)]:
		if f.wrong++; b.show && (detector == rdit || detector == asWritten) {
			fmt.Printf("not true, by %s: %s and %s\n", detectors[detector], h.all.meta.Position(p), h.all.meta.Position(q))
		}
	case h.left[p] && h.left[q]:
		f.left++
	default:
		if f.more++; b.list && detector == rdit {
			fmt.Printf("found, with an access in an excluded call: %s and %s\n", h.all.meta.Position(p), h.all.meta.Position(q))
		}
	}
}

func sitesOf(a, b trace.Site) sites { return sites{min(a, b), max(a, b)} }

// stretch is a trace in memory, with what its walk has found.
type stretch struct {
	meta   *trace.Meta
	events []trace.Event
	flows  []flow.Flow
}

// races are those of maximal causality.
func (s *stretch) races(ctx context.Context, tries int) (map[sites]bool, error) {
	full, err := s.analyse(ctx, excluded.Reachable, tries, nil)
	if err != nil {
		return nil, err
	}
	really := map[sites]bool{}
	for i := range full.Races {
		really[sitesOf(full.Races[i].A.Site, full.Races[i].B.Site)] = true
	}
	return really, nil
}

// tries is how many pairs of accesses of two positions are tried in a window: of positions that
// meet in many ways, few of them may be a race.
var tries = thorough

const thorough = 64

func (s *stretch) analyse(ctx context.Context, m excluded.Mode, tries int, explain func(a, b trace.Site) bool) (*predict.Result, error) {
	return predict.Run(ctx, &reader{s, 0}, s.meta, predict.Options{Level: predict.Causal, Walker: walked(s.flows), Excluded: m, Tries: tries, Total: 16 * tries, Explain: explain})
}
