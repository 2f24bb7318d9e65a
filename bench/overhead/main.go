// Command overhead measures what recording costs the program under test: CPU time
// (user and system) of the process, plain, under -race, and recorded by presage with the
// raw records written to disk, in turn within every round; the ratios are taken
// round by round, and their medians printed.
//
//	go run ./bench/overhead [-rounds 10] [-dir scratch] [-only name]
//
// The programs are the three of programs/ and the test suites of the modules in
// testdata/modules.tsv.
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
	"strconv"
	"strings"
	"syscall"

	"presage/bench/session"
	"presage/internal/trace"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("overhead: ")
	if len(os.Args) > 2 && os.Args[1] == timed {
		os.Exit(runTimed(os.Args[2], os.Args[3:]))
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
	fmt.Println("subject        plain s   -race x   presage x   presage/-race   events       bytes/event")
	var race, presage []float64
	for _, sub := range list {
		if *only != "" && sub.name != *only {
			continue
		}
		r, p, err := measure(ctx, s, sub, *rounds)
		if err != nil {
			log.Fatal(err)
		}
		race, presage = append(race, r), append(presage, p)
	}
	fmt.Printf("geometric mean           %7.2f   %9.2f   %13.2f\n", geomean(race), geomean(presage), geomean(presage)/geomean(race))
	if geomean(presage) > geomean(race) {
		os.Exit(1)
	}
}

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
func measure(ctx context.Context, s *session.Session, sub subject, rounds int) (race, presage float64, err error) {
	var plain, r, p, rel []float64
	var events int64
	var size float64
	for round := range rounds + 1 {
		a, err := sub.cpu(ctx, s, "go", sub.verb)
		if err != nil {
			return 0, 0, err
		}
		b, err := sub.cpu(ctx, s, "go", sub.verb, "-race")
		if err != nil {
			return 0, 0, err
		}
		kept := filepath.Join(s.Dir, sub.name+".presage")
		c, err := sub.cpu(ctx, s, s.Presage, sub.verb, "-level", "none", "-o", kept)
		if err != nil {
			return 0, 0, err
		}
		if round == 0 { // builds, warms up
			events, size = traceSize(kept)
			continue
		}
		plain, r, p, rel = append(plain, a), append(r, b/a), append(p, c/a), append(rel, c/b)
	}
	fmt.Printf("%-12s %9.3f %9.2f %11.2f %15.2f   %-12d %.2f\n", sub.name, median(plain), median(r), median(p), median(rel), events, size)
	return median(r), median(p), nil
}

const timed = "-timed"

// cpu runs the subject and returns the CPU seconds of its own process, measured by
// this command standing between the go command and the program (-exec).
func (sub subject) cpu(ctx context.Context, s *session.Session, command ...string) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	result := filepath.Join(s.Dir, "cpu.txt")
	os.Remove(result)
	args := append(slices.Clone(command[1:]), "-exec", self+" "+timed+" "+result)
	cmd := exec.CommandContext(ctx, command[0], append(args, sub.args...)...)
	cmd.Dir = sub.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	runErr := cmd.Run() // races found or failing tests are not our business
	data, err := os.ReadFile(result)
	if err != nil {
		return 0, fmt.Errorf("%v did not run the program: %v\n%s", cmd.Args, runErr, out.Bytes())
	}
	total := 0.0
	for f := range strings.FieldsSeq(string(data)) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// runTimed runs a program and appends its CPU seconds to a file.
func runTimed(result string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		log.Print(err)
		return 1
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	f, err := os.OpenFile(result, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		log.Print(err)
		return 1
	}
	defer f.Close()
	fmt.Fprintf(f, "%d.%06d %d.%06d\n", u.Utime.Sec, u.Utime.Usec, u.Stime.Sec, u.Stime.Usec)
	return cmd.ProcessState.ExitCode()
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

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
