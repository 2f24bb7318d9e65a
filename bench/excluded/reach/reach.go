// Package reach measures the cost of recording the memory that calls of excluded packages can
// reach: Table 5.4 of RDIT's thesis, on a Go module.
//
//	go -C bench run ./excluded reach [-rounds 20] [-profiles 20] [-seed 1] [-dir scratch]
//	go -C bench run ./excluded reach -module github.com/hashicorp/golang-lru/v2@v2.0.7 \
//		-run '-skip=Random -count=20 .' \
//		-sets './internal/...;./simplelru;./internal/... ./simplelru'
//
// The module's tests are recorded with five sets of packages excluded. Each set is recorded in
// three modes: with what the packages touch (the default), with the D of each call found anew
// (-reach=full), and with the D that is kept (-reach=kept). All programs are built first. In each
// round the sets come in random order, and the three runs of a set one right after the other, in
// random order. The output for a set has
//
//   - CPU time (user and system) of the test process: the medians, and the median of the ratios,
//     pair by pair, with its 95 % interval (session.Interval);
//   - instructions in user mode, if the machine counts them (perf_event_open), with ratios in the
//     same way;
//   - by CPU profiles of separate runs, the samples below the hooks that exist for BarrierPairs
//     alone, as a share of all other samples. Load of the machine slows both, so this number is
//     steady where the time is not. It leaves out the slowdown of other code by the hooks (caches,
//     larger code);
//   - the size of the trace of one run, and its size without BarrierPairs, because two runs
//     differ;
//   - calls, parts of their Ds (a set is listed once), and how many calls reach everything: these
//     are cheap to record.
//
// A set is *reached* if the interval of the time with D kept is all within +13 % and the size
// within +10 %. It is *not reached* if the interval is all above, and else *undecided*: more
// rounds decide. The exit code is 1 if a set is not reached. zap's TestGlobalsConcurrentUse is
// left out: it does as much as fits into 100 ms.
package reach

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

const (
	maxTime = 1.13
	maxSize = 1.10
)

// modes are the columns.
var modes = []string{"touched", "full", "kept"}

// Main measures the sets.
func Main(args []string) int {
	flags := command.Flags("excluded reach", "[-rounds n] [-profiles n] [-module path@version -run flags -sets sets] [-seed s] [-dir scratch]")
	dir := command.Dir(flags)
	rounds := flags.Int("rounds", 20, "rounds; 0: no time is measured")
	profiles := flags.Int("profiles", 20, "runs under the profiler, for each set")
	seed := flags.Uint64("seed", 1, "seed of the order")
	module := flags.String("module", "go.uber.org/zap@v1.27.1", "the module, as path@version")
	run := flags.String("run", "-skip=Vendor|GoPath|TestStacktrace|TestConfig|Sampl|Benchmark|TestGlobalsConcurrentUse -count=5 .", "flags and package of go test")
	sets := flags.String("sets", "./internal/...;./buffer;./internal/... ./buffer;./zapcore;./internal/... ./buffer ./zapcore", "sets of excluded packages, with semicolons between them")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	command.Check(err)
	path, version, _ := strings.Cut(*module, "@")
	at, err := s.Module(ctx, path, version)
	command.Check(err)
	b := bench{Session: s, module: at, run: strings.Fields(*run)}
	fmt.Printf("%s %s, seed %d; instructions: %s\n", *module, *run, *seed, counting())
	for _, set := range strings.Split(*sets, ";") {
		command.Check(b.prepare(ctx, set))
	}
	if *rounds > 0 {
		err = b.rounds(ctx, *rounds, rand.New(rand.NewPCG(*seed, 0)))
	}
	command.Check(err)
	good := true
	for _, r := range b.rows {
		share, err := b.profiled(ctx, r, *profiles)
		command.Check(err)
		cpu := func(c cost) float64 { return c.cpu }
		touched, kept := r.of(0, cpu), r.of(2, cpu)
		figures.Print(r.set, command.Figure{Value: session.Median(touched), Unit: "touched-cpu-s"}, command.Figure{Value: session.Median(kept), Unit: "kept-cpu-s"})
		good = r.print(share) && good
	}
	return command.Code(good)
}

type bench struct {
	*session.Session
	module string
	run    []string
	rows   []*row
}

// row is an exclusion set, with a program for each mode.
type row struct {
	set    string
	built  [3]*built
	traces [3]traced
	cost   [3][]cost // by round
}

// cost is what a run took.
type cost struct{ cpu, instructions float64 }

// prepare builds the programs of an exclusion set.
func (b *bench) prepare(ctx context.Context, set string) (err error) {
	r := &row{set: set}
	for i, mode := range modes {
		name := fmt.Sprintf("built-%d-%s", len(b.rows), mode)
		if r.built[i], r.traces[i], err = b.build(ctx, strings.Fields(set), mode, name); err != nil {
			return err
		}
	}
	b.rows = append(b.rows, r)
	return nil
}

// rounds measures all sets so many times. A round before the first warms up.
func (b *bench) rounds(ctx context.Context, rounds int, rng *rand.Rand) error {
	for round := range rounds + 1 {
		for _, k := range rng.Perm(len(b.rows)) {
			r := b.rows[k]
			for _, i := range rng.Perm(len(modes)) {
				c, err := r.built[i].measure(ctx, b.Dir)
				if err != nil {
					return err
				}
				if round > 0 {
					r.cost[i] = append(r.cost[i], c)
				}
			}
		}
	}
	return nil
}

// of returns a part of what the runs of a mode took.
func (r *row) of(mode int, part func(cost) float64) (v []float64) {
	for _, c := range r.cost[mode] {
		v = append(v, part(c))
	}
	return v
}

// ratio says by how much a mode takes more than touched; high and low are the bounds.
func (r *row) ratio(mode int, part func(cost) float64) (text string, low, high float64) {
	v, base := r.of(mode, part), r.of(0, part)
	for i := range v {
		v[i] /= base[i]
	}
	low, high = session.Interval(v)
	return fmt.Sprintf("%s (%s to %s)", percent(session.Median(v)), percent(low), percent(high)), low, high
}

func percent(x float64) string { return fmt.Sprintf("%+.1f %%", 100*(x-1)) }

// print prints a row, and returns whether it is reached.
func (r *row) print(share string) bool {
	fmt.Printf("without %s\n", r.set)
	low, high := math.Inf(-1), math.Inf(1)
	if len(r.cost[0]) > 0 {
		low, high = r.printTime()
	}
	fmt.Printf("  profile       %s\n", share)
	size := func(t traced) float64 { return float64(t.with) / float64(t.without) }
	fmt.Printf("  trace         %.2f MB without BarrierPairs, full %s, kept %s\n", float64(r.traces[2].without)/(1<<20), percent(size(r.traces[1])), percent(size(r.traces[2])))
	t := r.traces[2]
	fmt.Printf("  calls         %d, with %d parts and %d names of sets; %d reach everything; at every call %d parts, %d reach everything\n", t.calls, t.parts, t.names, t.all, r.traces[1].parts, r.traces[1].all)
	verdict := "undecided"
	switch {
	case size(t) > maxSize || low > maxTime:
		verdict = "not reached"
	case high <= maxTime:
		verdict = "reached"
	}
	fmt.Printf("  %s\n", verdict)
	return verdict == "reached"
}

// printTime prints what the runs took, and returns the bounds of how much more it is with D kept.
func (r *row) printTime() (low, high float64) {
	cpu := func(c cost) float64 { return c.cpu }
	instructions := func(c cost) float64 { return c.instructions }
	full, _, _ := r.ratio(1, cpu)
	kept, low, high := r.ratio(2, cpu)
	fmt.Printf("  CPU seconds   touched %.3f, full %.3f: %s, kept %.3f: %s\n", session.Median(r.of(0, cpu)), session.Median(r.of(1, cpu)), full, session.Median(r.of(2, cpu)), kept)
	if session.Median(r.of(0, instructions)) > 0 {
		full, _, _ := r.ratio(1, instructions)
		kept, _, _ := r.ratio(2, instructions)
		fmt.Printf("  instructions  touched %.0f million, full %s, kept %s\n", session.Median(r.of(0, instructions))/1e6, full, kept)
	}
	return low, high
}

// built is a test program, with what it was called with.
type built struct {
	Binary, Dir string
	Args, Env   []string
}

// build records the tests once, keeps the program, and returns what is in the trace.
func (b *bench) build(ctx context.Context, set []string, mode, name string) (x *built, size traced, err error) {
	self, err := command.Self("reach-keep")
	if err != nil {
		return nil, size, err
	}
	result, kept := filepath.Join(b.Dir, name), filepath.Join(b.Dir, "reach.trace")
	os.Remove(result + ".json")
	os.RemoveAll(kept)
	args := []string{"test", "-level", "none", "-reach", mode, "-o", kept, "-exec", self + " " + result}
	for _, p := range set {
		args = append(args, "-exclude", p)
	}
	cmd := exec.CommandContext(ctx, b.Presage, append(args, b.run...)...)
	cmd.Dir = b.module
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, size, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out.Bytes())
	}
	data, err := os.ReadFile(result + ".json")
	if err != nil {
		return nil, size, fmt.Errorf("%v did not run the tests\n%s", cmd.Args, out.Bytes())
	}
	x = new(built)
	if err := json.Unmarshal(data, x); err != nil {
		return nil, size, err
	}
	size, err = read(kept)
	return x, size, err
}

// Keep is what the go command runs in place of a test program: it runs the program and keeps it.
// Its arguments are the file for the program, and the program with its arguments.
func Keep(args []string) int {
	result, args := args[0], args[1:]
	dir, err := os.Getwd()
	command.Check(err)
	data, err := json.Marshal(built{result, dir, args[1:], os.Environ()})
	if err == nil {
		err = os.WriteFile(result+".json", data, 0o666)
	}
	program, readErr := os.ReadFile(args[0])
	os.Remove(result)
	command.Check(errors.Join(err, readErr, os.WriteFile(result, program, 0o777)))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		log.Print(err)
		return 1
	}
	return 0
}

// traced is what is in the traces of a run: bytes, with BarrierPairs and without them, and what
// those are.
type traced struct {
	with, without            int64
	calls, all, parts, names int
}

// read reads them.
func read(name string) (t traced, err error) {
	files, _ := filepath.Glob(filepath.Join(name, "*"))
	for _, f := range append(files, name) {
		x, err := trace.Open(f)
		if err != nil {
			continue // a directory of traces
		}
		err = t.add(x)
		x.Close()
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// add adds a trace.
func (t *traced) add(x *trace.Trace) error {
	var w [2]*trace.Writer
	for i := range w {
		var err error
		if w[i], err = trace.NewWriter(io.Discard, x.Meta()); err != nil {
			return err
		}
	}
	if err := x.SeekTo(0); err != nil {
		return err
	}
	var e trace.Event
	var err error
	for err = x.Next(&e); err == nil; err = x.Next(&e) {
		if !t.count(&e) {
			if err := w[1].Write(&e); err != nil {
				return err
			}
		}
		if err := w[0].Write(&e); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	err = errors.Join(w[0].Close(nil), w[1].Close(nil))
	t.with, t.without = t.with+w[0].Bytes(), t.without+w[1].Bytes()
	return err
}

// count reports whether an event is of a BarrierPair, and counts it.
func (t *traced) count(e *trace.Event) bool {
	switch e.Kind {
	case format.MethodBegin:
		t.calls++
		if e.Flags&format.FlagAll != 0 {
			t.all++
		}
	case format.MethodEnd:
	case format.Reach:
		t.parts++
	case format.ReachSet:
		t.names++
	default:
		return false
	}
	return true
}
