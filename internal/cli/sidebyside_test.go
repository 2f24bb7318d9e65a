package cli

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// ended is a replay that took a time, in which its program used a share of a processor.
func ended(took time.Duration, share float64, peak int64) *attempt {
	cpu := time.Duration(share * float64(took))
	return &attempt{took: took, out: &replay.Outcome{Tries: []replay.Try{{Seconds: took.Seconds(), CPU: cpu, Peak: peak}}}}
}

// How many replays may run at once depends on the use of processors by earlier ones.
func TestCrowdAllowed(t *testing.T) {
	for _, c := range []struct {
		procs int
		flags []string
		ended []*attempt
		want  int
	}{
		{2, nil, nil, 2},
		{2, nil, []*attempt{ended(time.Second, 0.1, 0)}, 6},
		{2, nil, []*attempt{ended(time.Second, 0.3, 0)}, 5},
		{2, nil, []*attempt{ended(time.Second, 1, 0)}, 1},
		{2, nil, []*attempt{ended(time.Second, 2, 0)}, 1},
		{2, nil, []*attempt{ended(time.Second, 1, 0), ended(9*time.Second, 0, 0)}, 6},
		{8, nil, []*attempt{ended(time.Second, 1, 0)}, 6},
		// a schedule is made for half of it
		{8, nil, []*attempt{{took: time.Second, out: &replay.Outcome{Look: &replay.Try{Seconds: 0.5}}}}, 12},
		{2, []string{"-p=1"}, nil, 1},
		{2, []string{"--p=4", "-tags=x"}, []*attempt{ended(time.Second, 0.1, 0)}, 4},
		{2, []string{"-p=x"}, nil, 2},
	} {
		crowd := newReplayers(c.flags, c.procs)
		for _, at := range c.ended {
			crowd.leave(crowd.enter(), at)
		}
		if got := crowd.allowed(); got != c.want {
			t.Errorf("%d processors, flags %v, %d replays: %d, want %d", c.procs, c.flags, len(c.ended), got, c.want)
		}
	}
}

// One replay begins in any case, however little memory there is, and others when it has ended.
func TestCrowdMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newReplayers(nil, 4)
		c.memory = func() int64 { return 100 }
		c.leave(c.enter(), ended(time.Second, 0.1, 60))
		first := c.enter()
		var began atomic.Bool
		go func() {
			second := c.enter()
			began.Store(true)
			c.leave(second, nil)
		}()
		synctest.Wait()
		if began.Load() {
			t.Error("a second replay began without memory")
		}
		if c.leave(first, nil) {
			t.Error("it was alone, and is said to have had others beside it")
		}
		synctest.Wait()
		if !began.Load() {
			t.Error("the second replay did not begin")
		}
	})
}

// Whoever had another replay beside it at any time knows.
func TestCrowdBeside(t *testing.T) {
	c := newReplayers(nil, 4)
	first := c.enter()
	second := c.enter()
	if !c.leave(second, nil) || !c.leave(first, nil) {
		t.Error("two that overlapped were taken for alone")
	}
	if c.leave(c.enter(), nil) {
		t.Error("one that was alone was taken for beside others")
	}
}

func outcome(tries ...replay.Try) *replay.Outcome {
	o := &replay.Outcome{Tries: tries}
	for _, t := range tries {
		o.Confirmed = o.Confirmed || t.Confirmed
	}
	return o
}

// What has come of races stands in their order, whoever ends first. What came to nothing beside
// others is replayed again alone, but for pairs that are only tried, and for errors.
func TestReplayAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		diverged, kept := replay.Try{}, replay.Try{Followed: true, Met: true}
		var races []*report.Race
		for i, tier := range []report.Tier{report.Predicted, report.Observed, report.ToRun, report.Predicted, report.Predicted} {
			races = append(races, &report.Race{ID: fmt.Sprint(i), Tier: tier})
		}
		var calls [5]atomic.Int32
		var running, most atomic.Int32
		r := &replayer{progress: newProgress(nil, true)}
		r.run = func(_ context.Context, race *report.Race) (*replay.Outcome, error) {
			i := int(race.ID[0] - '0')
			n := running.Add(1)
			defer running.Add(-1)
			most.Store(max(most.Load(), n))
			again := calls[i].Add(1) > 1
			if again && n > 1 {
				t.Errorf("race %d is replayed again, but not alone", i)
			}
			time.Sleep(time.Duration(5-i) * time.Second)
			switch {
			case i == 1 && !again, i == 2:
				return outcome(diverged), nil
			case i == 3:
				return outcome(kept, kept), nil
			case i == 4:
				return nil, errors.New("no program")
			}
			return outcome(replay.Try{Confirmed: true}), nil
		}
		all := r.replayAll(t.Context(), "replaying races", races, time.Time{}, newReplayers(nil, 4))
		if most.Load() < 2 {
			t.Error("they did not run side by side")
		}
		for i, want := range []struct {
			calls     int32
			confirmed bool
		}{{1, true}, {2, true}, {1, false}, {1, false}, {1, false}} {
			at := all[i]
			if at.race != races[i] || !at.done || calls[i].Load() != want.calls || (at.out != nil && at.out.Confirmed) != want.confirmed {
				t.Errorf("race %d: %d calls, %+v", i, calls[i].Load(), at)
			}
		}
		if all[4].err == nil {
			t.Error("the error is lost")
		}
	})
}

// When the time is over no replay begins; one that ends behind it counts if it has confirmed its
// race.
func TestReplayAllLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		r := &replayer{progress: newProgress(nil, true)}
		r.run = func(_ context.Context, race *report.Race) (*replay.Outcome, error) {
			time.Sleep(4 * time.Second)
			return outcome(replay.Try{Confirmed: race.ID == "1"}), nil
		}
		races := []*report.Race{{ID: "0"}, {ID: "1"}, {ID: "2"}}
		attempts := r.replayAll(ctx, "replaying races", races, time.Time{}, newReplayers([]string{"-p=1"}, 2))
		var found findings
		if left, _ := found.note(attempts); left != 1 || races[1].Tier != report.Confirmed || races[2].Replay != nil || found.summary.Unconfirmed != 1 {
			t.Errorf("%d left, %+v", left, found.summary)
		}
		late := r.replayAll(t.Context(), "replaying races", races[:2], time.Now().Add(time.Second), newReplayers([]string{"-p=1"}, 2))
		if !late[0].done || late[1].done {
			t.Error("a replay began too late")
		}
	})
}
