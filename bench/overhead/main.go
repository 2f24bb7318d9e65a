// Command overhead measures what recording costs the program under test: CPU time (user and
// system) and wall time of the process, plain, under -race, and recorded by presage with the raw records
// written to disk, in turn within every round; the ratios are taken round by round, and their medians printed.
//
//	go run ./bench/overhead [-rounds 10] [-dir scratch] [-only name]
//
// The programs are the three of programs/ and the test suites of the modules in
// testdata/modules.tsv. The second that a -race program sleeps before it ends is left out (GORACE=atexit_sleep_ms=0).
// The exit code says whether the CPU time is at most that of -race; wall time has what the disk costs besides.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"presage/bench/session"
	"presage/internal/rt"
	"presage/internal/trace"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("overhead: ")
	if len(os.Args) > 3 && os.Args[1] == timed {
		os.Exit(runTimed(os.Args[2], os.Args[3] == drop, os.Args[4:]))
	}
	dir := flag.String("dir", "", "scratch directory")
	only := flag.String("only", "", "only the subject of this name")
	rounds := flag.Int("rounds", 10, "rounds")
	flag.Parse()
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	list, err := subjects(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("              CPU                                          wall                                         raw")
	fmt.Println("subject        plain s   -race x   presage x  pres./-race   plain s   -race x   presage x  pres./-race     MB       events  bytes/event")
	var race, presage ratios
	for _, sub := range list {
		if *only != "" && sub.name != *only {
			continue
		}
		r, p, err := measure(ctx, s, sub, *rounds)
		if err != nil {
			log.Fatal(err)
		}
		race.add(r)
		presage.add(p)
	}
	if len(race.cpu) == 0 {
		log.Fatalf("no subject %q", *only)
	}
	c, w := geomean(race.cpu), geomean(race.wall)
	pc, pw := geomean(presage.cpu), geomean(presage.wall)
	fmt.Printf("geometric mean %17.2f %11.2f %12.2f %19.2f %11.2f %12.2f\n", c, pc, pc/c, w, pw, pw/w)
	if pc > c {
		os.Exit(1)
	}
}

// A cost is what a run of a program took, in seconds, or how many times what another one took.
type cost struct{ cpu, wall float64 }

func (c cost) over(d cost) cost { return cost{c.cpu / d.cpu, c.wall / d.wall} }

// ratios are costs of several rounds or subjects.
type ratios struct{ cpu, wall []float64 }

func (r *ratios) add(c cost) { r.cpu, r.wall = append(r.cpu, c.cpu), append(r.wall, c.wall) }

func (r *ratios) median() cost { return cost{session.Median(r.cpu), session.Median(r.wall)} }

// subject is one program: a directory and the arguments of `go`.
type subject struct {
	name, dir string
	verb      string // run or test
	args      []string
}

func subjects(ctx context.Context, s *session.Session) ([]subject, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	var list []subject
	for _, p := range []string{"sort", "matmul", "cache"} {
		list = append(list, subject{p, here, "run", []string{"./bench/overhead/programs/" + p}})
	}
	data, err := os.ReadFile("bench/overhead/testdata/modules.tsv")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 4 {
			continue
		}
		dir, err := s.Module(ctx, f[1], f[2])
		if err != nil {
			return nil, err
		}
		list = append(list, subject{f[0], dir, "test", append([]string{"-vet=off", "-count=1"}, strings.Fields(f[3])...)})
	}
	return list, nil
}

// measure prints a subject's line and returns the median ratios of -race and presage
// to plain.
func measure(ctx context.Context, s *session.Session, sub subject, rounds int) (race, presage cost, err error) {
	var plain, r, p, rel ratios
	var events, raw int64
	var size float64
	for round := range rounds + 1 {
		raws := keep
		if round > 0 {
			raws = drop // nothing to merge, which takes long and is not what is measured
		}
		a, _, err := sub.run(ctx, s, raws, "go", sub.verb)
		if err != nil {
			return cost{}, cost{}, err
		}
		b, _, err := sub.run(ctx, s, raws, "go", sub.verb, "-race")
		if err != nil {
			return cost{}, cost{}, err
		}
		kept := filepath.Join(s.Dir, sub.name+".presage")
		c, n, err := sub.run(ctx, s, raws, s.Presage, sub.verb, "-level", "none", "-o", kept)
		if err != nil {
			return cost{}, cost{}, err
		}
		if round == 0 { // builds, warms up
			events, size = traceSize(kept)
			raw = n
			continue
		}
		plain.add(a)
		r.add(b.over(a))
		p.add(c.over(a))
		rel.add(c.over(b))
	}
	race, presage = r.median(), p.median()
	t, q := plain.median(), rel.median()
	fmt.Printf("%-12s %9.3f %9.2f %11.2f %12.2f %9.3f %9.2f %11.2f %12.2f %6d %12d %12.2f\n", sub.name,
		t.cpu, race.cpu, presage.cpu, q.cpu, t.wall, race.wall, presage.wall, q.wall, raw>>20, events, size)
	return race, presage, nil
}

const (
	timed = "-timed"
	keep  = "keep" // what to do with the raw records when the program has ended
	drop  = "drop"
)

// run runs the subject and returns what its own process took, measured by this
// command standing between the go command and the program (-exec), and how many bytes of raw records it left.
func (sub subject) run(ctx context.Context, s *session.Session, raws string, command ...string) (c cost, raw int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, 0, err
	}
	result := filepath.Join(s.Dir, "cost.txt")
	os.Remove(result)
	args := append(slices.Clone(command[1:]), "-exec", strings.Join([]string{self, timed, result, raws}, " "))
	cmd := exec.CommandContext(ctx, command[0], append(args, sub.args...)...)
	cmd.Dir = sub.dir
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	runErr := cmd.Run() // races found or failing tests are not our business
	data, err := os.ReadFile(result)
	if err != nil {
		return cost{}, 0, fmt.Errorf("%v did not run the program: %v\n%s", cmd.Args, runErr, out.Bytes())
	}
	for line := range strings.Lines(string(data)) {
		var cpu, wall float64
		var n int64
		if _, err := fmt.Sscan(line, &cpu, &wall, &n); err != nil {
			return cost{}, 0, err
		}
		c, raw = cost{c.cpu + cpu, c.wall + wall}, raw+n
	}
	return c, raw, nil
}

// runTimed runs a program and appends its CPU and wall seconds and the size of its raw records to a file.
// The records go if they are dropped.
func runTimed(result string, dropped bool, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		log.Print(err)
		return 1
	}
	f, err := os.OpenFile(result, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		log.Print(err)
		return 1
	}
	defer f.Close()
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintln(f, cpu.Seconds(), wall.Seconds(), rawSize(os.Getenv(rt.EnvDir), dropped))
	return cmd.ProcessState.ExitCode()
}

// rawSize returns the bytes of the raw records in dir, and removes them if they are dropped.
func rawSize(dir string, dropped bool) (n int64) {
	if dir == "" {
		return 0 // not recorded
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, name := range files {
		if st, err := os.Stat(name); err == nil {
			n += st.Size()
		}
		if dropped {
			os.Remove(name)
		}
	}
	return n
}

// traceSize returns the number of events in the traces of a run, and their bytes an event.
func traceSize(name string) (events int64, bytesPerEvent float64) {
	var size int64
	files, _ := filepath.Glob(name + "*")
	more, _ := filepath.Glob(filepath.Join(name, "*"))
	for _, f := range append(files, more...) {
		t, err := trace.Open(f)
		if err != nil {
			continue // a directory of traces
		}
		events, size = events+max(t.Events(), 0), size+t.Size()
		t.Close()
	}
	if events == 0 {
		return 0, math.NaN()
	}
	return events, float64(size) / float64(events)
}

func geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
