package outsidetest

import "github.com/presage-race/presage/internal/trace"

// Explore executes the program under every schedule and returns the pairs of sites that race, the
// lower one first. It gives up, with complete false, at that many states.
//
// Between two steps that others notice a goroutine does what it does by itself, so that these
// states are not told apart. There is no other reduction.
func (p *Program) Explore(limit int) (races map[[2]trace.Site]bool, complete bool) {
	m := newMachine(p)
	first := m.start()
	m.settle(first, 0)
	races = make(map[[2]trace.Site]bool)
	seen := map[string]bool{string(first): true}
	for stack := []state{first}; len(stack) > 0; {
		st := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		m.racing(st, races)
		for g := range p.Code {
			after := m.after(st, g)
			if after == nil || seen[string(after)] {
				continue
			}
			if len(seen) >= limit {
				return races, false
			}
			seen[string(after)] = true
			stack = append(stack, after)
		}
	}
	return races, true
}

// racing adds the pairs that race in a state.
func (m *machine) racing(st state, races map[[2]trace.Site]bool) {
	for g := range m.Code {
		in := m.next(st, g)
		if in == nil {
			continue
		}
		if is, _, _ := in.Op.access(); !is {
			continue
		}
		for u := range m.Code {
			if u == g {
				continue
			}
			if next := m.next(st, u); next != nil && u > g {
				m.pair(g, int(st.of(g)[ofPC]), u, int(st.of(u)[ofPC]), races)
			}
			for pc, r := 0, st.recent(u); r != 0; pc, r = pc+1, r>>1 {
				if r&1 != 0 {
					m.pair(g, int(st.of(g)[ofPC]), u, pc, races)
				}
			}
		}
	}
}

// pair adds two instructions if they conflict.
func (m *machine) pair(g, pc, u, qc int, races map[[2]trace.Site]bool) {
	a, b := &m.Code[g][pc], &m.Code[u][qc]
	is, atomic, write := a.Op.access()
	is2, atomic2, write2 := b.Op.access()
	if is && is2 && a.Obj == b.Obj && (write || write2) && !(atomic && atomic2) {
		s, t := m.Site(g, pc), m.Site(u, qc)
		races[[2]trace.Site{min(s, t), max(s, t)}] = true
	}
}
