package confirm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/known"
	"github.com/presage-race/presage/internal/report"
)

// plainAsked is the number of plain tests that are asked for. A race that depends on the order of
// steps inside the two calls has none.
const plainAsked = 10

// Plain has presage write the known races of public modules as plain Go tests (replay -as
// synctest). Each of n runs of go test -race has to show the race in the version before the fix,
// and none after it.
func Plain(args []string) int {
	j := start("plain", "[-only name] [-n 20]", args)
	list, err := known.Races(j.only)
	command.Check(err)
	ctx := context.Background()
	silent := 0
	for _, k := range list {
		for _, test := range known.Orders {
			fmt.Printf("%s %s, after it %s, %s\n", k.Module, k.Before, k.After, test)
			n, err := j.plainTests(ctx, k, test)
			if err != nil {
				log.Print(err)
			}
			silent += n
		}
	}
	fmt.Printf("%d races; as plain tests %d are shown in each of %d runs before the fix, and %d in none after it\n", j.races, j.confirmed, j.n, silent)
	j.figures.Print("all", command.Count(j.races, "races"), command.Count(j.confirmed, "shown-before"), command.Count(silent, "silent-after"))
	return command.Code(j.confirmed >= plainAsked && silent == j.confirmed)
}

// plainTests does so for the races of one test of a driver. It returns how many tests are silent
// after the fix.
func (j *job) plainTests(ctx context.Context, k known.Race, test string) (silent int, err error) {
	old, err := known.Driven(ctx, j.Session, k, k.Before)
	if err != nil {
		return 0, err
	}
	now, err := known.Driven(ctx, j.Session, k, k.After)
	if err != nil {
		return 0, err
	}
	env := []string{"PRESAGE_CACHE=" + filepath.Join(j.Dir, "cache")}
	out, err := j.Test(ctx, old, env, "-level="+j.level, "-vet=off", "-count=1", "-run=^"+test+"$", "./presagedriver")
	if err != nil {
		return 0, err
	}
	for _, r := range out.Races {
		j.races++
		name := filepath.Join("presagedriver", "presage_"+r.ID+"_test.go")
		if err := os.RemoveAll(filepath.Join(old, name)); err != nil {
			return silent, err
		}
		if out, err := j.presage(ctx, old, env, "replay", "-q", "-as", "synctest", r.ID); err != nil {
			fmt.Printf("  %s  %v%s\n", r.ID, err, out)
			continue
		}
		text, err := os.ReadFile(filepath.Join(old, name))
		if err != nil {
			return silent, err
		}
		before, err := j.runs(ctx, old, r)
		if err != nil {
			return silent, err
		}
		if before == j.n {
			j.confirmed++
		}
		if err := os.WriteFile(filepath.Join(now, name), text, 0o600); err != nil {
			return silent, err
		}
		after, err := j.runs(ctx, now, r)
		if err != nil {
			return silent, err
		}
		if after == 0 {
			silent++
		}
		delay := "no delay"
		if bytes.Contains(text, []byte("time.Sleep(time.M")) {
			delay = "a delay"
		}
		fmt.Printf("  %s  %s and %s: in %d of %d runs before the fix, %d after it; %s\n", r.ID, short(r.A.File, r.A.Line), short(r.B.File, r.B.Line), before, j.n, after, delay)
		if err := errors.Join(os.Remove(filepath.Join(old, name)), os.Remove(filepath.Join(now, name))); err != nil {
			return silent, err
		}
	}
	return silent, nil
}

// runs runs the test of a race and returns how many runs have a report of the race detector.
func (j *job) runs(ctx context.Context, dir string, r *report.Race) (shown int, err error) {
	binary := filepath.Join(dir, "presagedriver.test")
	defer os.Remove(binary)
	build := exec.CommandContext(ctx, "go", "test", "-race", "-vet=off", "-c", "-o", binary, "./presagedriver")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	for range j.n {
		cmd := exec.CommandContext(ctx, binary, "-test.run=^TestPresage"+r.ID+"$", "-test.v")
		cmd.Dir = filepath.Join(dir, "presagedriver")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return 0, err
		}
		if !strings.Contains(string(out), "TestPresage"+r.ID) {
			return 0, fmt.Errorf("the test did not run: %s", out)
		}
		if bytes.Contains(out, []byte("WARNING: DATA RACE")) {
			shown++
		}
	}
	return shown, nil
}
