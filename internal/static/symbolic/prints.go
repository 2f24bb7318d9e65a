package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// prints calls Write of a Writer.
func (f *function) prints(s *state, in ssa.Instruction, writers aliases) bool {
	var targets []target
	for _, w := range writers {
		if t, ok := f.resolve(w, "Write"); ok {
			targets = append(targets, t)
		} else {
			f.addHole(summary.Hole{Value: w, Method: "Write", Iface: "io.Writer", Args: []*path.Node{w, nil}, Locks: s.locks, Sync: s.sync, Loop: f.loop[f.block.Index] > 0, Pos: f.place(in)})
		}
	}
	return f.apply(s, in, targets, []aliases{writers, nil}, nil, len(targets) < len(writers))
}
