package alternative

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// poolGet executes the Get of a sync.Pool (AL3): it takes an object that was put, or returns what
// New makes. At a fork the outcome is another one than in the recorded run. ok is false if neither
// is known.
func (l library) poolGet(in *regcode.Instr, call *ssa.CallCommon, pool Value) (going, ok bool) {
	p := l.p
	addr, ok := pool.Concrete.Bits()
	if !ok || pool.symbolic() || addr < lowestPointer {
		return false, false
	}
	var choices []func(*path)
	fork := p.x.forksAt(p, in)
	if !fork || !p.x.fork.Took {
		choices = l.taken(in, addr)
	}
	if !fork || p.x.fork.Took {
		c, ok := l.makes(in, call, addr)
		if !ok && len(choices) == 0 {
			return false, false
		}
		if ok {
			choices = append(choices, c)
		}
	}
	return p.split(choices), true
}

// taken returns a choice for each object that the pool at an address may have.
func (l library) taken(in *regcode.Instr, pool uint64) (choices []func(*path)) {
	p := l.p
	if !p.x.around.Settled(pool) || p.events.writes(pool) {
		return nil
	}
	for _, x := range p.x.fork.Facts.ObjectsAt(pool, p.x.around.Until()) {
		if !p.x.around.InPool(pool, x) {
			continue
		}
		if len(choices) == maxChoices {
			p.x.bounded = true
			break
		}
		choices = append(choices, func(q *path) {
			e := trace.Event{Kind: format.AtomicRMW, Obj: trace.Addr(x.Word), Size: 8, Val: 1}
			_, going := q.access(in, e, flow.Flow{Value: expr.Word(0)}, true)
			q.memory.learns(goval.Known(x.Data))
			if q.events.last().Compares = true; going {
				q.next(in, Value{Concrete: goval.Words([]uint64{x.Type, x.Data})})
			}
		})
	}
	return choices
}

// makes returns the choice that Get takes no object: it returns what New returns, or nil. ok is
// false if New is not known.
func (l library) makes(in *regcode.Instr, call *ssa.CallCommon, pool uint64) (choice func(*path), ok bool) {
	p := l.p
	at := pool + uint64(newOffset(p.frame.Code.Sizes, call))
	function, ok := p.memory.load(trace.Event{G: p.g, Site: in.Site}, at, 8)
	switch {
	case !ok:
		return nil, false
	case function.isZero():
		return func(q *path) { q.next(in, zero(16)) }, true
	}
	r := p.resolver()
	fn, free, why := r.function(function)
	if why != "" || regcode.BoundMethod(fn) != nil || plan.Typed(fn) {
		return nil, false
	}
	c, why := r.enters(fn, nil, free)
	if why != "" {
		return nil, false
	}
	return func(q *path) { c.entered(q, false) }, true
}

// newOffset returns the offset of the field New of a sync.Pool, whose Get a call calls.
func newOffset(sizes types.Sizes, call *ssa.CallCommon) int64 {
	s := regcode.Pointee(call.Args[0].Type()).Underlying().(*types.Struct)
	var fields []*types.Var
	for f := range s.Fields() {
		if fields = append(fields, f); f.Name() == "New" {
			break
		}
	}
	return sizes.Offsetsof(fields)[len(fields)-1]
}
