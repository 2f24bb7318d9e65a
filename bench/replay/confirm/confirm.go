// Package confirm records programs, predicts their races, and replays each race: the program runs
// again under the race's witness, and Go's race detector judges. Beside it is the number of plain
// go test -race runs that see the race.
//
//	go -C bench run ./replay tests [-dir scratch] [-n 20] [-level causal] [-times 1] [packages]
//	go -C bench run ./replay programs [-max 20] ./programs/recipe/...
//	go -C bench run ./replay known [-only name]
//	go -C bench run ./replay fixed [-only name]
//	go -C bench run ./replay alone [-n 20] [-max 0] [packages]
//	go -C bench run ./replay plain [-n 20] [-only name]
//
// Packages are of bench, or, with ../ in front, of presage's own module.
//
//	tests     the tests of packages; ../examples/... if none is named
//	programs  the commands of packages: presage run, go build -race
//	known     the known races of public modules (package known), in the version before the fix
//	fixed     their schedules are kept (presage replay -keep), and replayed after the fix, where
//	          none may be confirmed, and
//	          again in the version before it, where all have to be
//
//	alone     confirmed races of tests are written as builds that need no presage (presage replay
//	          -as overlay); each of n runs of the go command has to show the race
//	plain     the known races are written as plain Go tests (presage replay -as synctest); each of
//	          n runs has to show the race before the fix, and none after it
//
// The exit code is 1 if a race is not confirmed, or a kept schedule is not as it should be.
package confirm

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

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// job is what one subcommand does, and what its lines sum up to.
type job struct {
	*session.Session
	flags    *flag.FlagSet
	figures  *command.Figures
	level    string
	only     string // the known race of this name; "": all
	n        int    // runs of -race
	times    int    // replays of a race
	most     int    // races of a package; 0: all
	programs bool   // packages are programs, not tests

	races, confirmed, first, replays int
}

// start reads the flags of a subcommand and builds presage.
func start(sub, synopsis string, args []string) *job {
	j := &job{flags: command.FlagsOf("replay/confirm", "replay "+sub, synopsis), programs: sub == "programs"}
	dir := command.Dir(j.flags)
	j.flags.StringVar(&j.level, "level", "value", "level of the analysis")
	if sub == "known" || sub == "fixed" || sub == "plain" {
		j.flags.StringVar(&j.only, "only", "", "only the race of this name")
	}
	if sub != "fixed" {
		j.flags.IntVar(&j.n, "n", 20, "runs of go test -race for the comparison; 0 for none")
		j.flags.IntVar(&j.times, "times", 1, "how often each race is replayed")
		j.flags.IntVar(&j.most, "max", 0, "most races of each package that are replayed; 0: all")
	}
	j.figures = command.FiguresFlag(j.flags)
	j.flags.Parse(args)
	if sub == "known" || sub == "fixed" || sub == "plain" {
		command.NoArgs(j.flags)
	}
	var err error
	j.Session, err = session.New(context.Background(), *dir)
	command.Check(err)
	if sub != "fixed" && sub != "alone" && sub != "plain" {
		fmt.Println("race              tier       accesses                                      steps  verdict                go test -race")
	}
	return j
}

// end prints the sums and returns the exit code.
func (j *job) end(err error) int {
	if err != nil {
		log.Print(err)
	}
	fmt.Printf("%d races, %d confirmed; %d replays, %d of them confirmed in the first try\n", j.races, j.confirmed, j.replays, j.first)
	j.figures.Print("all", command.Count(j.races, "races"), command.Count(j.confirmed, "confirmed"), command.Count(j.replays, "replays"), command.Count(j.first, "first-try"))
	return command.Code(err == nil && j.confirmed == j.races)
}

// Tests replays the races of tests.
func Tests(args []string) int {
	j := start("tests", "[flags] [packages]", args)
	packages := j.flags.Args()
	if len(packages) == 0 {
		packages = []string{"../examples/..."}
	}
	var err error
	for _, p := range packages {
		dir, in := session.Place(p)
		err = errors.Join(err, j.replayAll(context.Background(), dir, []string{in}))
	}
	return j.end(err)
}

// Programs replays the races of commands.
func Programs(args []string) int {
	j := start("programs", "[flags] packages", args)
	if j.flags.NArg() == 0 {
		return command.Usage(j.flags)
	}
	var err error
	for _, pattern := range j.flags.Args() {
		dir, in := session.Place(pattern)
		list, lerr := commands(dir, in)
		err = errors.Join(err, lerr)
		for _, p := range list {
			fmt.Println(p)
			err = errors.Join(err, j.replayAll(context.Background(), dir, []string{p}))
		}
	}
	return j.end(err)
}

// commands lists the packages of a pattern that are commands.
func commands(dir, pattern string) ([]string, error) {
	cmd := exec.Command("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, pattern)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.Fields(string(out)), err
}

// replayAll replays the races of packages of the module in dir.
func (j *job) replayAll(ctx context.Context, dir string, args []string) error {
	env := []string{"PRESAGE_CACHE=" + filepath.Join(j.Dir, "cache")}
	var out *session.Outcome
	var err error
	if j.programs {
		out, err = j.recordProgram(ctx, dir, env, args)
	} else {
		out, err = j.Test(ctx, dir, env, append([]string{"-level=" + j.level, "-vet=off", "-count=1"}, args...)...)
	}
	if err != nil {
		return err
	}
	races := out.Races
	if j.most > 0 && len(races) > j.most {
		k := (len(races) + j.most - 1) / j.most
		fmt.Printf("%d races, of which every %dth is replayed\n", len(races), k)
		races = every(k, races)
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
	for range j.times {
		all, err := j.replayThese(ctx, dir, env, ids)
		if err != nil {
			log.Print(err)
		}
		for _, o := range all {
			outcomes[o.ID] = append(outcomes[o.ID], o)
		}
	}
	outputs, err := j.plain(ctx, dir, args)
	if err != nil {
		log.Print(err)
	}
	for _, r := range races {
		j.line(r, outcomes[r.ID], outputs)
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

// recordProgram is session.Test for a program, which runs on one processor, as recall recipe
// runs it.
func (j *job) recordProgram(ctx context.Context, dir string, env, args []string) (*session.Outcome, error) {
	cmd := exec.CommandContext(ctx, j.Presage, append([]string{"run", "-json", "-confirm=off", "-level=" + j.level}, args...)...)
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

func (j *job) replayThese(ctx context.Context, dir string, env, ids []string) ([]*replay.Outcome, error) {
	cmd := exec.CommandContext(ctx, j.Presage, append([]string{"replay", "-json", "-q"}, ids...)...)
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
func (j *job) line(r *report.Race, outcomes []*replay.Outcome, outputs []string) {
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
		j.confirmed++
		last := outcomes[len(outcomes)-1]
		verdict = fmt.Sprintf("confirmed, try %d", len(last.Tries))
		if len(outcomes) > 1 {
			verdict = fmt.Sprintf("confirmed %d of %d", confirmed, len(outcomes))
		}
	}
	j.races++
	j.first += first
	j.replays += len(outcomes)
	where := fmt.Sprintf("%s %s:%d, %s %s:%d", r.A.Kind, filepath.Base(r.A.File), r.A.Line, r.B.Kind, filepath.Base(r.B.File), r.B.Line)
	fmt.Printf("%-17s %-10s %-45s %5d  %-22s %d of %d\n", r.ID, r.Tier, where, steps, verdict, seen, j.n)
	if why != "" {
		fmt.Printf("    %s\n", why)
	}
}

// plain returns what n runs of go test -race print, without presage.
func (j *job) plain(ctx context.Context, dir string, args []string) ([]string, error) {
	if j.n == 0 {
		return nil, nil
	}
	bins, err := j.build(ctx, dir, args)
	if err != nil {
		return nil, err
	}
	outputs := make([]string, j.n)
	for i := range outputs {
		texts := make([]string, len(bins))
		var all errgroup.Group
		all.SetLimit(8) // the race detector sleeps for a second at the end of a program
		for k, b := range bins {
			all.Go(func() error {
				cmd := exec.CommandContext(ctx, b.name, b.args...)
				cmd.Dir = b.dir
				out, err := cmd.CombinedOutput()
				texts[k] = string(out)
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
func (j *job) build(ctx context.Context, dir string, args []string) ([]binary, error) {
	command := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return out, err
	}
	if j.programs {
		bin := filepath.Join(j.Dir, "plain")
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
		bin := filepath.Join(j.Dir, fmt.Sprintf("plain%d.test", len(bins)))
		if _, err := command("test", "-race", "-vet=off", "-c", "-o", bin, f[0]); err != nil {
			return nil, err
		}
		bins = append(bins, binary{bin, f[1], flags})
	}
	return bins, nil
}
