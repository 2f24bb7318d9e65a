package relay

import (
	"presage/internal/relay/load"
	"presage/internal/relay/points"
	"presage/internal/relay/summary"
)

// objects joins what the packages say of the objects that accesses are to. The world is open if one of the packages that the patterns name is
// no command: then others may call its exported functions.
func (r *run) objects(prog *load.Program, sums map[string]*summary.Function) *points.Linker {
	open := false
	for _, f := range sums {
		open = open || f.Exported && f.Target && f.Pkg != "main"
	}
	l := points.NewLinker(open, func(fn string) bool { return sums[fn] != nil })
	for _, m := range prog.Packages {
		u := r.units[m.ID]
		if u == nil {
			continue
		}
		own := map[string]bool{}
		for _, f := range u.Functions {
			own[f.Key] = sums[f.Key] == f
		}
		l.Add(&u.Points, func(fn string) bool { return own[fn] })
		u.Points = points.Graph{}
	}
	l.Solve()
	return l
}
