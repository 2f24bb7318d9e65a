// Command replay records programs, predicts their races, and replays each: the program is run again
// under the race's witness, and Go's race detector is the judge. The count of plain go test -race
// runs that see the race stands beside.
//
//	go run ./bench/replay [-dir scratch] [-n 20] [-level causal] [-times 1] [packages]
//	go run ./bench/replay -run [-max 20] ./bench/recipe/*/
//	go run ./bench/replay -known [-only name]
//	go run ./bench/replay -fixed [-only name]
//
// Packages are of this module, ./examples/... if there are none. With -known, the modules and
// drivers of bench/realraces are replayed, in the version before the fix. With -fixed, their
// schedules are kept (presage replay -keep), replayed in the version after the fix, where none may
// be confirmed, and once more in the version before it, where all have to be.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/presage-race/presage/bench/session"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

var (
	dir   = flag.String("dir", "", "scratch directory")
	n     = flag.Int("n", 20, "runs of go test -race for the comparison; 0 for none")
	level = flag.String("level", "value", "level of the analysis")
	times = flag.Int("times", 1, "how often each race is replayed")
	known = flag.Bool("known", false, "the known races of bench/realraces")
	fixed = flag.Bool("fixed", false, "schedules kept before a fix, replayed after it")
	run   = flag.Bool("run", false, "the packages are programs, not tests: presage run, go build -race")
	most  = flag.Int("max", 0, "at most so many races of each package; 0: all")
	only  = flag.String("only", "", "with -known: only the race of this name")
)

// total is what all lines sum up to.
type total struct{ races, confirmed, first, replays int }

func main() {
	log.SetFlags(0)
	log.SetPrefix("replay: ")
	flag.Parse()
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	if *fixed {
		if !replayFixed(ctx, s) {
			os.Exit(1)
		}
		return
	}
	var t total
	fmt.Println("race              tier       accesses                                      steps  verdict                go test -race")
	if *known {
		err = replayKnown(ctx, s, &t)
	} else {
		packages := flag.Args()
		if len(packages) == 0 {
			packages = []string{"./examples/..."}
		}
		if *run {
			for _, p := range packages {
				fmt.Println(p)
				err = errors.Join(err, replayAll(ctx, s, ".", []string{p}, &t))
			}
		} else {
			err = replayAll(ctx, s, ".", packages, &t)
		}
	}
	if err != nil {
		log.Print(err)
	}
	fmt.Printf("%d races, %d confirmed; %d replays, %d of them confirmed in the first try\n", t.races, t.confirmed, t.replays, t.first)
	if err != nil || t.confirmed < t.races {
		os.Exit(1)
	}
}

// replayAll replays the races of packages of the module in dir, of those that are wanted.
func replayAll(ctx context.Context, s *session.Session, dir string, args []string, t *total) error {
	env := []string{"PRESAGE_CACHE=" + filepath.Join(s.Dir, "cache")}
	var out *session.Outcome
	var err error
	if *run {
		out, err = recordProgram(ctx, s, dir, env, args)
	} else {
		out, err = s.Test(ctx, dir, env, append([]string{"-level=" + *level, "-vet=off", "-count=1"}, args...)...)
	}
	if err != nil {
		return err
	}
	races := out.Races
	if *most > 0 && len(races) > *most {
		fmt.Printf("%d races, of which every %dth is replayed\n", len(races), (len(races)+*most-1) / *most)
		races = every((len(races)+*most-1) / *most, races)
	}
	if len(races) == 0 {
		fmt.Println("no race was found")
		return nil
	}
	ids := make([]string, len(races))
	for i, r := range races {
		ids[i] = r.ID
	}
	outcomes := map[string][]*replay.Outcome{}
	for range *times {
		all, err := replayThese(ctx, s, dir, env, ids)
		if err != nil {
			log.Print(err)
		}
		for _, o := range all {
			outcomes[o.ID] = append(outcomes[o.ID], o)
		}
	}
	outputs, err := plain(ctx, s, dir, args)
	if err != nil {
		log.Print(err)
	}
	for _, r := range races {
		line(r, outcomes[r.ID], outputs, t)
	}
	return nil
}

// every returns every kth race: of all tiers, because they are ordered by it.
func every(k int, races []*report.Race) []*report.Race {
	var out []*report.Race
	for i, r := range races {
		if i%k == 0 {
			out = append(out, r)
		}
	}
	return out
}

// recordProgram is session.Test for a program, which runs on one processor, as bench/recipe has it.
func recordProgram(ctx context.Context, s *session.Session, dir string, env, args []string) (*session.Outcome, error) {
	cmd := exec.CommandContext(ctx, s.Presage, append([]string{"run", "-json", "-confirm=off", "-level=" + *level}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), env...), "GOMAXPROCS=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	out, err := session.Read(stdout.Bytes())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return out, err
}

func replayThese(ctx context.Context, s *session.Session, dir string, env, ids []string) ([]*replay.Outcome, error) {
	cmd := exec.CommandContext(ctx, s.Presage, append([]string{"replay", "-json", "-q"}, ids...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	var all []*replay.Outcome
	for dec := json.NewDecoder(&stdout); dec.More(); {
		o := new(replay.Outcome)
		if err := dec.Decode(o); err != nil {
			return all, err
		}
		all = append(all, o)
	}
	if stderr.Len() > 0 {
		log.Printf("%s", bytes.TrimSpace(stderr.Bytes()))
	}
	return all, err
}

// line prints what became of a race.
func line(r *report.Race, outcomes []*replay.Outcome, outputs []string, t *total) {
	confirmed, first, steps := 0, 0, 0
	why := ""
	for _, o := range outcomes {
		steps = max(steps, o.Steps)
		switch {
		case o.Confirmed:
			confirmed++
			if len(o.Tries) == 1 {
				first++
			}
		case len(o.Tries) > 0:
			why = o.Tries[0].Why
		}
	}
	seen := 0
	for _, text := range outputs {
		a, b := replay.Line{File: r.A.File, Line: r.A.Line}, replay.Line{File: r.B.File, Line: r.B.Line}
		if replay.Judge(text, a, b, func(file string) bool { return file == a.File || file == b.File }) != "" {
			seen++
		}
	}
	verdict := "NOT CONFIRMED"
	if confirmed > 0 {
		t.confirmed++
		last := outcomes[len(outcomes)-1]
		verdict = fmt.Sprintf("confirmed, try %d", len(last.Tries))
		if len(outcomes) > 1 {
			verdict = fmt.Sprintf("confirmed %d of %d", confirmed, len(outcomes))
		}
	}
	t.races++
	t.first += first
	t.replays += len(outcomes)
	where := fmt.Sprintf("%s %s:%d, %s %s:%d", r.A.Kind, filepath.Base(r.A.File), r.A.Line, r.B.Kind, filepath.Base(r.B.File), r.B.Line)
	fmt.Printf("%-17s %-10s %-45s %5d  %-22s %d of %d\n", r.ID, r.Tier, where, steps, verdict, seen, *n)
	if why != "" {
		fmt.Printf("    %s\n", why)
	}
}

// plain returns what n runs of go test -race print, without presage.
func plain(ctx context.Context, s *session.Session, dir string, args []string) ([]string, error) {
	if *n == 0 {
		return nil, nil
	}
	bins, err := build(ctx, s, dir, args)
	if err != nil {
		return nil, err
	}
	outputs := make([]string, *n)
	for i := range outputs {
		texts := make([]string, len(bins))
		var all errgroup.Group
		all.SetLimit(8) // the race detector sleeps for a second at the end of a program
		for j, b := range bins {
			all.Go(func() error {
				cmd := exec.CommandContext(ctx, b.name, b.args...)
				cmd.Dir = b.dir
				out, err := cmd.CombinedOutput()
				texts[j] = string(out)
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					err = nil
				}
				return err
			})
		}
		if err := all.Wait(); err != nil {
			return nil, err
		}
		outputs[i] = strings.Join(texts, "")
	}
	return outputs, nil
}

// binary is a program or test, built with -race and without presage.
type binary struct {
	name, dir string
	args      []string
}

// build builds the programs or tests of packages; flags among args are those of go test.
func build(ctx context.Context, s *session.Session, dir string, args []string) ([]binary, error) {
	command := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return out, err
	}
	if *run {
		bin := filepath.Join(s.Dir, "plain")
		_, err := command(append([]string{"build", "-race", "-o", bin}, args...)...)
		return []binary{{bin, dir, nil}}, err
	}
	var packages, flags []string
	for _, a := range args {
		if f, ok := strings.CutPrefix(a, "-"); ok {
			flags = append(flags, "-test."+f)
		} else {
			packages = append(packages, a)
		}
	}
	out, err := command(append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)...)
	if err != nil {
		return nil, err
	}
	var bins []binary
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		bin := filepath.Join(s.Dir, fmt.Sprintf("plain%d.test", len(bins)))
		if _, err := command("test", "-race", "-vet=off", "-c", "-o", bin, f[0]); err != nil {
			return nil, err
		}
		bins = append(bins, binary{bin, f[1], flags})
	}
	return bins, nil
}
