package symbolic

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Context has what the functions of one package share. It is not safe for concurrent use.
type Context struct {
	Table  *path.Table
	Fset   *token.FileSet
	Lookup func(key string) *summary.Function // nil: not summarised
	Std    bool                               // the package is of the standard library

	Generated func(token.Pos) bool // the file is generated

	types typeTable
}

// Key is the name of a function in all packages; instances have the name of their origin.
func Key(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// function executes the function: blocks to a fixed point, then once more to record.
type function struct {
	*Context
	fn     *ssa.Function
	given  map[ssa.Value]bool // parameters whose values are known
	in     map[*ssa.BasicBlock]*state
	panics *state   // joined states of panics
	out    []memory // at each return

	graph    *flowgraph
	places   *places
	values   *values
	choices  *choices
	flows    *flows
	sharing  *sharing
	accesses *accesses
	flags    *flagTracker
	joins    *joins
	locks    *locking
	syncs    *syncs
	chans    *chans
	calls    *caller
	branches *branching
	draft    *draft
}

// maxRounds bounds how often a block is executed before counts are widened, and before it is given
// up.
const (
	widenAfter = 3
	maxRounds  = 12
)

// Analyse executes fn and returns its summary. It still has the accesses to the function's own
// objects, among which the pairs inside the frame are found; Export removes them.
func (c *Context) Analyse(fn *ssa.Function) *summary.Function {
	return c.analyse(fn, nil, Key(fn))
}

// analyse executes fn, given the values of some of its parameters.
func (c *Context) analyse(fn *ssa.Function, given map[ssa.Value]bool, key string) *summary.Function {
	f := newFunction(c, fn, given, key)
	f.chans.mutexes()
	f.fixpoint()
	if len(f.joins.releasers) > 0 || f.syncs.awaits() {
		f.in, f.panics, f.draft.sum.Cuts = map[*ssa.BasicBlock]*state{}, nil, summary.Cuts{}
		f.fixpoint()
	}
	f.draft.recording = true
	for _, b := range f.graph.rpo {
		if s := f.in[b]; s != nil {
			if out := f.execute(b, s); out != nil {
				f.rounds(b, out)
			}
		}
	}
	f.draft.late()
	f.flows.references()
	f.draft.sum.Total = f.syncs.total
	f.joins.lend()
	f.leave()
	f.within()
	f.draft.partial()
	if given == nil {
		f.draft.sum.Decides = f.calls.decides(fn)
	}
	return f.draft.sum
}

// newFunction puts the parts together, each made of those before it.
func newFunction(c *Context, fn *ssa.Function, given map[ssa.Value]bool, key string) *function {
	f := &function{Context: c, fn: fn, given: given, in: map[*ssa.BasicBlock]*state{}}
	f.draft = newDraft(c.begin(fn, key))
	f.graph = newFlowgraph(fn)
	f.places = newPlaces(c.Fset, f.draft.sum, fn.Pos())
	f.values = &values{table: c.Table, types: &c.types, graph: f.graph, places: f.places, fn: fn, env: map[ssa.Value]aliases{}, results: map[*ssa.Call][]aliases{}}
	f.choices = &choices{table: c.Table, values: f.values}
	f.flows = &flows{std: c.Std, values: f.values, draft: f.draft}
	f.sharing = newSharing(f.flows, f.draft)
	f.flags = &flagTracker{sharing: f.sharing, values: f.values, draft: f.draft}
	f.syncs = &syncs{table: c.Table, graph: f.graph, draft: f.draft, acquired: map[int]map[*path.Node]*ssa.BasicBlock{}}
	f.joins = newJoins(c.Table, f.graph, f.syncs, f.draft)
	f.locks = &locking{table: c.Table, choices: f.choices, joins: f.joins, syncs: f.syncs, gives: nodes{}}
	f.accesses = &accesses{table: c.Table, places: f.places, values: f.values, choices: f.choices, sharing: f.sharing, joins: f.joins, draft: f.draft}
	f.chans = &chans{table: c.Table, values: f.values, accesses: f.accesses, sharing: f.sharing, joins: f.joins, syncs: f.syncs, draft: f.draft}
	f.calls = &caller{table: c.Table, lookup: c.Lookup, std: c.Std, graph: f.graph, places: f.places, values: f.values, choices: f.choices, flows: f.flows,
		sharing: f.sharing, accesses: f.accesses, joins: f.joins, locks: f.locks, syncs: f.syncs, chans: f.chans, draft: f.draft}
	f.branches = &branching{table: c.Table, graph: f.graph, values: f.values, chans: f.chans, joins: f.joins, syncs: f.syncs, given: given}
	return f
}

// begin makes the summary, as far as it is known before the function is executed.
func (c *Context) begin(fn *ssa.Function, key string) *summary.Function {
	names := &path.Names{}
	for _, p := range fn.Params {
		names.Params = append(names.Params, p.Name())
	}
	for _, v := range fn.FreeVars {
		names.Free = append(names.Free, v.Name())
	}
	sum := &summary.Function{Key: key, Names: names, Exported: exported(fn)}
	sum.Whole = c.Std || c.Generated != nil && c.Generated(fn.Pos())
	if fn.Pkg != nil {
		sum.Pkg = fn.Pkg.Pkg.Path()
	}
	return sum
}

func exported(fn *ssa.Function) bool {
	if fn.Synthetic != "" && fn.Pkg == nil || fn.Object() == nil || !fn.Object().Exported() {
		return false
	}
	if r := fn.Signature.Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := t.(*types.Named)
		return ok && n.Obj().Exported()
	}
	return true
}

// rounds notes what the function has acquired before the next round of a loop that starts
// goroutines.
func (f *function) rounds(b *ssa.BasicBlock, out *state) {
	for _, succ := range b.Succs {
		if !succ.Dominates(b) {
			continue
		}
		for n, l := range f.draft.spawnLoop {
			if l != f.graph.loop[b.Index] {
				continue
			}
			sp, again := f.draft.sum.Spawns[n-1], out.sync
			if sp.Again != nil {
				again = sp.Again.Join(again)
			}
			sp.Again = &again
		}
	}
}

// fixpoint propagates states until nothing changes.
func (f *function) fixpoint() {
	f.in[f.fn.Blocks[0]] = &state{truth: f.given}
	rounds := map[*ssa.BasicBlock]int{}
	dirty := map[*ssa.BasicBlock]bool{f.fn.Blocks[0]: true}
	for len(dirty) > 0 {
		for _, b := range f.graph.rpo {
			if !dirty[b] {
				continue
			}
			delete(dirty, b)
			if rounds[b]++; rounds[b] > maxRounds {
				f.draft.sum.Cuts[summary.BoundRounds]++
				continue
			}
			out := f.execute(b, f.in[b])
			if out == nil {
				continue
			}
			for i, succ := range b.Succs {
				s := f.branches.edge(b, i, out)
				if s == nil {
					continue
				}
				if old := f.in[succ]; old != nil {
					j := old.join(s)
					f.draft.sum.Cuts[summary.BoundGuesses] += j.dropped
					if rounds[succ] > widenAfter {
						j.sync.Released = widen(old.sync.Released, j.sync.Released)
					}
					if j.equal(old) {
						continue
					}
					s = j
				}
				f.in[succ] = s
				dirty[succ] = true
			}
		}
		if r := f.fn.Recover; r != nil && f.panics != nil && f.in[r] == nil {
			f.in[r] = f.panics
			dirty[r] = true
		}
	}
}

// widen sets the counts that still grow to Many.
func widen(old, now order.Counts) order.Counts {
	grown := order.Counts{}
	for o, n := range now {
		if n > old[o] {
			grown[o] = order.Many
		}
	}
	return now.Plus(grown)
}

// execute runs a block and returns the state at its end, nil if control does not go on.
func (f *function) execute(b *ssa.BasicBlock, in *state) *state {
	s := in.fork()
	f.graph.block = b
	for _, instr := range b.Instrs {
		f.choices.anew(s, instr)
		if !f.step(s, instr) {
			return nil
		}
	}
	return s
}
