// Reach measures what it costs to record what calls of left-out packages can reach: Table 5.4 of RDIT's thesis, on a Go module.
//
//	go run ./bench/reach [-rounds 10] [-dir scratch]
//	go run ./bench/reach -module github.com/klauspost/compress@v1.18.0 -run '-run=^TestDecoder -short ./zstd' -sets './internal/... ./huff0 …'
//
// The module's tests are recorded with five sets of packages left out, each without BarrierPairs (-reach=none), with the D of each call found anew
// (-reach=full), and with the D that is kept (the default), in turn within every round. What is printed: CPU time (user and system) of the test process, medians, and the
// medians of the ratios, round by round; size of the trace of one run,
// and what it is without its BarrierPairs: runs are not alike. The exit code says whether the default stays within +13 % of time and +10 % of size.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"presage/bench/session"
	"presage/internal/rt"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

const (
	keep    = "-keep"
	maxTime = 1.13
	maxSize = 1.10
)

// modes are the columns.
var modes = []string{"none", "full", "kept"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("reach: ")
	if len(os.Args) > 3 && os.Args[1] == keep {
		os.Exit(runKept(os.Args[2], os.Args[3:]))
	}
	dir := flag.String("dir", "", "scratch directory")
	rounds := flag.Int("rounds", 10, "rounds")
	module := flag.String("module", "go.uber.org/zap@v1.27.1", "path@version")
	run := flag.String("run", "-skip=Vendor|GoPath|TestStacktrace|TestConfig|Sampl|Benchmark -count=2 .", "flags and packages of go test")
	sets := flag.String("sets", "./internal/...;./buffer;./internal/... ./buffer;./zapcore;./internal/... ./buffer ./zapcore", "exclusion sets, by semicolon")
	flag.Parse()
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	path, version, _ := strings.Cut(*module, "@")
	at, err := s.Module(ctx, path, version)
	if err != nil {
		log.Fatal(err)
	}
	b := bench{s, at, strings.Fields(*run)}
	fmt.Println("CPU seconds of the tests, and MB of the trace; without D, with D found at every call, with D kept")
	fmt.Printf("%-44s %9s %9s %9s %9s %8s | %8s %8s %8s %9s %8s\n", "left out", "none", "full", "kept", "full", "kept", "none", "full", "kept", "full", "kept")
	good := true
	for _, set := range strings.Split(*sets, ";") {
		ok, err := b.row(ctx, strings.Fields(set), *rounds)
		if err != nil {
			log.Fatal(err)
		}
		good = good && ok
	}
	if !good {
		os.Exit(1)
	}
}

type bench struct {
	*session.Session
	module string
	run    []string
}

// row measures an exclusion set.
func (b *bench) row(ctx context.Context, set []string, rounds int) (good bool, err error) {
	var cpu, ratio [3][]float64
	var size [3][2]int64
	var built [3]*built
	for i, mode := range modes {
		if built[i], size[i], err = b.build(ctx, set, mode); err != nil {
			return false, err
		}
	}
	for round := range rounds + 1 {
		var took [3]float64
		for k := range modes {
			i := (k + round) % len(modes) // who is first takes turns
			if took[i], err = built[i].measure(ctx, b.Dir); err != nil {
				return false, err
			}
		}
		if round == 0 {
			continue // warms up
		}
		for i := range modes {
			cpu[i], ratio[i] = append(cpu[i], took[i]), append(ratio[i], took[i]/took[0])
		}
	}
	mb := func(i, k int) float64 { return float64(size[i][k]) / (1 << 20) }
	percent := func(x float64) string { return fmt.Sprintf("%+.1f %%", 100*(x-1)) }
	full, kept := session.Median(ratio[1]), session.Median(ratio[2])
	fmt.Printf("%-44s %9.3f %9.3f %9.3f %9s %8s | %8.2f %8.2f %8.2f %9s %8s\n", strings.Join(set, " "), session.Median(cpu[0]), session.Median(cpu[1]), session.Median(cpu[2]), percent(full), percent(kept),
		mb(1, 1), mb(1, 0), mb(2, 0), percent(mb(1, 0)/mb(1, 1)), percent(mb(2, 0)/mb(2, 1)))
	return kept <= maxTime && mb(2, 0) <= maxSize*mb(2, 1), nil
}

// built is a test program, with what it was called with.
type built struct {
	Binary, Dir string
	Args, Env   []string
}

// build records the tests once, keeps the program, and returns how large the trace is, with BarrierPairs and without.
func (b *bench) build(ctx context.Context, set []string, mode string) (x *built, size [2]int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, size, err
	}
	result, kept := filepath.Join(b.Dir, "built-"+mode), filepath.Join(b.Dir, "reach.trace")
	os.Remove(result + ".json")
	os.RemoveAll(kept)
	args := []string{"test", "-level", "none", "-reach", mode, "-o", kept, "-exec", strings.Join([]string{self, keep, result}, " ")}
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
	size, err = traceSizes(kept)
	return x, size, err
}

// measure runs the tests and returns their CPU seconds.
func (x *built) measure(ctx context.Context, scratch string) (float64, error) {
	raw := filepath.Join(scratch, "raw")
	defer os.RemoveAll(raw)
	cmd := exec.CommandContext(ctx, x.Binary, x.Args...)
	cmd.Dir = x.Dir
	cmd.Env = append(slices.Clone(x.Env), rt.EnvDir+"="+raw)
	if err := os.MkdirAll(raw, 0o777); err != nil {
		return 0, err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// runKept runs a program for the go command, and keeps it.
func runKept(result string, args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	data, err := json.Marshal(built{result, dir, args[1:], os.Environ()})
	if err == nil {
		err = os.WriteFile(result+".json", data, 0o666)
	}
	program, readErr := os.ReadFile(args[0])
	os.Remove(result)
	if err := errors.Join(err, readErr, os.WriteFile(result, program, 0o777)); err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		log.Print(err)
		return 1
	}
	return 0
}

// traceSizes returns the bytes of the traces of a run, and what they would be without BarrierPairs.
func traceSizes(name string) (size [2]int64, err error) {
	files, _ := filepath.Glob(filepath.Join(name, "*"))
	for _, f := range append(files, name) {
		t, err := trace.Open(f)
		if err != nil {
			continue // a directory of traces
		}
		for i := range size {
			n, err := rewritten(t, i == 1)
			if err != nil {
				return size, err
			}
			size[i] += n
		}
		t.Close()
	}
	return size, nil
}

func rewritten(t *trace.Trace, without bool) (int64, error) {
	w, err := trace.NewWriter(io.Discard, t.Meta())
	if err != nil {
		return 0, err
	}
	if err := t.SeekTo(0); err != nil {
		return 0, err
	}
	var e trace.Event
	for err = t.Next(&e); err == nil; err = t.Next(&e) {
		switch e.Kind {
		case format.MethodBegin, format.MethodEnd, format.Reach, format.ReachSet:
			if without {
				continue
			}
		}
		if err := w.Write(&e); err != nil {
			return 0, err
		}
	}
	if err != io.EOF {
		return 0, err
	}
	err = w.Close(nil)
	return w.Bytes(), err
}
