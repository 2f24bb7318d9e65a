package offpath

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// process executes the goroutines of the alternative. It has what they share.
type process struct {
	in      *subject
	script  *script
	heap    *heap
	private *private
	vars    *variables
	values  *valuation
	types   *typeWords
	texts   texts

	waiting  []*machine       // goroutines that were started and have not been executed
	numbered map[uint64]value // values that were stored in sync.Maps
	called   []uint64         // function values of the recorded program that were called
	instrs   int
}

func newProcess(in *subject, s *script) *process {
	h := &heap{funcs: map[*ssa.Function]uint64{}}
	v := newValuation(in, h)
	return &process{
		in: in, script: s, heap: h, values: v,
		private: &private{assumes: in.alt.Assumes, values: v, stored: map[uint64]storedByte{}, strings: map[uint64]string{}},
		vars:    &variables{in: in, heap: h, addrs: map[string]uint64{}},
		types:   &typeWords{in: in, heap: h},
		texts:   texts{in.snap.Texts},
	}
}

// maxInstrs bounds the instructions of a check.
const maxInstrs = 1 << 16

// execute executes each goroutine up to its last step that is in the witness.
func (p *process) execute() {
	if first := p.script.queue(p.in.alt.G); !first.empty() {
		m := p.goroutine(p.in.alt.G)
		m.resume(p.in.snap)
		p.run(m)
	}
	for len(p.waiting) > 0 {
		m := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.run(m)
	}
	for g, q := range p.script.queues {
		if !q.empty() {
			reject("CP4", "the program does not start goroutine %d", g)
		}
	}
}

// goroutine returns a goroutine that has no frame yet.
func (p *process) goroutine(g trace.GoID) *machine {
	o := &owner{born: len(p.heap.objects)}
	q := p.script.queue(g)
	t := &timers{in: p.in, heap: p.heap, first: g == p.in.alt.G}
	return &machine{
		process: p, steps: q,
		env:    &env{owner: o, heap: p.heap, values: p.values, vars: p.vars, types: p.types, texts: p.texts},
		memory: &memory{owner: o, steps: q, values: p.values, heap: p.heap, private: p.private, stacks: p.in.snap.Stacks},
		ops:    &operations{owner: o, steps: q, values: p.values, heap: p.heap, private: p.private, timers: t, in: p.in},
	}
}

// finished is thrown where a goroutine has executed its last step in the middle of an instruction
// that cannot be executed to its end.
type finished struct{}

func (p *process) run(m *machine) {
	defer func() {
		if r := recover(); r != nil && r != (finished{}) {
			panic(r)
		}
	}()
	for !m.steps.empty() {
		p.script.at = m.steps.left[0]
		if p.instrs++; p.instrs > maxInstrs {
			throw("more than %d instructions", maxInstrs)
		}
		m.step()
	}
}

// resume sets the goroutine to where it stands at the fork.
func (m *machine) resume(s *flow.Snapshot) {
	m.resumed = true
	var inner *frame
	for i := range s.Frames {
		f := m.env.resume(s.Program, &s.Frames[i])
		if inner == nil {
			m.frame = f
		} else {
			call, ok := f.instr().(*ssa.Call)
			if !ok {
				throw("a caller at the fork is not at a call")
			}
			if callee := static(&call.Call); inner.once != 0 && callee != nil && !isOnce(callee) {
				throw("a Once at the fork is not at its call")
			}
			inner.caller = f
		}
		inner = f
	}
}
