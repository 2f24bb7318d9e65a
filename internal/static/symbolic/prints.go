package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// prints calls Write of a Writer.
func (cl *caller) prints(s *state, in ssa.Instruction, writers aliases) bool {
	var targets []target
	for _, w := range writers {
		if t, ok := cl.resolve(w, "Write"); ok {
			targets = append(targets, t)
		} else {
			cl.draft.addHole(summary.Hole{Value: w, Method: "Write", Iface: "io.Writer", Args: []*path.Node{w, nil}, Locks: s.locks, Sync: s.sync, Loop: cl.graph.looping(), Pos: cl.places.place(in)})
		}
	}
	return cl.apply(s, in, targets, []aliases{writers, nil}, nil, len(targets) < len(writers))
}
