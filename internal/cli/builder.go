package cli

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// builder builds the programs for replays in the background. A build begins with the first race of
// a trace that will be replayed, while the analysis goes on. Requests that arrive meanwhile are
// built next, together. Without a race nothing is built, and nothing is built twice. The methods of
// a nil builder do nothing.
type builder struct {
	r      *replayer
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	wanted []wanted
	asked  map[string]bool // traces
	busy   chan struct{}   // closed when nothing is wanted any more; nil: nothing is being built
	begun  time.Time       // when that began
	waits  bool            // it is waited for
	damage []error         // entries of the cache that were made anew
}

// wanted is a trace with a race to replay.
type wanted struct {
	name string
	meta *trace.Meta
	plan *plan.Plan // of its program; nil: it is not at hand
}

// newBuilder makes a builder. The end of ctx stops its builds. recorded has the plan of the
// recorded program; nil if it is not at hand.
func newBuilder(ctx context.Context, env *Env, recorded func(context.Context) (*plan.Plan, error), p *progress) *builder {
	b := &builder{asked: map[string]bool{}}
	b.ctx, b.cancel = context.WithCancel(ctx)
	b.r = &replayer{env: env, args: replayArgs{limit: time.Second, timeout: time.Minute}, progress: p, checked: true, grant: grant{all: true},
		programs: map[string]*made{}, plans: map[string]*plan.Plan{}, recorded: recorded,
		said: func(string) {}, // progress says how many races are left
		healed: func(damage error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.damage = append(b.damage, damage)
		},
		spent: func(cpu time.Duration) { p.stages.Beside(stageReplayBuild, partBeside, cpu) },
	}
	b.r.run = b.r.replay
	return b
}

// partBeside is the part of stageReplayBuild that is done while another stage lasts.
const partBeside = "beside"

// want says that a race of a trace will be replayed. It returns at once.
func (b *builder) want(w wanted) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked[w.name] {
		return
	}
	b.asked[w.name] = true
	b.wanted = append(b.wanted, w)
	if b.busy == nil {
		b.busy, b.begun = make(chan struct{}), time.Now()
		go b.build(b.busy)
	}
}

// build builds what is wanted, together what is wanted by then, until there is nothing left.
func (b *builder) build(busy chan struct{}) {
	defer close(busy)
	for list := b.next(); len(list) > 0; list = b.next() {
		b.r.build(b.ctx, list)
	}
}

// next takes what is wanted. If that is nothing, or is not wanted any more, the work is done.
func (b *builder) next() []wanted {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.wanted
	b.wanted = nil
	if len(list) > 0 && b.ctx.Err() == nil {
		return list
	}
	b.busy = nil
	if !b.waits {
		b.r.progress.stages.Add(stageReplayBuild, partBeside, time.Since(b.begun))
	}
	return nil
}

// wait waits until nothing is being built. That is the stage of builds: what was built before is a
// part of it.
func (b *builder) wait() {
	b.mu.Lock()
	busy := b.busy
	if busy != nil {
		b.r.progress.stages.Add(stageReplayBuild, partBeside, time.Since(b.begun))
		b.waits = true
	}
	b.mu.Unlock()
	if busy != nil {
		b.r.progress.step(report.Progress{Text: "building for the replays"})
		<-busy
	}
}

// healed are the entries of the cache that were made anew.
func (b *builder) healed() []error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.damage
}

// stop ends what is being built.
func (b *builder) stop() {
	if b == nil {
		return
	}
	b.cancel()
	b.mu.Lock()
	busy := b.busy
	b.mu.Unlock()
	if busy != nil {
		<-busy
	}
}

// build builds what the races of traces need, by one call of the go command for each program. What
// goes wrong is said where the races are replayed.
func (r *replayer) build(ctx context.Context, list []wanted) {
	packages := map[*replay.Program][]string{}
	var programs []*replay.Program
	for _, w := range list {
		if ctx.Err() != nil {
			return
		}
		p, err := r.program(ctx, w)
		if err != nil {
			continue
		}
		if packages[p] == nil {
			programs, packages[p] = append(programs, p), []string{}
		}
		if w.meta.Command[1] != "test" {
			continue
		}
		if pkg, err := replay.TestedPackage(w.meta, opener(w.name)); err == nil && pkg != "" && !slices.Contains(packages[p], pkg) {
			packages[p] = append(packages[p], pkg)
		}
	}
	for _, p := range programs {
		p.Build(ctx, packages[p])
	}
}
