package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
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
	maxCombined     = 64             // combinations of values of the reads of one operand
	maxObjects      = longInstrs + 1 // that one alternative allocates
)

// explorer is one exploration of a fork. What it has is common to all paths.
type explorer struct {
	fork      *Fork
	around    flow.Surroundings
	constants constants
	eval      expr.Evaluator
	paths     []*path // that have not ended; the next one is the last
}

// Explore implements [flow.Fork].
func (x *Fork) Explore(s flow.Surroundings) []*flow.Alternative {
	e := &explorer{fork: x, around: s, constants: constants{x.Program, s, map[*regcode.Global]uint64{}}}
	e.paths = []*path{{
		x: e, g: x.G, frame: x.Frame.clone(), off: x.Rest || x.Other, memory: memory{around: s, allocated: s.Number() * maxObjects},
		events: events{needs: x.Needs, guards: slices.Clip(x.Guards)},
	}}
	var done []*flow.Alternative
	some := 0 // alternatives with an event
	for len(e.paths) > 0 && some < maxAlternatives && len(done) < maxPaths {
		p := e.paths[len(e.paths)-1]
		e.paths = e.paths[:len(e.paths)-1]
		if !p.run() {
			continue
		}
		if len(p.events.steps) > 0 {
			some++
		}
		done = append(done, &flow.Alternative{
			Steps: p.events.steps, Chosen: p.events.chosen, Assumes: p.memory.assumes, Unseen: len(e.constants.unseen) > 0,
			End: p.end, Executed: p.instrs,
		})
	}
	return done
}
