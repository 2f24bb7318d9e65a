package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace/format"
)

// Bounds of an exploration.
const (
	maxInstrs       = 4096 // of one alternative
	maxSteps        = 48
	longInstrs      = 1 << 14 // of a long one
	longSteps       = 1024
	maxDepth        = 32
	maxAlternatives = 12             // of one fork, with at least one event
	maxPaths        = 48             // of one fork, with or without events
	maxChoices      = 6              // values that one operand takes
	maxCombined     = 256            // combinations of values of the reads of one operand
	maxObjects      = longInstrs + 1 // that one alternative allocates
)

// explorer is one exploration of a fork. What it has is common to all paths.
type explorer struct {
	fork      *Fork
	around    flow.Surroundings
	constants constants
	eval      expr.Evaluator
	branches  []branch // that have not been taken, in the order in which they were made
	finished  bool     // the last path has ended
	bounded   bool     // paths were left out because of a bound
}

// Explore implements [flow.Fork].
func (x *Fork) Explore(s flow.Surroundings) (list []*flow.Alternative, bounded bool) {
	e := &explorer{around: s, constants: constants{x.Program, s, map[*regcode.Global]uint64{}}}
	old := newFormer(x, s)
	fork := *x
	fork.Facts = wary{x.Facts, old}
	e.fork = &fork
	e.branches = []branch{{&path{
		x: e, g: x.G, frame: x.Frame, off: x.Rest || x.Other, memory: memory{around: s, old: old, allocated: s.Number() * maxObjects},
		events: events{needs: x.Needs, guards: slices.Clip(x.Guards)},
	}, func(*path) {}}}
	some := 0  // alternatives with an event
	ended := 0 // paths that have ended, or were left out
	for len(e.branches) > 0 && some < maxAlternatives && ended < maxPaths {
		p := e.next()
		left := e.asRecorded(p)
		if !left && !p.run() {
			continue
		}
		e.finished = true
		if ended++; left || e.asRecorded(p) || x.Other && len(p.events.steps) == 0 {
			continue
		}
		if len(p.events.steps) > 0 {
			some++
		}
		list = append(list, &flow.Alternative{
			Steps: p.events.steps, Chosen: p.events.chosen, Assumes: p.memory.assumes, Unseen: len(e.constants.unseen) > 0, Unfired: p.unfired, Halted: p.memory.still,
			End: p.end, Executed: p.instrs,
		})
	}
	return list, e.bounded || len(e.branches) > 0
}

// next takes the next branch: one of the last path, or, if that has ended, the one that waits for
// the longest time. So the alternatives differ early: an exploration is bounded.
func (e *explorer) next() *path {
	n := len(e.branches) - 1
	if e.finished {
		n = 0
	}
	b := e.branches[n]
	e.branches = slices.Delete(e.branches, n, n+1)
	e.finished = false
	return b.take()
}

// asRecorded reports whether a path begins with the outcome that the operation at the fork had in
// the recorded run. Such paths are left out before they are split further: an exploration is
// bounded. What an operation of a sync.Map finds may be a number that is not known.
func (e *explorer) asRecorded(p *path) bool {
	if !e.fork.Other || len(p.events.steps) == 0 {
		return false
	}
	first := &p.events.steps[0]
	unknown := format.IsMapWord(first.Event.Obj) && first.Event.Kind != format.AtomicWrite && !first.Compares
	return !unknown && e.around.Recorded(&first.Event)
}

// forksAt reports whether a path is at the operation of the fork, where it has another outcome than
// in the recorded run.
func (e *explorer) forksAt(p *path, in *regcode.Instr) bool {
	return e.fork.Other && len(p.events.steps) == 0 && p.frame.depth == 0 && in == e.fork.Frame.instr()
}
