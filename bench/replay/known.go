package main

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

	"github.com/presage-race/presage/bench/session"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
)

// orders are the tests of a driver: both calls side by side, and hidden by a lock.
var orders = []string{"TestTogether", "TestMasked"}

// replayKnown replays the known races of real modules, in both orders of their drivers.
func replayKnown(ctx context.Context, s *session.Session, t *total) error {
	list, err := session.KnownRaces(*only)
	if err != nil {
		return err
	}
	for _, k := range list {
		mod, err := s.Driven(ctx, k, k.Before)
		if err != nil {
			return err
		}
		for _, test := range orders {
			fmt.Printf("%s %s %s\n", k.Module, k.Before, test)
			if err := replayAll(ctx, s, mod, []string{"-run=^" + test + "$", "./presagedriver"}, t); err != nil {
				log.Print(err)
			}
		}
	}
	return nil
}

// verdicts counts what became of kept schedules.
type verdicts map[replay.Verdict]int

// replayFixed keeps the schedules of the known races, and replays them before and after the fix.
// ok: as it should be.
func replayFixed(ctx context.Context, s *session.Session) (ok bool) {
	list, err := session.KnownRaces(*only)
	if err != nil {
		log.Print(err)
		return false
	}
	before, after, kept, races := verdicts{}, verdicts{}, 0, 0
	ok = true
	for _, k := range list {
		for _, test := range orders {
			fmt.Printf("%s %s, after it %s, %s\n", k.Module, k.Before, k.After, test)
			n, m, err := fix(ctx, k, s, test, before, after)
			if err != nil {
				log.Print(err)
				ok = false
			}
			races, kept = races+n, kept+m
		}
	}
	fmt.Printf("%d races, %d schedules kept; before the fix: %d confirmed; after it: %d no longer feasible, %d no longer fit, %d not confirmed, %d confirmed\n",
		races, kept, before[replay.Confirmed], after[replay.NoLongerFeasible], after[replay.NoLongerFits], after[replay.NotConfirmed], after[replay.Confirmed])
	return ok && kept == races && before[replay.Confirmed] == kept && after[replay.NoLongerFeasible] == kept
}

// fix does so with one test of a driver.
func fix(ctx context.Context, k session.Known, s *session.Session, test string, before, after verdicts) (races, kept int, err error) {
	old, err := s.Driven(ctx, k, k.Before)
	if err != nil {
		return 0, 0, err
	}
	now, err := s.Driven(ctx, k, k.After)
	if err != nil {
		return 0, 0, err
	}
	for _, dir := range []string{old, now} {
		if err := os.RemoveAll(filepath.Join(dir, "presage")); err != nil {
			return 0, 0, err
		}
	}
	env := []string{"PRESAGE_CACHE=" + filepath.Join(s.Dir, "cache")}
	out, err := s.Test(ctx, old, env, "-level="+*level, "-vet=off", "-count=1", "-run=^"+test+"$", "./presagedriver")
	if err != nil || len(out.Races) == 0 {
		return 0, 0, errors.Join(err, errors.New("no race was found"))
	}
	if _, err := presage(ctx, s, old, env, "replay", "-q", "-keep", "-all"); err != nil {
		log.Print(err)
	}
	if err := record.CopyTree(filepath.Join(old, "presage"), filepath.Join(now, "presage")); err != nil {
		return len(out.Races), 0, err
	}
	if kept, err = count(ctx, s, old, env, before, ""); err != nil {
		return len(out.Races), kept, err
	}
	_, err = count(ctx, s, now, env, after, "after: ")
	return len(out.Races), kept, err
}

// count replays the kept schedules of a module.
func count(ctx context.Context, s *session.Session, dir string, env []string, v verdicts, show string) (n int, err error) {
	text, err := presage(ctx, s, dir, env, "replay", "-q", "-json", "presage")
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
func presage(ctx context.Context, s *session.Session, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.Presage, args...)
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
