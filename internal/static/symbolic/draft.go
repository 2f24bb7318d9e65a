package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// draft is the summary while it is made. Until recording is set, states are not final, and no
// access, release, hole, flow or exit is written.
type draft struct {
	sum       *summary.Function
	recording bool
	seen      map[accessKey]int
	taken     int              // accesses of callees
	filled    int              // holes of callees
	spawns    map[spawnKey]int // indices in sum.Spawns, from 1
	spawnLoop map[int]int      // of a spawn: the loop that it is in
	forks     bool             // the function starts goroutines
}

func newDraft(sum *summary.Function) *draft {
	return &draft{sum: sum, seen: map[accessKey]int{}, spawns: map[spawnKey]int{}, spawnLoop: map[int]int{}}
}

type accessKey struct {
	loc    *path.Node
	kind   summary.Kind
	thread int
	pos    summary.Pos
}

type spawnKey struct {
	site ssa.Instruction
	sub  string
}

func (dr *draft) record(a *summary.Access) {
	k := accessKey{a.Loc, a.Kind, a.Thread, a.Pos}
	if dr.seen[k] >= 4 { // through other calls, with other locks
		dr.sum.Cuts[summary.BoundAlike]++
		return
	}
	dr.seen[k]++
	if dr.taken >= maxAccesses && a.Via != nil {
		dr.sum.Cuts[summary.BoundAccesses]++
		return
	}
	if a.Via != nil {
		dr.taken++
	}
	dr.sum.Accesses = append(dr.sum.Accesses, a)
}

// partial notes that the summary lacks accesses.
func (dr *draft) partial() {
	for _, b := range []summary.Bound{summary.BoundAccesses, summary.BoundAlike, summary.BoundHoles, summary.BoundNesting, summary.BoundRounds} {
		dr.sum.Partial = dr.sum.Partial || dr.sum.Cuts[b] > 0
	}
	dr.sum.Partial = dr.sum.Partial || len(dr.sum.Holes) > 0
}

// maxAccesses bounds the accesses that a summary takes over from callees; further ones are counted.
// Those of the function's own text are all there.
const maxAccesses = 250

// roomy notes memory in which a slice may have room behind its length.
func (dr *draft) roomy(addr *path.Node) {
	if c := addr.Class(); dr.recording && (addr.Kind == path.Field || addr.Kind == path.Global) && !slices.Contains(dr.sum.Roomy, c) {
		dr.sum.Roomy = append(dr.sum.Roomy, c)
	}
}

func (dr *draft) roomForRelease() bool {
	if len(dr.sum.Releases) >= maxReleases {
		dr.sum.Cuts[summary.BoundReleases]++
		return false
	}
	return true
}

// maxReleases bounds the releases of a summary.
const maxReleases = 64

func (dr *draft) addHole(h summary.Hole) {
	if !dr.recording {
		return
	}
	if h.Pos.Func != dr.sum.Key {
		if dr.filled >= maxHoles {
			dr.sum.Cuts[summary.BoundHoles]++
			return
		}
		dr.filled++
	}
	dr.sum.Holes = append(dr.sum.Holes, h)
}

// maxHoles bounds the holes that a summary takes over from callees.
const maxHoles = 100

// late lets goroutines that begin when the test has returned come after all that precedes the
// function's exits.
func (dr *draft) late() {
	var all order.Counts
	for i, e := range dr.sum.Exits {
		if i == 0 {
			all = e.Sync.Acquired
		} else {
			all = order.Least(all, e.Sync.Acquired)
		}
	}
	for _, sp := range dr.sum.Spawns {
		if sp.Late != nil && sp.Parent == 0 && len(dr.sum.Exits) > 0 {
			sp.Sync.Acquired = order.Most(sp.Sync.Acquired, all)
		}
	}
}
