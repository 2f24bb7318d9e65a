package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

// Ends of the names of what is locked without being a mutex: an atomic flag (X13 of package
// symbolic), and a Once while its function runs.
const (
	turn  = "#turn"
	doing = "#doing"
)

// findBroken finds what keeps nobody apart (R33), by classes, and takes it out of the locks of the
// sites.
func (l *linker) findBroken() {
	for _, sites := range l.classes {
		for _, s := range sites {
			switch k := s.access.Kind; {
			case s.part, l.initialises(s):
			case k == summary.Write:
				for _, end := range []string{"", turn, doing} {
					l.broken[class(s.path)+end] = true
				}
			case k == summary.AtomicWrite && !s.access.Sets:
				if _, held := s.locks[s.path+turn]; !held {
					l.broken[class(s.path)+turn] = true
				}
			}
		}
	}
	broken := func(lock string, _ lockset.Mode) bool { return l.isBroken(lock) }
	for _, sites := range l.classes {
		for _, s := range sites {
			for lock := range s.locks {
				if lies := relation(lock, s.path); lies != "" && l.isBroken(lock) {
					s.broken = append(s.broken, lies)
				}
			}
			maps.DeleteFunc(s.locks, broken)
			if len(s.lent) > 0 {
				s.lent = maps.Clone(s.lent)
				maps.DeleteFunc(s.lent, broken)
			}
		}
	}
}

// isBroken reports whether a lock keeps nobody apart.
func (l *linker) isBroken(lock string) bool { return l.broken[class(strings.TrimPrefix(lock, "?"))] }

// tried reports whether both sites hold a lock that is meant for the memory and keeps nobody apart.
func tried(a, b *site) bool {
	return slices.ContainsFunc(a.broken, func(lies string) bool { return slices.Contains(b.broken, lies) })
}

// initialises reports whether only package initialisation makes an access.
func (l *linker) initialises(s *site) bool {
	return !slices.ContainsFunc(s.roots, func(i int) bool { return l.roots[i].kind != initial })
}
