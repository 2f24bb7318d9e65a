package cli

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// attempt is the result of the replay of a race.
type attempt struct {
	race *report.Race
	out  *replay.Outcome
	err  error
	took time.Duration
	done bool // it was begun
	cut  bool // and the time was over, or there was an interrupt, when it ended
}

// replayAll replays races side by side, and returns the result of each, in their order. No
// replay begins when ctx has ended, or after the given time; zero: there is none. The progress is
// shown under a name.
func (r *replayer) replayAll(ctx context.Context, name string, races []*report.Race, last time.Time, c *replayers) []*attempt {
	if len(races) == 0 {
		return nil
	}
	over := func() bool { return ctx.Err() != nil || !last.IsZero() && time.Now().After(last) }
	all := make([]*attempt, len(races))
	for i, race := range races {
		all[i] = &attempt{race: race}
	}
	show := counter{r: r, name: name, total: len(races)}
	show.add(0)
	var wg sync.WaitGroup
	beside := make([]bool, len(races)) // others ran meanwhile
	for i, at := range all {
		t := c.enter()
		if over() {
			c.leave(t, nil)
			break
		}
		wg.Go(func() {
			r.attempt(ctx, at)
			beside[i] = c.leave(t, at)
			show.add(1)
		})
	}
	wg.Wait()
	for i, at := range all {
		if !beside[i] || !at.again() || over() {
			continue
		}
		alone := &attempt{race: at.race}
		if r.attempt(ctx, alone); !alone.cut {
			all[i] = alone
		}
	}
	return all
}

// attempt replays a race.
func (r *replayer) attempt(ctx context.Context, at *attempt) {
	begun := time.Now()
	at.done = true
	at.out, at.err = r.run(ctx, at.race)
	at.took, at.cut = time.Since(begun), ctx.Err() != nil
}

// again reports whether a replay that had others beside it may have come to nothing because of
// them.
func (at *attempt) again() bool {
	return at.race.Tier != report.ToRun && !at.cut && at.err == nil && at.out != nil && at.out.Unsteady()
}

// counter shows how many races were replayed.
type counter struct {
	r     *replayer
	name  string
	mu    sync.Mutex
	done  int64
	total int
}

func (c *counter) add(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.r.progress.step(report.Progress{Text: c.name, Done: c.done, Total: int64(c.total)})
}

// replayers limits how many replays run at once. A schedule waits a limited time for its steps, so
// replays must not wait for processors.
//
// At first as many replays run as there are processors; then as many as use three quarters of the
// processors, measured on the earlier replays, and at most three for each processor. With go's -p=n
// at most n run. A replay begins beside others only if there is memory for two. If a race is not
// confirmed beside others and its schedule was not kept, it is replayed again alone, and that
// result counts. A pair that only a run can decide is replayed once.
type replayers struct {
	procs, most int
	memory      func() int64 // that is free; 0: not known

	mu      sync.Mutex
	left    sync.Cond
	running int
	joined  int           // how often one began beside others
	cpu     time.Duration // of the replays that have ended, in all
	wall    time.Duration // how long they took
	peak    int64         // most memory of one
}

// perProcessor is how many replays may run for each processor, if they do next to nothing.
const perProcessor = 3

// newReplayers makes the limit for a program that is built with the given flags.
func newReplayers(flags []string, procs int) *replayers {
	c := &replayers{procs: procs, most: perProcessor * procs, memory: freeMemory}
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if n, err := strconv.Atoi(value); name == "p" && err == nil && n > 0 {
			c.most = min(c.most, n)
		}
	}
	c.left.L = &c.mu
	return c
}

// allowed is the number of replays that may run at once.
func (c *replayers) allowed() int {
	n := c.procs
	if c.wall > 0 {
		n = c.most
		if c.cpu > 0 {
			n = min(n, int(0.75*float64(c.procs)*float64(c.wall)/float64(c.cpu)))
		}
	}
	return max(1, min(n, c.most))
}

// ticket is a running replay.
type ticket struct {
	beside bool // others ran when it began
	joined int  // of the replayers, at that time
}

// enter waits until one more replay may begin.
func (c *replayers) enter() ticket {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.running > 0 && (c.running >= c.allowed() || !c.fits()) {
		c.left.Wait()
	}
	if c.running++; c.running > 1 {
		c.joined++
	}
	return ticket{c.running > 1, c.joined}
}

// leave says that a replay has ended, and with what. It reports whether others ran meanwhile.
func (c *replayers) leave(t ticket, at *attempt) (beside bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.left.Signal()
	if at != nil && at.out != nil {
		c.wall += at.took
		c.cpu += at.took // but for what the program did: a schedule is made without waiting
		for _, try := range at.out.Runs() {
			c.cpu += try.CPU - time.Duration(try.Seconds*float64(time.Second))
			c.peak = max(c.peak, try.Peak)
		}
	}
	return t.beside || c.joined != t.joined
}

// fits reports whether there is memory for one more.
func (c *replayers) fits() bool {
	free := c.memory()
	return free == 0 || free > 2*c.peak
}
