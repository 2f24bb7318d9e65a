package confirm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/known"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
)

// Known replays the known races of public modules, in both orders of their drivers.
func Known(args []string) int {
	j := start("known", "[-only name] [flags]", args)
	return j.end(j.replayKnown(context.Background()))
}

func (j *job) replayKnown(ctx context.Context) error {
	list, err := known.Races(j.only)
	if err != nil {
		return err
	}
	for _, k := range list {
		mod, err := known.Driven(ctx, j.Session, k, k.Before)
		if err != nil {
			return err
		}
		for _, test := range known.Orders {
			fmt.Printf("%s %s %s\n", k.Module, k.Before, test)
			if err := j.replayAll(ctx, mod, []string{"-run=^" + test + "$", "./presagedriver"}); err != nil {
				log.Print(err)
			}
		}
	}
	return nil
}

// verdicts counts what became of kept schedules.
type verdicts map[replay.Verdict]int

// Fixed keeps the schedules of the known races, and replays them before and after the fix.
func Fixed(args []string) int {
	j := start("fixed", "[-only name] [-level value] [-dir scratch]", args)
	list, err := known.Races(j.only)
	command.Check(err)
	ctx := context.Background()
	before, after, kept, races := verdicts{}, verdicts{}, 0, 0
	ok := true
	for _, k := range list {
		for _, test := range known.Orders {
			fmt.Printf("%s %s, after it %s, %s\n", k.Module, k.Before, k.After, test)
			n, m, err := j.fix(ctx, k, test, before, after)
			if err != nil {
				log.Print(err)
				ok = false
			}
			races, kept = races+n, kept+m
		}
	}
	fmt.Printf("%d races, %d schedules kept; before the fix: %d confirmed; after it: %d no longer feasible, %d no longer fit, %d not confirmed, %d confirmed\n",
		races, kept, before[replay.Confirmed], after[replay.NoLongerFeasible], after[replay.NoLongerFits], after[replay.NotConfirmed], after[replay.Confirmed])
	j.figures.Print("all", command.Count(races, "races"), command.Count(kept, "kept"), command.Count(before[replay.Confirmed], "confirmed-before"), command.Count(after[replay.Confirmed], "confirmed-after"))
	return command.Code(ok && kept == races && before[replay.Confirmed] == kept && after[replay.NoLongerFeasible] == kept)
}

// fix keeps the schedules of one test of a driver.
func (j *job) fix(ctx context.Context, k known.Race, test string, before, after verdicts) (races, kept int, err error) {
	old, err := known.Driven(ctx, j.Session, k, k.Before)
	if err != nil {
		return 0, 0, err
	}
	now, err := known.Driven(ctx, j.Session, k, k.After)
	if err != nil {
		return 0, 0, err
	}
	for _, dir := range []string{old, now} {
		if err := os.RemoveAll(filepath.Join(dir, "presage")); err != nil {
			return 0, 0, err
		}
	}
	env := []string{"PRESAGE_CACHE=" + filepath.Join(j.Dir, "cache")}
	out, err := j.Test(ctx, old, env, "-level="+j.level, "-vet=off", "-count=1", "-run=^"+test+"$", "./presagedriver")
	if err != nil || len(out.Races) == 0 {
		return 0, 0, errors.Join(err, errors.New("no race was found"))
	}
	if _, err := j.presage(ctx, old, env, "replay", "-q", "-keep", "-all"); err != nil {
		log.Print(err)
	}
	if err := record.CopyTree(filepath.Join(old, "presage"), filepath.Join(now, "presage")); err != nil {
		return len(out.Races), 0, err
	}
	if kept, err = j.count(ctx, old, env, before, ""); err != nil {
		return len(out.Races), kept, err
	}
	_, err = j.count(ctx, now, env, after, "after: ")
	return len(out.Races), kept, err
}

// count replays the kept schedules of a module.
func (j *job) count(ctx context.Context, dir string, env []string, v verdicts, show string) (n int, err error) {
	text, err := j.presage(ctx, dir, env, "replay", "-q", "-json", "presage")
	if err != nil {
		log.Print(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); n++ {
		var o replay.KeptOutcome
		if err := dec.Decode(&o); err != nil {
			return n, err
		}
		v[o.Verdict]++
		if show != "" || o.Verdict != replay.Confirmed {
			fmt.Printf("  %s %s%s: %s\n", o.ID, show, o.Verdict, o.Reason)
		}
	}
	return n, nil
}

// presage runs the command and returns its standard output.
func (j *job) presage(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, j.Presage, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if stderr.Len() > 0 {
		return stdout.Bytes(), fmt.Errorf("presage %s: %s", strings.Join(args, " "), bytes.TrimSpace(stderr.Bytes()))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return stdout.Bytes(), err
}
