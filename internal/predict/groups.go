package predict

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// alike is accesses to one location that have the same site, kind and locks. They conflict with
// another access, or have a lock in common with it, all or none.
type alike struct {
	site  trace.Site
	kind  format.Kind
	locks int32

	n      int // accesses
	groups []group
	number map[model.Thread]int32 // in groups; nil while they are few
}

// A group is the accesses of one thread.
type group struct {
	thread model.Thread
	last   int32 // its last access
	n      int
}

// fewGroups is the number of groups that are searched one by one.
const fewGroups = 8

// of returns the group of a thread, nil if there is none.
func (a *alike) of(t model.Thread) *group {
	if a.number != nil {
		if k, ok := a.number[t]; ok {
			return &a.groups[k]
		}
		return nil
	}
	for k := range a.groups {
		if a.groups[k].thread == t {
			return &a.groups[k]
		}
	}
	return nil
}

// others returns the number of accesses by other threads.
func (a *alike) others(t model.Thread) int {
	if g := a.of(t); g != nil {
		return a.n - g.n
	}
	return a.n
}

// add adds access i of a thread.
func (a *alike) add(t model.Thread, i int32) {
	g := a.of(t)
	if g == nil {
		a.groups = append(a.groups, group{thread: t})
		g = &a.groups[len(a.groups)-1]
		switch {
		case a.number != nil:
			a.number[t] = int32(len(a.groups) - 1)
		case len(a.groups) > fewGroups:
			a.number = make(map[model.Thread]int32, 2*fewGroups)
			for k := range a.groups {
				a.number[a.groups[k].thread] = int32(k)
			}
		}
	}
	g.last = i
	g.n++
	a.n++
}
