package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// syncs notes acquires and releases of synchronisation objects.
type syncs struct {
	table    *path.Table
	graph    *flowgraph
	draft    *draft
	acquired map[int]map[*path.Node]*ssa.BasicBlock // by loop (SY6)
	// releases that a goroutine which calls the function may make in all
	total order.Counts
}

// acquiredIn notes that an object is acquired in the loop of the block that is being executed.
func (sy *syncs) acquiredIn(o *path.Node) {
	l := sy.graph.current()
	if l == 0 {
		return
	}
	if sy.acquired[l] == nil {
		sy.acquired[l] = map[*path.Node]*ssa.BasicBlock{}
	}
	sy.acquired[l][o] = sy.graph.block
}

// mayRelease adds releases that the caller's goroutine may make.
func (sy *syncs) mayRelease(c order.Counts) { sy.total = order.Most(sy.total, c) }

// acquire notes an acquire, also for the loop that has it (SY6).
func (sy *syncs) acquire(s *state, in ssa.Instruction, o *path.Node, n int) {
	s.sync = s.sync.Acquire(o, n)
	sy.acquiredIn(o)
}

// release notes a release of the function's own goroutine.
func (sy *syncs) release(s *state, o *path.Node, n int) {
	if sy.draft.recording && sy.draft.roomForRelease() {
		times := n
		if sy.graph.looping() {
			times = order.Many
		}
		sy.draft.sum.Releases = append(sy.draft.sum.Releases, summary.Release{Object: o, Times: times, Sync: s.sync})
	}
	s.sync = s.sync.Release(o, n)
	sy.mayRelease(s.sync.Released)
}

// awaits reports whether a loop waits on a Cond. The fixpoint learns that only after it has left
// the loop.
func (sy *syncs) awaits() bool {
	for _, acquired := range sy.acquired {
		for o := range acquired {
			if o.Name == condition {
				return true
			}
		}
	}
	return false
}

// hand notes that unknown code gets the t of a test (SY8).
func (sy *syncs) hand(s *state, vals aliases) {
	for _, n := range vals {
		if isT(n) {
			s.sync = s.sync.Release(sy.table.Of(path.Token, n.Strip(), handed), 1)
			sy.mayRelease(s.sync.Released)
		}
	}
}

// reflected executes a call by reflection: it may call Parallel of every t that it can get (SY8).
func (sy *syncs) reflected(s *state) {
	for o := range s.sync.Released {
		if o.Kind == path.Token && o.Name == handed {
			s.sync = s.sync.Release(sy.table.Of(path.Token, o.Base, parallel), 1)
		}
	}
	sy.mayRelease(s.sync.Released)
}

// condition is the name of what a Cond hands over.
const condition = "cond"
